package import Providers

/// Why a token that a person wanted revoked may still be valid.
package enum RevocationFailure: Error, Equatable {
    /// The host does not let a program revoke tokens.
    case unsupported
    /// The host rejected the request; its status.
    case refused(status: Int)
    /// The host could not be reached, or its response was malformed.
    case transport(TransportError)
    /// Another process is refreshing this account, so a new pair may arrive.
    case busy
    /// Without a lock, a refresh could be in progress.
    case lockImpossible
    /// The person cancelled while we waited for the lock.
    case interrupted

    /// Whether the person stopped it: then nothing is removed, even with `--force`.
    package var isInterruption: Bool { self == .interrupted || self == .transport(.interrupted) }
}
