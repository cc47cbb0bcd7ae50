/// The behaviour of a new TCP connection before TLS and HTTP.
package enum Reception: String, Sendable {
    /// The server works.
    case served
    /// The server speaks HTTP without TLS.
    case plainHTTP
    /// The connection is accepted, and no byte is ever sent.
    case silent
    /// The connection is accepted and closed at once.
    case hungUp
}
