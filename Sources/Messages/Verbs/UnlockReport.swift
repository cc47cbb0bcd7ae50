package import Commands

extension Unlock.Report: ReportText {
    package var lines: [Message] {
        switch self {
        case .alreadyUnlocked: [Message("The keyring is already unlocked.")]
        case .unlocked: [Message("The keyring is unlocked.")]
        case .created: [Message("A keyring was made. It is unlocked.")]
        case .unused: [Message("Nothing to unlock: gitspaceStore is cache, so credentials are kept in memory.")]
        case .cancelled: [Message("Cancelled. Nothing was changed.")]
        }
    }
}
