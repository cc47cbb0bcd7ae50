package import CredentialCore

extension KeyringError {
    /// What the keyring could not do, and what opens it, starts it or shows what is wrong with it.
    package var words: ErrorText {
        switch self {
        case .noBus:
            ErrorText(
                Message("no keyring is running in this session"),
                [
                    Message("start a session with a keyring:"),
                    .command("dbus-run-session -- bash -c '\(Self.unlock); exec bash'"),
                ])
        case .noProvider:
            ErrorText(
                Message("no program offers a keyring"),
                [
                    Message("install one of gnome-keyring, KeePassXC or KWallet:"),
                    .command("sudo apt install gnome-keyring"),
                ])
        case .noCollection:
            ErrorText(
                Message("the keyring service has no keyring to keep a token in"),
                [Message("make one:"), .command(Self.unlock)])
        case .locked:
            ErrorText(
                Message("the keyring is locked and no password prompt can be shown here"),
                [
                    Message("unlock it in your desktop session and try again, or in a terminal:"),
                    .command(Self.unlock),
                ])
        case .dismissed:
            ErrorText(
                Message("the keyring stayed locked"),
                [Message("run the command again and enter the keyring's password")])
        case .unresponsive(let seconds):
            ErrorText(
                Message("the keyring did not answer within %1$s seconds", seconds),
                [
                    Message("see whether its program hangs:"),
                    .command("systemctl --user status gnome-keyring-daemon"),
                ])
        case .denied: ErrorText(Message("the keyring refused"), Self.log)
        case .disconnected: ErrorText(Message("the keyring went away in the middle of an answer"), Self.log)
        case .other: ErrorText(Message("the keyring failed"), Self.log)
        case .unstorable: ErrorText(Message("the keyring cannot hold these bytes"))
        case .unconfigured(let error): error.words
        case .interrupted: ErrorText(Message("interrupted while the keyring was asked"))
        }
    }

    /// Opens the keyring without a desktop, whether its daemon runs or not, or says how it can be opened.
    private static let unlock: DisplayText = "git credential-gitspace unlock"

    private static let log = [
        Message("see what the keyring's program says:"), Message.command("journalctl --user -n 20"),
    ]
}
