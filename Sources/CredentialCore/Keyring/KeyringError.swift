/// Why a keyring operation failed.
///
/// Finding nothing is not an error, and an error never means that nothing was found.
package enum KeyringError: Error, Equatable {
    /// There is no session bus.
    case noBus
    /// The session bus is not used, since it may be somebody else's; what is in our keyring is unknown.
    case foreignBus(BusRefusal)
    /// There is a bus, but no program on it provides a keyring.
    case noProvider
    /// The keyring service has no collection for an item, and nobody can create one.
    case noCollection
    /// The keyring is locked, and no password prompt can be shown here.
    case locked
    /// A person closed the password prompt.
    case dismissed
    /// The service did not answer within so many seconds.
    case unresponsive(seconds: Int)
    /// The service denied the request without a helpful reason.
    case denied
    /// The service disappeared during a call.
    case disconnected
    /// The text or attributes cannot be stored: not UTF-8, or not a line.
    case unstorable
    /// The configuration that selects the store cannot be read.
    case unconfigured(ConfigurationError)
    /// Ctrl-C, or git has ended.
    case interrupted
    /// Any other error, in the words of the library; for the trace, not for people.
    case other(String)

    /// Whether there is no keyring at all, so that git's in-memory cache is used instead.
    package var isAbsence: Bool {
        switch self {
        case .noBus, .noProvider, .noCollection: true
        default: false
        }
    }

    /// Whether no program here could have a credential, so that what is not in memory is not stored.
    ///
    /// Without a session bus nobody can tell: as over SSH, a keyring of the same person may be open in another session.
    package var isSurelyEmpty: Bool { isAbsence && self != .noBus }
}

/// Why a session bus is not used: who listens there would get our tokens.
package enum BusRefusal: Error, Equatable {
    /// Its address is not a Unix socket's; how it begins.
    case address(String)
    /// Another user listens; the user's ID.
    case user(UInt32)
}
