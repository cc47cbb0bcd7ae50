/// Why the front door does not answer by itself.
///
/// None of these is an error: the full program takes over.
package enum FallbackReason: Error, Equatable {
    /// There is no bus: there is no address for one, or nothing listens there.
    case noBus
    /// The bus may be somebody else's.
    case foreignBus
    /// There is a bus, but no keyring runs on it.
    case noService
    /// The address of the bus names several sockets.
    case address
    /// The bus or the keyring went away in the middle.
    case connection
    /// A quarter of a second has passed.
    case deadline
    /// The bus or the keyring answered with an error; for example, it refused the session.
    case refused
    /// An unexpected message, or one beyond our limits.
    case oddMessage
    /// The keyring or a matching item is locked: a person may have to unlock it.
    case locked
    /// Not decided here: several items must be ranked, an item gave no secret, or the request is beyond our limits.
    case ambiguous
}
