/// Why the front door does not answer itself.
///
/// None of these is an error: the full program knows what to do.
package enum FallbackReason: Error, Equatable {
    /// There is no bus: no address leads to one, or nobody listens there.
    case noBus
    /// There is a bus, and no keyring runs on it.
    case noService
    /// The bus is not a plain Unix socket.
    case address
    /// The bus or the keyring is gone in the middle.
    case connection
    /// A quarter of a second has passed.
    case deadline
    /// The bus or the keyring answered with an error: a refused session, ….
    case refused
    /// A message that we did not expect, or one beyond our bounds.
    case oddMessage
    /// A locked item matches: somebody must be asked.
    case locked
    /// More than a request can mean: several items must be ranked, or the request itself is beyond our bounds.
    case ambiguous
}
