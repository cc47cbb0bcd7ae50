package import CredentialCore
internal import Glibc
package import Helper
internal import Language
internal import System

/// Output of text: at a terminal in lines that fit it, elsewhere unchanged.
package enum TextOutput {
    /// Returns one line if the width does not matter: in a pipe, in a file, and for a screen reader.
    ///
    /// `prefix` precedes the first line, in each language, and `hanging` spaces the other lines.
    package static func lines(
        _ message: Message, to descriptor: Int32, prefix: String = "", hanging: Int = 0,
        _ settings: () -> ScreenSettings = { ownSettings }
    ) -> [String] {
        let whole = Language.lines(message, columns: nil, prefix: prefix)
        guard let columns = width(of: descriptor), whole.contains(where: { Language.columns(of: $0) > columns }),
            !settings().style.isAccessible
        else { return whole }
        return Language.lines(message, columns: columns, prefix: prefix, hanging: hanging)
    }

    /// `nil` if lines are not wrapped.
    package static func width(of terminal: Int32) -> Int? { isatty(terminal) == 1 ? size(of: terminal).columns : nil }

    /// The terminal's columns and rows (ioctl_tty(2), TIOCGWINSZ), or 80 and 24 if it reports none, such as a serial line.
    static func size(of terminal: Int32) -> (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(terminal, UInt(TIOCGWINSZ), &size) == 0 else { return (80, 24) }
        return (size.ws_col > 0 ? Int(size.ws_col) : 80, size.ws_row > 0 ? Int(size.ws_row) : 24)
    }

    /// Colours a line, if the descriptor is a terminal with colours.
    package static func styled(_ line: String, for descriptor: Int32, _ settings: () -> ScreenSettings) -> String {
        guard line.hasPrefix("[") || line.hasPrefix("✓") else { return line }
        var style = settings().style
        style.emphasises = style.emphasises && isatty(descriptor) == 1
        return style.line(line)
    }

    /// Writes a text for people to standard error; `hanging` is as for `lines`.
    package static func report(_ message: Message, hanging: Int = 0) {
        for line in lines(message, to: STDERR_FILENO, hanging: hanging) { StandardStreams.report(line + "\n") }
    }

    /// Read only for a long or coloured line, since the settings depend on git's configuration.
    package static let ownSettings = ScreenSettings(
        (try? GitConfiguration().entries()).map { Configuration($0, for: HostName(name: "")) },
        environment: { Environment[$0] })
}

/// Errors on standard error; only this code writes their prefixes.
package enum ErrorOutput {
    /// `program` and `locked` are called only if the keyring failed.
    package static func write(
        _ error: UserFacingError, keyringBy program: () -> KeyringProgram = { .other(nil) },
        locked: () -> [DisplayText] = { [] }, _ settings: () -> ScreenSettings = { TextOutput.ownSettings }
    ) {
        let error = error.by(program, locked: locked, inContainer: { Container.isHere })
        // Continuation lines are aligned with the text of the hints.
        let lines =
            TextOutput.lines(
                error.text, to: STDERR_FILENO, prefix: "gitspace: error: ", hanging: "hint: ".count, settings)
            + error.hints.flatMap {
                TextOutput.lines($0, to: STDERR_FILENO, prefix: "hint: ", hanging: "hint: ".count, settings)
            }
        for line in lines { StandardStreams.report(line + "\n") }
    }
}

struct ScreenStyle: Equatable {
    /// Whether bold and colours are used, always beside a word or sign that means the same.
    var emphasises = false
    var isUTF8 = true
    /// Whether the terminal can overwrite a line, and no screen reader reads it aloud.
    var rewrites = true
    /// Whether only plain lines of words are written, for screen readers.
    var isAccessible = false

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
