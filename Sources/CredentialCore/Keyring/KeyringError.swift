/// What keeps a keyring from answering.
///
/// Finding nothing is not an error, and an error never means that nothing was found.
package enum KeyringError: Error, Equatable {
    case noBus
    /// The session bus is not used, since it may be somebody else's; what is in our keyring is unknown.
    case foreignBus(BusRefusal)
    /// There is a bus, but no program on it provides a keyring.
    case noProvider
    /// The keyring service has no collection for an item, and nobody can create one.
    case noCollection
    /// It lists its collection, whose object does not exist: gnome-keyring 42 and 48 in the session in which PAM has made
    /// the keyring. Another one must not be made: it would become the default one, which no login unlocks.
    case notReady
    /// There is none of the name that the person has configured.
    case noSuchCollection(DisplayText)
    /// The keyring is locked, and no password prompt can be shown here.
    case locked
    /// A person closed the password prompt.
    case dismissed
    case unresponsive(seconds: Int)
    /// Without a helpful reason.
    case denied
    /// During a call.
    case disconnected
    /// The service has refused to open a session for secrets, or has forgotten it, or the two sides cannot decrypt what
    /// the other sends in it.
    case noSession
    /// KWallet refuses every session: its library for encryption (QCA) has no plugin for libcrypto.
    case noPlugin
    /// Not UTF-8, or not a line.
    case unstorable
    /// What selects the store.
    case unconfigured(ConfigurationError)
    /// Ctrl-C, or git has ended.
    case interrupted
    /// An object that was asked for is gone; what that means depends on the object.
    case noSuchObject
    /// The service reported no error for a save, but the secret is not stored.
    case notKept
    /// Any other error, in the words of the library; for the trace, not for people.
    case other(String)

    /// git's in-memory cache is then used instead.
    package var isAbsence: Bool {
        switch self {
        case .noBus, .noProvider, .noCollection, .notReady: true
        default: false
        }
    }

    /// Whether the service answers and has no collection, which can appear at any time, by another process as well.
    package var lacksCollection: Bool { self == .noCollection || self == .notReady }

    /// What is not in memory is then not stored.
    ///
    /// Without a session bus nobody can tell: as over SSH, a keyring of the same person may be open in another session.
    package var isSurelyEmpty: Bool { isAbsence && self != .noBus && self != .notReady }
}

/// Who listens there would get our tokens.
package enum BusRefusal: Error, Equatable {
    /// Its address is not a Unix socket's; how it begins.
    case address(String)
    /// The bus is another user's; `bySudo` if that user runs this process as root.
    case user(UInt32, bySudo: Bool = false)
}
