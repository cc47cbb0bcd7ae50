internal import CredentialCore
internal import Helper

extension KeyringProgram {
    /// How a keyring is unlocked whose password only its own window takes, and what to do without a desktop.
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
