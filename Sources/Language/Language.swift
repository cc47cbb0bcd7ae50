internal import CLocale
internal import Glibc
package import Messages
internal import System

/// The person's language, and the width of texts in it.
///
/// Without a catalogue everything is English. No locale is set for the process: numbers, times, and the texts of
/// libraries stay as they are, and child processes inherit nothing.
package enum Language {
    /// A message in the person's language.
    package static func text(_ message: Message) -> String { text(message, isWrapped: false) }

    /// A message in the person's language, to be wrapped later: `Message.firmSpace` marks what stays whole.
    package static func wrappable(_ message: Message) -> String { text(message, isWrapped: true) }

    /// A message in the person's language, in lines.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - columns: the width of the terminal; nil leaves it in one line, for a pipe, a file or a screen reader.
    ///   - prefix: comes before the first line, in each language.
    ///   - hanging: the spaces before the other lines instead.
    /// - Returns: the lines.
    package static func lines(
        _ message: Message, columns: Int?, prefix: String = "", hanging: Int = 0
    ) -> [String] {
        guard let columns else { return [prefix + text(message)] }
        return Wrapping.lines(wrappable(message), columns: columns, prefix: prefix, hanging: hanging)
    }

    private static func text(_ message: Message, isWrapped: Bool) -> String {
        message.text(toBeWrapped: isWrapped) { catalogue?.text(for: $0) ?? $0 }
    }

    /// The width of a text on a terminal: 2 columns for Hangul, 0 for combining characters (wcwidth(3)), in any locale.
    package static func columns(of text: String) -> Int {
        guard let widths else { return text.unicodeScalars.count }
        let before = uselocale(widths)
        defer { uselocale(before) }
        return text.unicodeScalars.reduce(0) { $0 + max(0, Int(wcwidth(wchar_t(bitPattern: $1.value)))) }
    }

    /// The person's language; nil is English.
    ///
    /// Without UTF-8 it is English as well: every encoding has its letters, so nothing is converted.
    private static let catalogue: Catalogue? = {
        guard Charset.isUTF8(environment: value), let folder = catalogues else { return nil }
        for name in PreferredLanguages.names(environment: value) {
            // A megabyte is far beyond a catalogue's size.
            let path = "\(folder)/\(name)/LC_MESSAGES/git-credential-gitspace.mo"
            let file = try? FileReader.contents(of: path, atMost: 1 << 20)
            if let catalogue = file.flatMap(Catalogue.init) { return catalogue }
        }
        return nil
    }()

    /// The only locale that exists everywhere and knows every character.
    ///
    /// Not isolated, since it never changes.
    nonisolated(unsafe) private static let widths = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil)

    private static func value(_ variable: String) -> String? { Environment[variable] }

    /// `../share/locale`, relative to the program: right in `bin` and in `libexec`, wherever they are installed.
    private static var catalogues: String? {
        ExecHandover.home.map { $0 + "/../share/locale" }
    }
}
