package import Messages
package import OAuth

extension TransportError {
    /// What failed, for people.
    package func sentence(host: String) -> Message {
        switch self {
        case .unreachable: Message("cannot reach %1$s", host)
        case .proxy: Message("cannot reach %1$s through the proxy", host)
        case .timedOut: Message("%1$s did not answer in time", host)
        case .untrusted: Message("the certificate of %1$s is not trusted", host)
        case .tooLarge, .malformed: Message("%1$s answered with something that is no answer", host)
        case .interrupted: Message("interrupted while %1$s was asked", host)
        case .misconfigured(let setting): Message("cannot reach %1$s: %2$s", host, setting)
        }
    }

    /// What to do about it.
    package var hints: [Message] {
        switch self {
        case .unreachable, .timedOut: [Message("try again when the network is back")]
        case .proxy: [Message("look at what git uses:"), .command("git config --get-all http.proxy")]
        case .untrusted:
            [
                Message("if your network inspects TLS, name its certificate:"),
                .command("git config --global http.sslCAInfo <file>"),
            ]
        case .tooLarge, .malformed, .interrupted, .misconfigured: []
        }
    }
}
