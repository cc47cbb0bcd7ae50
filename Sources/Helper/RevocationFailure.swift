package import Providers

/// The token may still be valid.
package enum RevocationFailure: Error, Equatable {
    case unsupported
    case refused(status: Int)
    /// Not reached, or with a malformed response.
    case transport(TransportError)
    /// Another process is refreshing this account, so a new pair may arrive.
    case busy
    /// A refresh could be in progress.
    case lockImpossible
    /// By the person, while we waited for the lock.
    case interrupted

    /// By the person: then nothing is removed, even with `--force`.
    package var isInterruption: Bool { self == .interrupted || self == .transport(.interrupted) }
}
