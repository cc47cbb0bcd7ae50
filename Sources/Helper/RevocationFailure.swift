package import OAuth

/// Why a token that a person wanted revoked may still be valid.
package enum RevocationFailure: Error, Equatable {
    /// The host offers no way for us.
    case unsupported
    /// The host refused, with that status.
    case refused(status: Int)
    /// The host was not reached, or its answer not understood.
    case transport(TransportError)
    /// Another process is refreshing this very account, so that a new pair may be on its way.
    case busy
    /// Without a lock nobody can tell whether a refresh is under way.
    case lockImpossible
    /// A person has ended the wait for the lock.
    case interrupted
}
