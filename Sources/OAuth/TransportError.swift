package import CredentialCore

/// Why there is no response.
///
/// None of these is a reason to give up anything that is stored.
package enum TransportError: Error, Equatable {
    /// The name does not resolve, nothing listens there, or the connection broke.
    case unreachable
    /// The proxy does not resolve, does not listen, or rejects the request; the key of git's configuration or the
    /// variable that sets it.
    case proxy(setting: DisplayText)
    /// Connecting took more than 10 seconds, or the request more than 30, or its deadline has passed.
    case timedOut
    /// The certificate is not trusted for this host, or TLS could not be negotiated.
    case untrusted
    /// The same, although a setting names the certificates to trust: the key of git's configuration or the variable.
    case untrustedBy(setting: DisplayText)
    /// The body exceeds what the request allows, or the header 64 KiB.
    case tooLarge
    /// The response is not HTTP.
    case malformed
    /// Ctrl-C, or git has ended.
    case interrupted
    /// Something on this machine prevents the request.
    case misconfigured(Misconfiguration)

    /// Whether the same request may succeed later without any change.
    ///
    /// A response that is too large arrived completely, over verified TLS: it is the server's answer, and not a network
    /// fault.
    var mayPass: Bool {
        switch self {
        case .unreachable, .proxy, .timedOut, .malformed: true
        case .untrusted, .untrustedBy, .tooLarge, .interrupted, .misconfigured: false
        }
    }
}

/// What prevents a request on this machine; it contains no secret.
package enum Misconfiguration: Equatable, Sendable {
    /// A setting that names a file or directory.
    package enum Setting: Equatable, Sendable {
        case certificateFile
        case certificateDirectory
    }

    /// A relative path, which would depend on the directory in which git runs.
    case relativePath(Setting, String)
    /// A file or directory that does not exist, is of the wrong kind, or cannot be read.
    case unreadable(Setting, String)
    /// Certificates that the TLS library does not accept; nil for those of the system.
    case certificates(String?)
    /// A proxy with a scheme that libcurl does not support, without its password.
    case proxyScheme(DisplayText)
    /// A URL that libcurl does not accept.
    case address(HTTPSAddress)
    /// A credential that is not valid in a header field.
    case credential
    /// The client's private key does not sign.
    case signature
    /// No memory for a header field.
    case memory
    /// libcurl cannot be started.
    case libraryStart
    /// libcurl rejects an option, with this code.
    case libraryOption(code: Int)
    /// libcurl lacks something that is needed; its code.
    case libraryFeature(code: Int)
}
