internal import CredentialCore
internal import Helper
internal import Language
internal import Messages
internal import OAuth
internal import System
internal import Verbs

/// The text of the sign-in on the screen.
///
/// Rules: address and code are alone on their lines, without a label or a full stop, so that a terminal's link
/// detection and a double click select exactly them. No line is longer than 60 columns unless an address is. Nothing is
/// cleared, nothing is drawn.
enum SignInScreen {
    /// The block that asks a person to sign in.
    ///
    /// - Parameters:
    ///   - prompt: what to show.
    ///   - asker: the command that asks; nil if that is obvious.
    ///   - folder: the folder in which it asks; nil if unknown.
    ///   - form: how it is laid out.
    /// - Returns: its lines.
    static func block(
        _ prompt: SignInPrompt, askedBy asker: AskingCommand.Asker?, in folder: String?, _ form: ScreenForm
    ) -> [String] {
        let page = prompt.authorization.verificationURI.text
        let code = form.style.code(prompt.authorization.userCode)
        let spelled = form.style.isAccessible ? [spelling(of: prompt.authorization.userCode)] : []
        let opening = form.wrapped(opening(prompt, asker, form))
        // A new code says only why it is there.
        let circumstances =
            prompt.isRenewal ? [] : SignInWords.circumstances(prompt, askedBy: form.isNarrow ? nil : asker, in: folder)
        let below = circumstances.flatMap(form.wrapped)
        if form.isNarrow { return opening + [page, code] + spelled + below }
        let steps = [SignInWords.openPage, SignInWords.enterCode].map(form.wrapped)
        let shown = steps[0] + ["  \(page)"] + steps[1] + ["  \(code)"]
        return opening + [""] + shown + spelled + [""] + (below.isEmpty ? [] : below + [""])
    }

    /// The line before the code: what needs it.
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

    /// The lines for a notice.
    static func lines(_ notice: Notice, _ form: ScreenForm) -> [String] {
        form.wrapped(notice.text(isNarrow: form.isNarrow)).map(form.style.line)
    }
}

extension AskingCommand {
    /// The folder in which the command asks, as a person would write it.
    static var folder: String? { workingDirectory(home: Environment["HOME"]) }
}
