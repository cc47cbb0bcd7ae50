internal import Helper
internal import Hosts
internal import Keyring
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
        let account = prompt.askedAccount.map { " as \($0)" } ?? ""
        let opening =
            prompt.isRenewal
            ? ["The code expired; here is a new one."]
            : ["git needs to sign in to \(prompt.providerName) (\(prompt.host))\(account)."]
                + (command.map { ["Asked by: \($0)"] } ?? [])
        return opening + [
            "",
            "1. Open this page, here or on any other device:",
            "  \(prompt.authorization.verificationURI.text)",
            "2. Enter this code:",
            "  \(prompt.authorization.userCode)",
            "",
        ]
    }

    /// The line that stands while we wait.
    ///
    /// - Parameter seconds: how long the code still lasts.
    /// - Returns: the line.
    static func waiting(seconds: Int64) -> String {
        let left = seconds >= 60 ? "\((seconds + 30) / 60) min" : "\(max(seconds, 0)) s"
        return "Waiting for you to approve. \(left) left. Ctrl-C cancels."
    }

    /// The seconds left after which the waiting line changes next: once a minute, in the last minute every ten seconds.
    static func nextChange(before seconds: Int64) -> Int64 {
        seconds > 60 ? (seconds - 1) / 60 * 60 : max(0, (seconds - 1) / 10 * 10)
    }

    /// The line for a notice.
    static func line(_ notice: Notice) -> String {
        switch notice {
        case .signedIn(let account, .keyring): "✓ Signed in as \(account). Saved in the keyring."
        case .signedIn(let account, .memory):
            "✓ Signed in as \(account). No keyring here: git credential-cache keeps the token in memory."
        case .notGranted(let granted, let missing): "Granted: \(granted). Not granted: \(missing)."
        case .waitingForOtherSignIn: "Waiting for the sign-in already running in another terminal..."
        case .waitingForKeyring: "Waiting for the keyring's password prompt..."
        case .cancelled: "Sign-in cancelled."
        case .signedOut(let host, let accounts):
            "Signed out of \(host): removed \(accounts.joined(separator: ", ")) from the keyring."
        case .alreadySignedIn(let account, let host): "Already signed in to \(host) as \(account)."
        case .keptInMemory: "gitspace: no keyring here: git credential-cache keeps the password in memory"
        }
    }
}
