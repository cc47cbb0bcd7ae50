/// Why the front door does not answer itself.
///
/// None of these is an error: the full program knows what to do.
package enum FallbackReason: Error, Equatable {
    /// The bus is not a plain Unix socket, or there is none.
    case address
    /// The bus or the keyring cannot be reached, or is gone in the middle.
    case connection
    /// A quarter of a second has passed.
    case deadline
    /// The bus or the keyring answered with an error: no service, a refused session, ….
    case refused
    /// A message that we did not expect, or one beyond our bounds.
    case oddMessage
    /// A locked item matches: somebody must be asked.
    case locked
    /// More than a request can mean: several items must be ranked, or the request itself is beyond our bounds.
    case ambiguous
}
