internal import CredentialCore
internal import Helper

extension KeyringProgram {
    /// What is locked, where nobody may be asked to unlock it.
    var lockedWords: ErrorText {
        switch self {
        case .keePassXC:
            ErrorText(
                Message("KeePassXC is locked, or needs you to allow access, and nobody can be asked here"),
                [Message("unlock the database in KeePassXC, then run the command again in a terminal")])
        default:
            ErrorText(
                Message("the wallet in KWallet is locked, and nobody can be asked here"),
                [Message("open the wallet on the desktop, then run the command again")])
        }
    }

    /// What a person did not allow.
    var dismissedWords: ErrorText {
        switch self {
        case .keePassXC:
            ErrorText(
                Message("KeePassXC was not unlocked, or access was not allowed"),
                [Message("run the command again, and unlock the database or allow access in KeePassXC")])
        default:
            ErrorText(
                Message("the wallet in KWallet was not opened"),
                [Message("run the command again, and open the wallet")])
        }
    }

    /// What does not answer, and how to look at it.
    func unresponsiveWords(seconds: Int) -> ErrorText {
        switch self {
        case .gnomeKeyring:
            ErrorText(
                Message("the keyring did not answer within %1$s seconds", seconds),
                [
                    Message("check whether it is hanging:"),
                    .command("systemctl --user status gnome-keyring-daemon"),
                ])
        case .keePassXC:
            ErrorText(
                Message("KeePassXC did not answer within %1$s seconds", seconds),
                [Message("check whether KeePassXC shows a dialog; if it hangs, restart it")])
        case .kwallet:
            ErrorText(
                Message("KWallet did not answer within %1$s seconds", seconds),
                [Message("check whether KWallet shows a dialog; if it hangs, log out of the desktop and in again")])
        case .other(let name?):
            ErrorText(
                Message("the keyring did not answer within %1$s seconds", seconds),
                [Message("check whether the program %1$s is hanging; it provides the keyring", name)])
        case .other(nil):
            ErrorText(
                Message("the keyring did not answer within %1$s seconds", seconds),
                [Message("see which program provides it:"), .command("git credential-gitspace doctor")])
        }
    }

    /// How to unlock a keyring that only its own window can unlock, and what to do without a desktop.
    var unlockWords: ErrorText {
        let inMemory = Message.command("git config --global credential.gitspaceStore cache")
        return switch self {
        case .keePassXC:
            ErrorText(
                Message("the keyring is KeePassXC, which can only be unlocked in its own window"),
                [
                    Message("unlock the database in KeePassXC, or, without a desktop, keep credentials in memory:"),
                    inMemory,
                ])
        case .kwallet:
            ErrorText(
                Message("the keyring is KWallet, which can only be unlocked in its own window"),
                [Message("open the wallet on the desktop, or, without one, keep credentials in memory:"), inMemory])
        case .gnomeKeyring, .other:
            ErrorText(
                Message("this keyring can only be unlocked in its own window"),
                [Message("unlock it on the desktop, or, without one, keep credentials in memory:"), inMemory])
        }
    }
}
