internal import CredentialCore
internal import Helper
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
        let opening = form.wrapped(opening(prompt, asker, form))
        // The text of a new code only explains it.
        let circumstances =
            prompt.isRenewal ? [] : SignInWords.circumstances(prompt, askedBy: form.isNarrow ? nil : asker, in: folder)
        let below = circumstances.flatMap(form.wrapped)
        let steps = SignInWords.steps(to: prompt.approval).map(form.wrapped)
        if form.isNarrow {
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

    private static func opening(_ prompt: SignInPrompt, _ asker: AskingCommand.Asker?, _ form: ScreenForm) -> Message {
        if prompt.isRenewal { return SignInWords.renewal }
        return form.isNarrow ? SignInWords.shortNeed(prompt, askedBy: asker) : SignInWords.need(prompt, askedBy: asker)
    }

    private static func spelling(of code: String) -> String {
        Language.text(SignInWords.spelled(code, dash: Language.text(SignInWords.dash)))
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

    /// Whether the waiting line is a whole sentence, which needs 60 columns.
    var hasLongWaitingLine: Bool { columns >= 60 }

    /// Whether only the necessary text is shown.
    var isNarrow: Bool { columns < 40 }

    /// Breaks a message between words, or not at all for a screen reader.
    ///
    /// Addresses and codes are not wrapped here: the terminal soft-wraps them, so that they stay whole when selected.
    func wrapped(_ message: Message) -> [String] {
        Language.lines(message, columns: style.isAccessible ? nil : columns)
    }
}

struct KeyLine: Equatable {
    var opens = false
    /// Whether `d` changes to the device flow.
    var offersDeviceCode = false
    /// Whether `c` copies the code.
    var copies = false
    /// Whether `c` copies the address, which a terminal wraps, for want of a code.
    var copiesAddress = false
    /// Whether `r` shows the QR code.
    var showsQRCode = false

    /// Returns the line of the keys, or `nil` if the terminal has no room even for its short form; the keys still work.
    ///
    /// The result is also `nil` for `q` alone, which does the same as Ctrl-C.
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
