/// What a new TCP connection meets, before any TLS or HTTP.
package enum Reception: String, Sendable {
    /// A server.
    case served
    /// A server that speaks HTTP without TLS.
    case plainHTTP
    /// Nothing: it is taken, and not even a TLS handshake follows.
    case silent
    /// The end: it is taken and closed at once.
    case hungUp
}
