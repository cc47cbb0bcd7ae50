package import CredentialCore
internal import Glibc
package import Helper
internal import Language
internal import Providers
internal import System

/// The text of a sign-in on the terminal.
///
/// Address and code are alone on their lines, without a label or a full stop, so that a terminal's link detection and a
/// double click select exactly them. Only an address may be longer than 60 columns. Nothing is cleared or drawn.
enum SignInScreen {
    /// `asker` and `folder` are `nil` if obvious or unknown.
    static func block(
        _ prompt: SignInPrompt, askedBy asker: AskingCommand.Asker?, in folder: String?, _ form: ScreenForm
    ) -> [String] {
        let page = prompt.approval.address.text
        let code = prompt.approval.userCode.map { [form.style.code($0)] } ?? []
        let spelled = form.style.isAccessible ? prompt.approval.userCode.map { [spelling(of: $0)] } ?? [] : []
        let need =
            form.isNarrow ? SignInWords.shortNeed(prompt, askedBy: asker) : SignInWords.need(prompt, askedBy: asker)
        let opening = form.wrapped(prompt.isRenewal ? SignInWords.renewal : need)
        // The text of a new code only explains it.
        let circumstances =
            prompt.isRenewal ? [] : SignInWords.circumstances(prompt, askedBy: form.isNarrow ? nil : asker, in: folder)
        let below = circumstances.flatMap(form.wrapped)
        let steps = SignInWords.steps(to: prompt.approval).map(form.wrapped)
        if form.isNarrow {
            let others = code.isEmpty ? steps.dropFirst().flatMap(\.self) : []
            return [opening, [page], code, spelled, others, below].flatMap(\.self)
        }
        let way = steps[0] + ["  \(page)"] + steps.dropFirst().flatMap(\.self)
        let shown = code.map { "  \($0)" }
        let end = below.isEmpty ? [] : below + [""]
        return [opening, [""], way, shown, spelled, [""], end].flatMap(\.self)
    }

    /// The code character by character: a screen reader would read it as a word.
    private static func spelling(of code: String) -> String {
        let characters = code.map { $0 == "-" ? Language.text(Message("dash")) : String($0) }
        return Language.text(Message("Code: %1$s", DisplayText(trusted: characters.joined(separator: " "))))
    }

    static func lines(_ notice: Notice, _ form: ScreenForm) -> [String] {
        form.wrapped(notice.text(isNarrow: form.isNarrow)).map(form.style.line)
    }
}

/// The screen's size, which may change during a wait, and its style.
struct ScreenForm: Equatable {
    var columns: Int
    var rows = 24
    var style = ScreenStyle()

    var isNarrow: Bool { columns < 40 }

    /// Breaks a message between words, or not at all for a screen reader.
    ///
    /// Addresses and codes are not wrapped here: the terminal soft-wraps them, so that they stay whole when selected.
    func wrapped(_ message: Message) -> [String] {
        Language.lines(message, columns: style.isAccessible ? nil : columns)
    }
}

extension ScreenForm {
    init(of terminal: Int32, _ style: ScreenStyle) {
        (columns, rows) = TextOutput.size(of: terminal)
        self.style = style
    }
}

struct KeyLine: Equatable {
    var opens = false
    /// Whether `d` changes to the device flow.
    var offersDeviceCode = false
    var copies = false
    /// Whether `c` copies the address, which a terminal wraps, for want of a code.
    var copiesAddress = false
    var showsQRCode = false

    /// Returns the line of the keys, or `nil` if the terminal has no room even for its short form; the keys still work.
    ///
    /// The result is also `nil` for `q` alone, which does the same as Ctrl-C.
    func text(_ form: ScreenForm) -> String? {
        guard let long = sentence.map(Language.text) else { return nil }
        if WaitingLine.fits(long, form) || form.style.isAccessible { return long }
        let parts =
            (opens ? [Message("Enter: open")] : []) + (copies || copiesAddress ? [Message("c: copy")] : [])
            + (offersDeviceCode ? [Message("d: code")] : []) + (showsQRCode ? [Message("r: QR code")] : [])
            + [Message("q: quit")]
        let short = parts.map(Language.text).joined(separator: "  ")
        return WaitingLine.fits(short, form) ? short : nil
    }

    /// One sentence, so that each language can use its own order.
    private var sentence: Message? {
        switch (opens, copies, copiesAddress, offersDeviceCode, showsQRCode) {
        case (true, _, true, true, _): Message("Enter opens it here, c copies it, d uses a code instead.")
        case (true, _, true, false, _): Message("Press Enter to open it here, c to copy it, q to quit.")
        case (true, _, false, true, _): Message("Press Enter to open it here, d to use a code instead, q to quit.")
        case (false, _, true, true, _): Message("Press c to copy it, d to use a code instead, q to quit.")
        case (false, _, true, false, _): Message("Press c to copy the address, q to quit.")
        case (false, _, false, true, _): Message("Press d to use a code instead, q to quit.")
        case (true, true, false, false, true): Message("Enter opens it here, c copies the code, r shows a QR code.")
        case (true, true, false, false, false): Message("Press Enter to open it here, c to copy the code, q to quit.")
        case (true, false, false, false, true): Message("Press Enter to open it here, r for a QR code, q to quit.")
        case (true, false, false, false, false): Message("Press Enter to open it here, q to quit.")
        case (false, true, false, false, true): Message("Press c to copy the code, r for a QR code, q to quit.")
        case (false, true, false, false, false): Message("Press c to copy the code, q to quit.")
        case (false, false, false, false, true): Message("Press r for a QR code, q to quit.")
        case (false, false, false, false, false): nil
        }
    }
}

enum WaitingLine {
    /// Returns the longest form that fits the width, or a short one that the terminal wraps.
    static func text(seconds: Int64, _ form: ScreenForm) -> String {
        let left =
            seconds >= 60 ? Message("%1$s min left.", (seconds + 30) / 60) : Message("%1$s s left.", max(seconds, 0))
        let short = Language.text(Message("%1$s Ctrl-C cancels.", left))
        // A whole sentence is shown from 60 columns on.
        let long = Language.text(Message("Waiting for you to approve. %1$s Ctrl-C cancels.", left))
        return ((form.columns >= 60 ? [long] : []) + [short, Language.text(left)]).first { fits($0, form) } ?? short
    }

    /// Whether a line fits: only the last row of a wrapped one would be overwritten.
    static func fits(_ line: String, _ form: ScreenForm) -> Bool { Language.columns(of: line) <= form.columns }

    /// The time of the next change in seconds left, or -1 for never.
    ///
    /// A line that is overwritten changes every minute, and every ten seconds in the last one. Without overwriting,
    /// there are lines at five minutes and at one.
    static func nextChange(before seconds: Int64, rewrites: Bool) -> Int64 {
        if rewrites { return seconds > 60 ? (seconds - 1) / 60 * 60 : max(0, (seconds - 1) / 10 * 10) }
        return [300, 60].first { $0 < seconds } ?? -1
    }
}

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
