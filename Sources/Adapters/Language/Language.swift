internal import CGettext
internal import Glibc
package import Messages

/// The language of the person, by gettext(3): `LANGUAGE`, `LC_ALL`, `LC_MESSAGES` and `LANG` decide.
///
/// Without a catalogue, or before anything is said, everything is English.
package enum Language {
    /// The catalogue's name, as in `share/locale/ko/LC_MESSAGES/git-credential-gitspace.mo`.
    private static let domain = "git-credential-gitspace"

    /// A message in the person's language.
    package static func text(_ message: Message) -> String {
        guard isReady else { return message.english }
        // Without a translation dgettext(3) gives back the very pointer that it got, so that one has to last.
        return message.text { key in key.withCString { String(cString: dgettext(domain, $0)) } }
    }

    /// The columns that a text takes on a terminal: 2 for Hangul, 0 for what combines (wcwidth(3)).
    package static func columns(of text: String) -> Int {
        guard isReady else { return text.unicodeScalars.count }
        return text.unicodeScalars.reduce(0) { $0 + max(0, Int(wcwidth(wchar_t(bitPattern: $1.value)))) }
    }

    /// Finds the language, the first time that something is said. False if the catalogues' folder cannot be named.
    private static let isReady: Bool = {
        chooseLocale()
        guard let folder = catalogues else { return false }
        return bindtextdomain(domain, folder) != nil && bind_textdomain_codeset(domain, "UTF-8") != nil
    }()

    /// Containers seldom have the locale that `LANG` names. gettext needs some locale other than `C`, and then goes by
    /// `LANGUAGE` alone: so it gets the one that is always there, and the language that the person has named.
    private static func chooseLocale() {
        guard setlocale(LC_ALL, "") == nil else { return }
        let variables = ["LC_ALL", "LC_MESSAGES", "LANG"]
        let named = variables.lazy.compactMap(value).first { !$0.isEmpty }
        guard let named, setlocale(LC_ALL, "C.UTF-8") != nil else { return }
        let language = named.prefix { !".@".contains($0) }
        // Not over a choice of the person's: it comes before the locale's own language in gettext as well.
        setenv("LANGUAGE", String(language), 0)
    }

    private static func value(_ variable: String) -> String? {
        getenv(variable).map { String(cString: $0) }
    }

    /// `../share/locale`, seen from the program: right in `bin` and in `libexec`, wherever both were installed.
    private static var catalogues: String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        guard length > 0 else { return nil }
        let program = String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let end = program.lastIndex(of: "/") else { return nil }
        return program[..<end] + "/../share/locale"
    }
}
