package import CredentialCore
package import Messages

extension KeyringError {
    /// What failed, for people.
    package var sentence: Message {
        switch self {
        case .noBus: Message("no keyring is running in this session")
        case .noProvider: Message("no program offers a keyring")
        case .noCollection: Message("the keyring service has no keyring to keep a token in")
        case .locked: Message("the keyring is locked and no password prompt can be shown here")
        case .dismissed: Message("the keyring stayed locked")
        case .unresponsive(let seconds): Message("the keyring did not answer within %1$s seconds", String(seconds))
        case .denied: Message("the keyring refused")
        case .disconnected: Message("the keyring went away in the middle of an answer")
        case .unstorable: Message("the keyring cannot hold these bytes")
        case .interrupted: Message("interrupted while the keyring was asked")
        case .other: Message("the keyring failed")
        }
    }

    /// Opens GNOME's keyring, in bash and without a desktop, whether its daemon runs or not.
    ///
    /// The daemon reads the password up to the end of the file: typed at a terminal, the password would be shown there
    /// and the line feed behind it would be part of it. A daemon that runs is unlocked only by replacing it.
    private static let unlock =
        #"IFS= read -rsp "Password: " p; printf %s "$p" | gnome-keyring-daemon --replace --unlock"#

    /// What to do about it.
    package var hints: [Message] {
        switch self {
        case .noBus:
            [
                Message("start a session with a keyring:"),
                .command("dbus-run-session -- bash -c '\(Self.unlock); exec bash'"),
            ]
        case .noProvider:
            [
                Message("install one of gnome-keyring, KeePassXC or KWallet:"),
                .command("sudo apt install gnome-keyring"),
            ]
        case .noCollection: [Message("make a keyring with your desktop's password program:"), .command("seahorse")]
        case .locked:
            [
                Message("unlock it in your desktop session and try again, or in a terminal:"),
                .command("bash -c '\(Self.unlock)'"),
            ]
        case .dismissed: [Message("run the command again and enter the keyring's password")]
        case .unresponsive:
            [Message("see whether its program hangs:"), .command("systemctl --user status gnome-keyring-daemon")]
        case .denied, .disconnected, .other:
            [Message("see what the keyring's program says:"), .command("journalctl --user -n 20")]
        case .unstorable, .interrupted: []
        }
    }
}
