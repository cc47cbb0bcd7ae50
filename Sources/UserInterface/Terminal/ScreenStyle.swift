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
    init(_ settings: ScreenSettings, environment: (String) -> String?) {
        let knowsTerminal = !["", "dumb"].contains(environment("TERM") ?? "")
        emphasises = Self.emphasises(settings, knowsTerminal, environment)
        isUTF8 = Charset.isUTF8(environment: environment)
        rewrites = knowsTerminal && !settings.isAccessible
        isAccessible = settings.isAccessible
    }

    /// The first setting found decides: no-color.org, then variables that force colours, then git, then the terminal.
    private static func emphasises(
        _ settings: ScreenSettings, _ knowsTerminal: Bool, _ environment: (String) -> String?
    ) -> Bool {
        if environment("NO_COLOR")?.isEmpty == false { return false }
        let forced = ["FORCE_COLOR", "CLICOLOR_FORCE"].compactMap(environment)
        if forced.contains(where: { !["", "0", "false"].contains($0) }) { return true }
        return !settings.forbidsColour && knowsTerminal
    }

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

package struct ScreenSettings: Equatable {
    package var browser: BrowserChoice
    package var isAccessible: Bool
    package var forbidsColour: Bool

    /// The settings if the person's are unknown.
    package static let quietest = ScreenSettings(browser: .none, isAccessible: true, forbidsColour: true)
}

extension ScreenSettings {
    package init(_ configuration: Configuration, environment: (String) -> String?) {
        browser = BrowserChoice(configuration, environment: environment)
        isAccessible = configuration.isOn(.gitspaceAccessible)
        // git-config(1), color.ui: `always` applies to git's own output, not to ours.
        let colour = configuration.plainValue("color", "ui") ?? "auto"
        forbidsColour = colour == "never" || Interactivity.isFalse(colour)
    }
}
