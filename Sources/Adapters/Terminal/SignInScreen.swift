internal import Helper
internal import Hosts
internal import Keyring
internal import Language
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
    /// - Returns: its lines.
    static func block(_ prompt: SignInPrompt, askedBy command: String?) -> [String] {
        var lines = prompt.isRenewal ? [Message("The code expired; here is a new one.")] : opening(prompt, command)
        lines += [
            Message(verbatim: ""),
            Message("1. Open this page, here or on any other device:"),
            .command(prompt.authorization.verificationURI.text),
            Message("2. Enter this code:"),
            .command(prompt.authorization.userCode),
            Message(verbatim: ""),
        ]
        return lines.map(Language.text)
    }

    /// Who needs what, before the first code.
    private static func opening(_ prompt: SignInPrompt, _ command: String?) -> [Message] {
        let (provider, host) = (prompt.providerName, prompt.host)
        let need =
            prompt.askedAccount.map { Message("git needs to sign in to %1$s (%2$s) as %3$s.", provider, host, $0) }
            ?? Message("git needs to sign in to %1$s (%2$s).", provider, host)
        return [need] + (command.map { [Message("Asked by: %1$s", $0)] } ?? [])
    }

    /// The line that stands while we wait.
    ///
    /// - Parameter seconds: how long the code still lasts.
    /// - Returns: the line.
    static func waiting(seconds: Int64) -> String {
        let left =
            seconds >= 60
            ? Message("%1$s min left.", String((seconds + 30) / 60)) : Message("%1$s s left.", String(max(seconds, 0)))
        return Language.text(Message("Waiting for you to approve. %1$s Ctrl-C cancels.", left))
    }

    /// The seconds left after which the waiting line changes next: once a minute, in the last minute every ten seconds.
    static func nextChange(before seconds: Int64) -> Int64 {
        seconds > 60 ? (seconds - 1) / 60 * 60 : max(0, (seconds - 1) / 10 * 10)
    }

    /// The line for a notice.
    static func line(_ notice: Notice) -> String { Language.text(message(notice)) }

    private static func message(_ notice: Notice) -> Message {
        switch notice {
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
