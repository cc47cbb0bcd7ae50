internal import CredentialCore
internal import Helper
internal import Language
internal import Providers
internal import System

/// The text of a sign-in on the terminal.
///
/// Address and code are alone on their lines, without a label or a full stop, so that a terminal's link detection and a
/// double click select exactly them. No line is longer than 60 columns unless an address is. Nothing is cleared or
/// drawn.
enum SignInScreen {
    /// Returns the lines of a prompt; the command and the folder are `nil` if obvious or unknown.
    static func block(
        _ prompt: SignInPrompt, askedBy asker: AskingCommand.Asker?, in folder: String?, _ form: ScreenForm
    ) -> [String] {
        let page = prompt.approval.address.text
        let code = prompt.approval.userCode.map { [form.style.code($0)] } ?? []
        let spelled = form.style.isAccessible ? prompt.approval.userCode.map { [spelling(of: $0)] } ?? [] : []
        let opening = form.wrapped(opening(prompt, asker, form))
        // The text of a new code is only why it is there.
        let circumstances =
            prompt.isRenewal ? [] : SignInWords.circumstances(prompt, askedBy: form.isNarrow ? nil : asker, in: folder)
        let below = circumstances.flatMap(form.wrapped)
        let steps = SignInWords.steps(to: prompt.approval).map(form.wrapped)
        if form.isNarrow {
            // On a narrow screen, address and code need no steps.
            return opening + [page] + code + spelled + (code.isEmpty ? steps.dropFirst().flatMap(\.self) : []) + below
        }
        var lines = opening
        lines.append("")
        lines += steps[0]
        lines.append("  \(page)")
        lines += steps.dropFirst().flatMap(\.self)
        lines += code.map { "  \($0)" }
        lines += spelled
        lines.append("")
        guard !below.isEmpty else { return lines }
        lines += below
        lines.append("")
        return lines
    }

    /// Returns the lines above the address, with the purpose of the code.
    private static func opening(
        _ prompt: SignInPrompt, _ asker: AskingCommand.Asker?, _ form: ScreenForm
    ) -> Message {
        if prompt.isRenewal { return SignInWords.renewal }
        return form.isNarrow
            ? SignInWords.shortNeed(prompt, askedBy: asker) : SignInWords.need(prompt, askedBy: asker)
    }

    private static func spelling(of code: String) -> String {
        Language.text(SignInWords.spelled(code, dash: Language.text(SignInWords.dash)))
    }

    static func lines(_ notice: Notice, _ form: ScreenForm) -> [String] {
        form.wrapped(notice.text(isNarrow: form.isNarrow)).map(form.style.line)
    }
}

extension AskingCommand {
    /// The current folder, as a person would write it.
    static var folder: String? { workingDirectory(home: Environment["HOME"]) }
}

/// The form of the screen, by its width, which may change while we wait, and by its style.
struct ScreenForm: Equatable {
    var columns: Int
    var rows: Int
    var style: ScreenStyle

    init(columns: Int, rows: Int = 24, style: ScreenStyle = ScreenStyle()) {
        self.columns = columns
        self.rows = rows
        self.style = style
    }

    /// Whether the waiting line is a whole sentence, which needs 60 columns.
    var hasLongWaitingLine: Bool { columns >= 60 }

    /// Whether only the necessary text is shown, below 40 columns.
    ///
    /// The terminal soft-wraps longer lines, so an address stays whole when it is selected.
    var isNarrow: Bool { columns < 40 }

    /// Returns a message broken between words, or unbroken for a screen reader.
    ///
    /// An address or a code is not wrapped here, because the terminal itself must soft-wrap it.
    func wrapped(_ message: Message) -> [String] {
        Language.lines(message, columns: style.isAccessible ? nil : columns)
    }
}

/// The line of the keys whose action has not been done yet.
struct KeyLine: Equatable {
    var opens = false
    /// Whether `d` changes to the device flow.
    var offersDeviceCode = false
    /// Whether `c` copies the code.
    var copies = false
    /// Whether `c` copies the address if there is no code, because a terminal wraps it.
    var copiesAddress = false
    /// Whether `r` shows the QR code.
    var showsQRCode = false

    /// Returns the line that lists the keys, or `nil` if there is no key but `q`.
    ///
    /// `q` alone needs no line, because it does the same as Ctrl-C. The line is also `nil` if even its short form is
    /// wider than the terminal; the keys still work.
    func text(_ form: ScreenForm) -> String? {
        let sentence =
            offersDeviceCode || copiesAddress
            ? WaitingWords.addressKeys(opens: opens, copies: copiesAddress, offersDeviceCode: offersDeviceCode)
            : WaitingWords.keys(opens: opens, copies: copies, showsQRCode: showsQRCode)
        guard let long = sentence.map(Language.text) else { return nil }
        if WaitingLine.fits(long, form) || form.style.isAccessible { return long }
        let parts = WaitingWords.shortKeys(
            opens: opens, copies: copies || copiesAddress, offersDeviceCode: offersDeviceCode, showsQRCode: showsQRCode)
        let short = parts.map(Language.text).joined(separator: "  ")
        return WaitingLine.fits(short, form) ? short : nil
    }
}
