internal import CLocale
internal import CredentialCore
internal import Glibc
package import Helper
internal import System

/// Texts in the person's language; English without a catalogue.
///
/// The process has no locale: numbers, times and the texts of libraries stay unchanged, and child processes inherit
/// nothing.
package enum Language {
    package static func text(_ message: Message) -> String { text(message, isWrapped: false) }

    /// The text before wrapping: `Message.firmSpace` marks parts that stay whole.
    package static func wrappable(_ message: Message) -> String { text(message, isWrapped: true) }

    /// Wraps a text; without `columns`, for a pipe, a file or a screen reader, there is one line.
    ///
    /// The other lines begin with `hanging` spaces instead of the prefix.
    package static func lines(_ message: Message, columns: Int?, prefix: String = "", hanging: Int = 0) -> [String] {
        guard let columns else { return [prefix + text(message)] }
        return Wrapping.lines(wrappable(message), columns: columns, prefix: prefix, hanging: hanging)
    }

    private static func text(_ message: Message, isWrapped: Bool) -> String {
        message.text(toBeWrapped: isWrapped) { catalogue?.text(for: $0) ?? $0 }
    }

    /// The width of a text in every locale: 2 columns for Hangul, 0 for combining characters (wcwidth(3)).
    package static func columns(of text: String) -> Int {
        guard let widths else { return text.unicodeScalars.count }
        let before = uselocale(widths)
        defer { uselocale(before) }
        return text.unicodeScalars.reduce(0) { $0 + max(0, Int(wcwidth(wchar_t(truncatingIfNeeded: $1.value)))) }
    }

    /// The catalogue of the person's language, or `nil` for English.
    ///
    /// Without UTF-8 the language is English, whose letters exist in every encoding.
    private static let catalogue: Catalogue? = {
        // `share` is beside `bin` or `libexec`.
        guard Charset.isUTF8(environment: value), let home = ExecHandover.home else { return nil }
        for name in PreferredLanguages.names(environment: value) {
            let path = "\(home)/../share/locale/\(name)/LC_MESSAGES/git-credential-gitspace.mo"
            let contents = try? FileReader.contents(of: path, atMost: 1 << 20)
            if let found = contents.flatMap(Catalogue.init) { return found }
        }
        return nil
    }()

    /// The locale C.UTF-8, which exists everywhere and knows every character.
    ///
    /// `nonisolated(unsafe)`: the locale never changes.
    nonisolated(unsafe) private static let widths = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil)

    private static func value(_ variable: String) -> String? { Environment[variable] }
}

/// The person's languages, from `LANGUAGE`, `LC_ALL`, `LC_MESSAGES` and `LANG` (locale(7); GNU gettext's manual, "The
/// LANGUAGE variable").
package enum PreferredLanguages {
    /// The languages in order of preference, each with its country and without, as catalogues are named: `ko_KR`, `ko`.
    ///
    /// Languages after English are left out, since English lacks no text. An empty list means English.
    package static func names(environment value: (String) -> String?) -> [String] {
        let named = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(value).first { !$0.isEmpty } ?? "C"
        // Programs rely on the texts of the locale C, whatever LANGUAGE contains; C.UTF-8 only names an encoding.
        guard named != "C", named != "POSIX" else { return [] }
        let list = value("LANGUAGE").flatMap { $0.isEmpty ? nil : $0 } ?? named
        return list.split(separator: ":").lazy.map(withoutEncoding).prefix { !isEnglish($0) }.flatMap(candidates)
    }

    private static func withoutEncoding(_ name: Substring) -> Substring { name.prefix { $0 != "." && $0 != "@" } }

    private static func isEnglish(_ name: Substring) -> Bool {
        ["C", "POSIX", "en"].contains(name) || name.hasPrefix("en_")
    }

    /// The names to look for, without characters that could lead to another folder.
    private static func candidates(_ name: Substring) -> [String] {
        guard ASCII.isPlain(name.utf8, with: "_") else { return [] }
        let language = name.prefix { $0 != "_" }
        return language.isEmpty ? [] : language == name ? [String(name)] : [String(name), String(language)]
    }
}

/// The character set of the person's terminal, by the environment.
package enum Charset {
    /// Whether texts may contain UTF-8.
    ///
    /// The name of the locale decides: unlike for `nl_langinfo(CODESET)`, the locale need not be generated here, as in
    /// containers. `C`, `POSIX` and no name count as ASCII. Most terminals of containers without `LANG` show UTF-8 too,
    /// but `[ok]` is readable everywhere.
    package static func isUTF8(environment: (String) -> String?) -> Bool {
        let names = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment)
        guard let name = names.first(where: { !$0.isEmpty }) else { return false }
        if let dot = name.firstIndex(of: ".") {
            return isNameOfUTF8(name[name.index(after: dot)...].prefix { $0 != "@" })
        }
        // A few languages have no older encoding, so the name may lack it, and only the locale tells it.
        guard let locale = newlocale(LC_CTYPE_MASK, name, nil) else { return false }
        defer { freelocale(locale) }
        return nl_langinfo_l(nl_item(CODESET), locale).map { isNameOfUTF8(String(cString: $0)[...]) } ?? false
    }

    private static func isNameOfUTF8(_ name: Substring) -> Bool { ["utf-8", "utf8"].contains(name.lowercased()) }
}
