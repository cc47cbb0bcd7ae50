internal import OAuth

extension TransportError {
    /// What failed, for people.
    func sentence(host: String) -> String {
        switch self {
        case .unreachable: "cannot reach \(host)"
        case .proxy: "cannot reach \(host) through the proxy"
        case .timedOut: "\(host) did not answer in time"
        case .untrusted: "the certificate of \(host) is not trusted"
        case .tooLarge, .malformed: "\(host) answered with something that is no answer"
        case .interrupted: "interrupted while \(host) was asked"
        case .misconfigured(let setting): "cannot reach \(host): \(setting)"
        }
    }

    /// What to do about it.
    var hints: [String] {
        switch self {
        case .unreachable, .timedOut: ["try again when the network is back"]
        case .proxy: ["look at what git uses:", "  git config --get-all http.proxy"]
        case .untrusted:
            ["if your network inspects TLS, name its certificate:", "  git config --global http.sslCAInfo <file>"]
        case .tooLarge, .malformed, .interrupted, .misconfigured: []
        }
    }
}
