package import CredentialCore
internal import Helper
internal import Language

struct ScreenStyle: Equatable {
    /// Whether bold and colours are used, always beside a word or sign that means the same.
    var emphasises = false
    var isUTF8 = true
    /// Whether the terminal can overwrite a line, and no screen reader reads it aloud.
    var rewrites = true
    /// Whether only plain lines of words are written, for screen readers.
    var isAccessible = false
}

extension ScreenStyle {
    func code(_ text: String) -> String { emphasises ? "\u{1b}[1m\(text)\u{1b}[0m" : text }

    /// The marks of `doctor`, with the SGR number of each colour (ECMA-48).
    private static let marks = [("[ OK ]", 32), ("[FAIL]", 31), ("[WARN]", 33), ("[NOTE]", 36)]

    /// Colours the line's mark; leaves out a tick that a screen reader would read aloud.
    func line(_ text: String) -> String {
        if emphasises, let (mark, colour) = Self.marks.first(where: { text.hasPrefix($0.0) }) {
            return "\u{1b}[\(colour)m\(mark)\u{1b}[0m\(text.dropFirst(mark.count))"
        }
        let tick = "✓ "
        guard text.hasPrefix(tick) else { return text }
        let words = text.dropFirst(tick.count)
        if isAccessible { return String(words) }
        let mark = isUTF8 ? "✓" : "[ok]"
        return (emphasises ? "\u{1b}[32m\(mark)\u{1b}[0m" : mark) + " " + words
    }

    /// Whether a QR code can be shown, which needs half blocks, and black on white in every theme.
    var showsPictures: Bool { emphasises && isUTF8 && !isAccessible }
}

package struct ScreenSettings {
    package var browser = BrowserChoice.none
    var style: ScreenStyle

    /// Chooses the quietest settings without git's configuration.
    package init(_ configuration: Configuration?, environment: (String) -> String?) {
        if let configuration { browser = BrowserChoice(configuration, environment: environment) }
        let isAccessible = configuration?.isOn(.gitspaceAccessible) ?? true
        // git-config(1), color.ui: `always` applies to git's own output, not to ours.
        let colour = configuration.map { $0.plainValue("color", "ui") ?? "auto" } ?? "never"
        let knowsTerminal = !["", "dumb"].contains(environment("TERM") ?? "")
        let isColourful = knowsTerminal && colour != "never" && !Interactivity.isFalse(colour)
        style = ScreenStyle(
            emphasises: Self.emphasises(environment) ?? isColourful, isUTF8: Charset.isUTF8(environment: environment),
            rewrites: knowsTerminal && !isAccessible, isAccessible: isAccessible)
    }

    /// The variables that outrank git and the terminal: no-color.org, then those that force colours.
    private static func emphasises(_ environment: (String) -> String?) -> Bool? {
        if environment("NO_COLOR")?.isEmpty == false { return false }
        let forced = ["FORCE_COLOR", "CLICOLOR_FORCE"].compactMap(environment)
        return forced.contains { !["", "0", "false"].contains($0) } ? true : nil
    }
}
