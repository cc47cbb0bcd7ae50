/// Why the keyring could not do what it was asked.
///
/// "Nothing found" is no error, and no error means "nothing found".
package enum KeyringError: Error, Equatable {
    /// There is no session bus to ask on.
    case noBus
    /// There is a bus, but no program on it offers a keyring.
    case noProvider
    /// There is a keyring service without any collection to keep an item in, and nobody to make one.
    case noCollection
    /// Locked, and no password prompt can be shown here.
    case locked
    /// A person closed the password prompt.
    case dismissed
    /// The service did not answer within so many seconds.
    case unresponsive(seconds: Int)
    /// The service refused, without saying anything that helps a person.
    case denied
    /// The service vanished in the middle of a call.
    case disconnected
    /// The text or attributes cannot be stored: not UTF-8, or not a line.
    case unstorable
    /// Nobody knows in which place the person wants credentials kept.
    case unconfigured(ConfigurationError)
    /// Ctrl-C, or git is gone.
    case interrupted
    /// Anything else, in the words of the library below; for the trace, not for people.
    case other(String)

    /// Whether there is no keyring here at all, so that git's in-memory cache takes its place.
    package var isAbsence: Bool {
        switch self {
        case .noBus, .noProvider, .noCollection: true
        default: false
        }
    }
}
