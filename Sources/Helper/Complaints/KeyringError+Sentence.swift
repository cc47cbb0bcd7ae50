internal import Keyring

extension KeyringError {
    /// What failed, for people.
    var sentence: String {
        switch self {
        case .noBus: "no keyring is running in this session"
        case .noProvider: "no program offers a keyring"
        case .noCollection: "the keyring service has no keyring to keep a token in"
        case .locked: "the keyring is locked and no password prompt can be shown here"
        case .dismissed: "the keyring stayed locked"
        case .unresponsive(let seconds): "the keyring did not answer within \(seconds) seconds"
        case .denied: "the keyring refused"
        case .disconnected: "the keyring went away in the middle of an answer"
        case .unstorable: "the keyring cannot hold these bytes"
        case .interrupted: "interrupted while the keyring was asked"
        case .other: "the keyring failed"
        }
    }

    /// What to do about it.
    var hints: [String] {
        switch self {
        case .noBus:
            ["start a session with a keyring:", "  dbus-run-session -- bash -c 'gnome-keyring-daemon --unlock'"]
        case .noProvider: ["install one of gnome-keyring, KeePassXC or KWallet:", "  sudo apt install gnome-keyring"]
        case .noCollection: ["make a keyring with your desktop's password program:", "  seahorse"]
        case .locked:
            ["unlock it in your desktop session and try again, or in a terminal:", "  gnome-keyring-daemon --unlock"]
        case .dismissed: ["run the command again and enter the keyring's password"]
        case .unresponsive: ["see whether its program hangs:", "  systemctl --user status gnome-keyring-daemon"]
        case .denied, .disconnected, .other: ["see what the keyring's program says:", "  journalctl --user -n 20"]
        case .unstorable, .interrupted: []
        }
    }
}
