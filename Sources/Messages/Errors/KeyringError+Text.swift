package import CredentialCore

extension KeyringError {
    /// What the keyring could not do, and what opens it, starts it or shows what is wrong with it.
    package var words: ErrorText { words(by: .other(nil)) }

    /// The same, by the program that offers the keyring: each is unlocked and examined in its own way.
    package func words(by program: KeyringProgram) -> ErrorText {
        switch self {
        case .locked where program.asksInOwnWindow: program.lockedWords
        case .dismissed where program.asksInOwnWindow: program.dismissedWords
        case .unresponsive(let seconds): program.unresponsiveWords(seconds: seconds)
        case .noBus:
            ErrorText(
                Message("no keyring is running in this session"),
                [
                    Message("start a session with a keyring:"),
                    .command("dbus-run-session -- bash -c '\(Self.unlock); exec bash'"),
                ])
        case .noProvider:
            ErrorText(
                Message("no program provides a keyring"),
                [
                    Message("install one of gnome-keyring, KeePassXC or KWallet:"),
                    .command("sudo apt install gnome-keyring"),
                ])
        case .noCollection:
            ErrorText(
                Message("the keyring service has no keyring yet"),
                [Message("create one:"), .command(Self.unlock)])
        case .locked:
            ErrorText(
                Message("the keyring is locked and no password prompt can be shown here"),
                [
                    Message("unlock it on your desktop or in a terminal, then try again:"),
                    .command(Self.unlock),
                ])
        case .dismissed:
            ErrorText(
                Message("the keyring was not unlocked"),
                [Message("run the command again and enter the keyring's password")])
        case .denied: ErrorText(Message("the keyring denied access"), Self.log)
        case .disconnected: ErrorText(Message("the keyring closed the connection while answering"), Self.log)
        case .other: ErrorText(Message("the keyring reported an error"), Self.log)
        case .unstorable: ErrorText(Message("the keyring cannot store these bytes"))
        case .unconfigured(let error): error.words
        case .interrupted: ErrorText(Message("interrupted while waiting for the keyring"))
        }
    }

    /// Unlocks the keyring without a desktop, whether its daemon runs or not, or says how to unlock it.
    private static let unlock: DisplayText = "git credential-gitspace unlock"

    private static let log = [
        Message("check the keyring's log:"), Message.command("journalctl --user -n 20"),
    ]
}
