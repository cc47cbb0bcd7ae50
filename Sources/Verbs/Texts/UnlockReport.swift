internal import CredentialCore
internal import Helper
internal import Language
package import Messages

extension Unlock.Report: ReportText {
    package var lines: [Message] {
        switch self {
        case .alreadyUnlocked: [Message("The keyring is already unlocked.")]
        case .unlocked: [Message("The keyring is unlocked.")]
        case .created: [Message("Created a keyring and unlocked it.")]
        case .unused:
            [Message("Nothing to unlock: credential.gitspaceStore is cache, so credentials are kept in memory.")]
        case .cancelled: [Message("Cancelled. Nothing was changed.")]
        }
    }
}
