package import Messages

/// Why no answer came.
///
/// All of these are faults on the way: nothing that is stored may be given up for them.
package enum TransportError: Error, Equatable {
    /// The name does not resolve, nobody listens, or the connection broke.
    case unreachable
    /// The proxy does not resolve, does not listen, or refuses.
    case proxy
    /// Connecting took more than 10 seconds, or the request more than 30.
    case timedOut
    /// The certificate is not one that we trust for this host, or no TLS could be agreed on.
    case untrusted
    /// The body or the header exceeds 64 KiB.
    case tooLarge
    /// What came is no HTTP.
    case malformed
    /// Ctrl-C, or git is gone.
    case interrupted
    /// The certificate file, a proxy address or another setting is unusable; the text names it and holds no secret.
    case misconfigured(Message)

    /// Whether the same request may succeed a little later without anybody's help.
    var mayPass: Bool {
        switch self {
        case .unreachable, .proxy, .timedOut, .tooLarge, .malformed: true
        case .untrusted, .interrupted, .misconfigured: false
        }
    }
}
