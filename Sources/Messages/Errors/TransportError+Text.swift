package import CredentialCore
package import OAuth

extension TransportError {
    /// Why a host could not be asked.
    package func words(host: DisplayText) -> ErrorText {
        switch self {
        case .unreachable: ErrorText(Message("cannot reach %1$s", host), Self.later)
        case .timedOut: ErrorText(Message("%1$s did not answer in time", host), Self.later)
        case .proxy(let setting):
            ErrorText(
                Message("cannot reach %1$s through the proxy", host),
                [
                    Message("the proxy is set by %1$s; to see it:", setting), Self.showing(setting),
                ])
        case .untrustedBy(let setting):
            ErrorText(
                Message("the certificate of %1$s is not trusted", host),
                [
                    Message("the certificates to trust are set by %1$s; to see it:", setting), Self.showing(setting),
                ])
        case .untrusted:
            ErrorText(
                Message("the certificate of %1$s is not trusted", host),
                [
                    Message("if your network inspects TLS traffic, add its certificate:"),
                    .command("git config --global http.sslCAInfo /path/to/certificate.pem"),
                ])
        case .tooLarge, .malformed: ErrorText(Message("%1$s sent an unexpected response", host))
        case .interrupted: ErrorText(Message("interrupted while waiting for %1$s", host))
        case .misconfigured(let reason): ErrorText(Message("cannot reach %1$s: %2$s", host, reason.what))
        }
    }

    /// The command that shows a setting: a variable has no dot, a key of git's configuration always has one.
    private static func showing(_ setting: DisplayText) -> Message {
        setting.text.utf8.contains(UInt8(ascii: "."))
            ? .command("git config --show-origin --get-all \(word: setting)")
            : .command("printenv \(word: setting)")
    }

    private static let later = [Message("try again when the network is back")]
}

extension Misconfiguration {
    /// What is wrong on this side.
    package var what: Message {
        switch self {
        case .relativePath(let place, let path):
            Message("the %1$s '%2$s' is not an absolute path", place.name, DisplayText(own: path))
        case .unreadable(let place, let path):
            Message("the %1$s '%2$s' cannot be read", place.name, DisplayText(own: path))
        case .certificates(let path?): Message("the certificates in %1$s cannot be used", DisplayText(own: path))
        case .certificates(nil): Message("the system's certificates cannot be used")
        case .proxyScheme(let proxy): Message("the proxy %1$s has a scheme that is not supported", proxy)
        case .address(let address): Message("the address %1$s cannot be used", address)
        case .credential: Message("the credential contains a byte that is not allowed in an HTTP header")
        case .signature: Message("the client's private key could not sign")
        case .memory: Message("out of memory")
        case .libraryStart: Message("libcurl could not be initialized")
        case .libraryOption(let code): Message("this libcurl does not accept a required option (code %1$s)", code)
        case .libraryFeature(let code): Message("this libcurl lacks a required feature (code %1$s)", code)
        }
    }
}

extension Misconfiguration.Setting {
    fileprivate var name: Message {
        switch self {
        case .certificateFile: Message("certificate file")
        case .certificateDirectory: Message("certificate directory")
        }
    }
}
