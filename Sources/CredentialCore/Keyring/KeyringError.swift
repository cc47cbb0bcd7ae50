/// An error of a keyring; finding nothing is not an error, and an error never means that nothing was found.
package enum KeyringError: Error, Equatable {
    case noBus
    /// The session bus may be another user's, so it is not used; our keyring's content is unknown.
    case foreignBus(BusRefusal)
    /// No program on the bus provides a keyring.
    case noProvider
    /// The service has no collection for an item, and none can be created.
    case noCollection
    /// The service lists a collection whose object does not exist: gnome-keyring 42 and 48 in the session in which PAM
    /// has made the keyring. A new one must not be created: it would become the default one, which no login unlocks.
    case notReady
    /// There is no collection of the configured name.
    case noSuchCollection(DisplayText)
    /// The keyring is locked, and no password prompt can be shown here.
    case locked
    /// A person closed the password prompt.
    case dismissed
    case unresponsive(seconds: Int)
    /// The service refused without a helpful reason.
    case denied
    /// The daemon ended during a call.
    case disconnected
    /// The service refused to open a session for secrets, or has forgotten it, or decryption fails.
    case noSession
    /// KWallet refuses every session: its library for encryption (QCA) has no plugin for libcrypto.
    case noPlugin
    /// The credential is not UTF-8, or contains a line end.
    case unstorable
    /// The configuration that selects the store cannot be read.
    case unconfigured(ConfigurationError)
    /// The person pressed Ctrl-C, or git ended.
    case interrupted
    /// A requested object no longer exists; the meaning depends on the object.
    case noSuchObject
    /// The service reported no error for a save, but the secret is not stored.
    case notKept
    /// Any other error in the library's words, for the trace only.
    case other(String)

    /// Whether git's in-memory cache is used instead.
    package var isAbsence: Bool {
        switch self {
        case .noBus, .noProvider, .noCollection, .notReady: true
        default: false
        }
    }

    /// Whether the service answers but has no collection, which another process may create at any time.
    package var lacksCollection: Bool { self == .noCollection || self == .notReady }

    /// Whether a credential that is not in memory is not stored at all.
    ///
    /// Without a session bus this is unknown: over SSH, for instance, the person's keyring may be open in another
    /// session.
    package var isSurelyEmpty: Bool { isAbsence && self != .noBus && self != .notReady }
}

/// The reason why a bus is not used: the process that listens there would get our tokens.
package enum BusRefusal: Error, Equatable {
    /// The address is not a Unix socket's; its beginning.
    case address(String)
    /// The bus is another user's; `bySudo` if that user runs this process as root.
    case user(UInt32, bySudo: Bool = false)
}
