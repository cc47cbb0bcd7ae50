internal import CredentialCore
internal import Helper
internal import Language
internal import Messages
internal import Providers
internal import System

/// Rules: address and code are alone on their lines, without a label or a full stop, so that a terminal's link
/// detection and a double click select exactly them.
///
/// No line is longer than 60 columns unless an address is. Nothing is cleared, nothing is drawn.
enum SignInScreen {
    /// The command and the folder are nil if obvious or unknown.
    static func block(
        _ prompt: SignInPrompt, askedBy asker: AskingCommand.Asker?, in folder: String?, _ form: ScreenForm
    ) -> [String] {
        let page = prompt.approval.address.text
        let code = prompt.approval.userCode.map { [form.style.code($0)] } ?? []
        let spelled = form.style.isAccessible ? prompt.approval.userCode.map { [spelling(of: $0)] } ?? [] : []
        let opening = form.wrapped(opening(prompt, asker, form))
        // A new code says only why it is there.
        let circumstances =
            prompt.isRenewal ? [] : SignInWords.circumstances(prompt, askedBy: form.isNarrow ? nil : asker, in: folder)
        let below = circumstances.flatMap(form.wrapped)
        let steps = SignInWords.steps(to: prompt.approval).map(form.wrapped)
        if form.isNarrow {
            // There, address and code speak for themselves.
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

    /// What needs the code, in the line before it.
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
    /// As a person would write it.
    static var folder: String? { workingDirectory(home: Environment["HOME"]) }
}

/// The form of the screen, by the width, which may change while we wait, and by the style.
struct ScreenForm: Equatable {
    var columns: Int
    var rows: Int
    var style: ScreenStyle

    init(columns: Int, rows: Int = 24, style: ScreenStyle = ScreenStyle()) {
        self.columns = columns
        self.rows = rows
        self.style = style
    }

    /// The waiting line is a whole sentence from 60 columns on.
    var hasLongWaitingLine: Bool { columns >= 60 }

    /// Below 40 columns, only what is necessary is shown; the terminal soft-wraps what does not fit, so that an address
    /// stays whole when it is selected.
    var isNarrow: Bool { columns < 40 }

    /// Broken between words; unbroken for a screen reader.
    ///
    /// Not for an address or a code, which the terminal itself must soft-wrap.
    func wrapped(_ message: Message) -> [String] {
        Language.lines(message, columns: style.isAccessible ? nil : columns)
    }
}

/// The line of the keys whose action has not been done yet.
struct KeyLine: Equatable {
    var opens = false
    /// `d` goes over to the device flow.
    var offersDeviceCode = false
    /// `c` copies the code.
    var copies = false
    /// Where there is none, it copies the address, which a terminal wraps.
    var copiesAddress = false
    /// `r` shows the QR code.
    var showsQRCode = false

    /// Nil if there are no keys: `q` does the same as Ctrl-C, which is mentioned anyway.
    ///
    /// Also nil where even the short form is wider than the terminal; the keys still work.
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
