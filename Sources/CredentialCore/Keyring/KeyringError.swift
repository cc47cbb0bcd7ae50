/// An error of a keyring; finding no item is not an error.
package enum KeyringError: Error, Equatable {
    case noBus
    case foreignBus(BusRefusal)
    case noProvider
    /// The service has no collection, and none can be created.
    case noCollection
    /// The service lists a collection whose object does not exist: gnome-keyring 42 and 48, in the session in which PAM
    /// has made the keyring.
    ///
    /// A new collection would become the default, and no login would unlock it, so none is created.
    case notReady
    case noSuchCollection(DisplayText)
    case locked
    case dismissed
    case unresponsive(seconds: Int)
    /// The service refused without a reason.
    case denied
    /// The daemon ended during a call.
    case disconnected
    /// The service refused to open a session for secrets, or has forgotten it, or decryption fails.
    case noSession
    /// KWallet refuses every session: its library for encryption (QCA) has no plugin for libcrypto.
    case noPlugin
    /// The credential is not UTF-8, or contains a line end.
    case unstorable
    case unconfigured(ConfigurationError)
    /// The person pressed Ctrl-C, or git ended.
    case interrupted
    /// A requested object no longer exists; the meaning depends on the object.
    case noSuchObject
    /// The service reported no error for a save, but the secret is not stored.
    case notKept
    /// The library's words, for the trace only.
    case other(String)

    /// Whether git's in-memory cache is used instead.
    package var isAbsence: Bool { isMissing || self == .noCollection || self == .notReady }

    /// Whether there is no service at all.
    package var isMissing: Bool { self == .noBus || self == .noProvider }

    /// Whether a credential that is not in the cache is not stored at all.
    ///
    /// Without a session bus, this is unknown: over SSH, for instance, the person's keyring may be open in another
    /// session.
    package var isSurelyEmpty: Bool { isAbsence && self != .noBus && self != .notReady }
}

/// The reason why a bus is not used: its owner would get our tokens.
package enum BusRefusal: Error, Equatable {
    /// The beginning of an address that is not a Unix socket's.
    case address(String)
    /// The other user's ID; `bySudo` if that user runs this process as root.
    case user(UInt32, bySudo: Bool = false)
}
