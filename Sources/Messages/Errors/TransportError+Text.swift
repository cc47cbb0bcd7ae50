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
                    Message("%1$s names the proxy; to see it:", setting),
                    // A variable has no dot, a key of git's configuration always has one.
                    setting.text.utf8.contains(UInt8(ascii: "."))
                        ? .command("git config --show-origin --get-all \(word: setting)")
                        : .command("printenv \(word: setting)"),
                ])
        case .untrusted:
            ErrorText(
                Message("the certificate of %1$s is not trusted", host),
                [
                    Message("if your network inspects TLS, name its certificate:"),
                    .command("git config --global http.sslCAInfo <file>"),
                ])
        case .tooLarge, .malformed: ErrorText(Message("%1$s answered with something that is no answer", host))
        case .interrupted: ErrorText(Message("interrupted while %1$s was asked", host))
        case .misconfigured(let reason): ErrorText(Message("cannot reach %1$s: %2$s", host, reason.what))
        }
    }

    private static let later = [Message("try again when the network is back")]
}

extension Misconfiguration {
    /// What on this side is unusable.
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
        case .credential: Message("a credential holds a byte that cannot stand in a header field")
        case .memory: Message("there is no memory for a header field")
        case .libraryStart: Message("libcurl cannot be started")
        case .libraryOption(let code): Message("this libcurl refuses an option that is needed (code %1$s)", code)
        case .libraryFeature(let code): Message("this libcurl cannot do what is needed (code %1$s)", code)
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
