package import CredentialCore

/// Why no answer came.
///
/// Nothing that is stored may be given up for any of these.
package enum TransportError: Error, Equatable {
    /// The name does not resolve, nobody listens, or the connection broke.
    case unreachable
    /// The proxy does not resolve, does not listen, or refuses; the key of git's configuration or the variable that names
    /// it.
    case proxy(setting: DisplayText)
    /// Connecting took more than 10 seconds, or the request more than 30, or its deadline has passed.
    case timedOut
    /// The certificate is not one that we trust for this host, or no TLS could be agreed on.
    case untrusted
    /// The body or the header exceeds 64 KiB.
    case tooLarge
    /// What came is no HTTP.
    case malformed
    /// Ctrl-C, or git is gone.
    case interrupted
    /// Something on this side is unusable.
    case misconfigured(Misconfiguration)

    /// Whether the same request may succeed a little later without anybody's help.
    ///
    /// What is too large has come the whole way, over verified TLS: it is the server's answer, and no fault.
    var mayPass: Bool {
        switch self {
        case .unreachable, .proxy, .timedOut, .malformed: true
        case .untrusted, .tooLarge, .interrupted, .misconfigured: false
        }
    }
}

/// What on this side keeps a request from being sent; nothing of it is a secret.
package enum Misconfiguration: Equatable, Sendable {
    /// A setting that names a place in the file system.
    package enum Setting: Equatable, Sendable {
        case certificateFile
        case certificateDirectory
    }

    /// A path that would depend on the folder in which git happens to run.
    case relativePath(Setting, String)
    /// A file or directory that is not there, is none, or may not be read.
    case unreadable(Setting, String)
    /// Certificates that the TLS library does not take; nil for the system's own.
    case certificates(String?)
    /// A proxy of a kind that libcurl does not know, without its password.
    case proxyScheme(DisplayText)
    /// An address that libcurl does not take.
    case address(HTTPSAddress)
    /// A credential that cannot stand in a header field.
    case credential
    /// No memory for a header field.
    case memory
    /// libcurl cannot be started.
    case libraryStart
    /// libcurl refuses an option, with that code.
    case libraryOption(code: Int)
    /// libcurl lacks something that is needed, and says so by that code.
    case libraryFeature(code: Int)
}
