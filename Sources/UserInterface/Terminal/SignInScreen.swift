internal import CredentialCore
internal import Helper
internal import Messages
internal import OAuth

/// The words of the sign-in, as they stand on the screen.
///
/// Rules: address and code stand alone on their lines, without a label or a dot behind them, so that a terminal's link
/// and a double click catch exactly them. No line is longer than 60 columns unless an address is. Nothing is cleared,
/// nothing is drawn.
enum SignInScreen {
    /// The block that asks a person to sign in.
    ///
    /// - Parameters:
    ///   - prompt: what to show.
    ///   - command: the git command that asks, if it is known.
    ///   - form: how it is laid out.
    /// - Returns: its lines.
    static func block(_ prompt: SignInPrompt, askedBy command: Message?, _ form: ScreenForm) -> [String] {
        let page = prompt.authorization.verificationURI.text
        let code = form.style.code(prompt.authorization.userCode)
        let spelled = form.style.isAccessible ? [Language.text(spelling(of: prompt.authorization.userCode))] : []
        let opening =
            (prompt.isRenewal ? [Message("The code expired; here is a new one.")] : opening(prompt, command, form))
            .flatMap { form.wrapped(Language.text($0)) }
        if form.isNarrow { return opening + [page, code] + spelled }
        let steps = [Message("1. Open this page, here or on any other device:"), Message("2. Enter this code:")]
            .map { form.wrapped(Language.text($0), hanging: 3) }
        return opening + [""] + steps[0] + ["  \(page)"] + steps[1] + ["  \(code)"] + spelled + [""]
    }

    /// Who needs what, before the first code.
    private static func opening(_ prompt: SignInPrompt, _ command: Message?, _ form: ScreenForm) -> [Message] {
        let (provider, host) = (prompt.providerName, prompt.host)
        if form.isNarrow {
            return [
                prompt.askedAccount.map { Message("git: sign in to %1$s as %2$s", host, $0) }
                    ?? Message("git: sign in to %1$s", host)
            ]
        }
        let need =
            prompt.askedAccount.map { Message("git needs to sign in to %1$s (%2$s) as %3$s.", provider, host, $0) }
            ?? Message("git needs to sign in to %1$s (%2$s).", provider, host)
        return [need] + (command.map { [Message("Asked by: %1$s", $0)] } ?? [])
    }

    /// The code, character by character, for a voice that would make a word of it.
    private static func spelling(of code: String) -> Message {
        let dash = Language.text(Message("dash"))
        return Message("Code: %1$s", code.map { $0 == "-" ? dash : String($0) }.joined(separator: " "))
    }

    /// The lines for a notice.
    static func lines(_ notice: Notice, _ form: ScreenForm) -> [String] {
        form.wrapped(Language.text(message(notice, form))).map(form.style.line)
    }

    private static func message(_ notice: Notice, _ form: ScreenForm) -> Message {
        switch notice {
        case .signedIn(let account, .keyring) where form.isNarrow: Message("✓ Signed in as %1$s.", account)
        case .signedIn(let account, .keyring): Message("✓ Signed in as %1$s. Saved in the keyring.", account)
        case .signedIn(let account, .memory):
            Message("✓ Signed in as %1$s. No keyring here: git credential-cache keeps the token in memory.", account)
        case .notGranted(let granted, let missing): Message("Granted: %1$s. Not granted: %2$s.", granted, missing)
        case .waitingForOtherSignIn: Message("Waiting for the sign-in already running in another terminal...")
        case .waitingForKeyring: Message("Waiting for the keyring's password prompt...")
        case .cancelled: Message("Sign-in cancelled.")
        case .signedOut(let host, let accounts):
            Message("Signed out of %1$s: removed %2$s from the keyring.", host, accounts.joined(separator: ", "))
        case .alreadySignedIn(let account, let host): Message("Already signed in to %1$s as %2$s.", host, account)
        case .keptInMemory: Message("gitspace: no keyring here: git credential-cache keeps the password in memory")
        }
    }
}
