package import CredentialCore

/// Sends requests with limits: 10 seconds to connect, 30 in total, and a request's own deadline.
package protocol Transport: AnyObject {
    /// Sends a request once, and follows no redirect.
    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse
}

package struct HTTPRequest {
    package enum Method: String {
        case get = "GET"
        case post = "POST"
        case delete = "DELETE"
    }

    package enum Body {
        case none
        /// A form, `application/x-www-form-urlencoded` (RFC 6749, RFC 8628).
        case form(Secret)
        case json(Secret)
        /// A body that is streamed, in chunks unless its length is known.
        case stream(length: Int64?)
    }

    package enum Authorization {
        case none
        /// `Authorization: Bearer` (RFC 6750, 2.1).
        case bearer(Secret)
        /// `Authorization: token`, as Gitea and Forgejo document it.
        case token(Secret)
        /// `Authorization: Basic` (RFC 7617), as from git.
        case basic(username: String, password: Secret)
    }

    package var method: Method
    package var address: HTTPSAddress
    package var body: Body
    /// The authorization, sent only to this URL, since redirects are never followed.
    package var authorization: Authorization
    /// Header fields besides authorization, type and length.
    package var fields: [(name: String, value: String)]
    /// Whether Ctrl-C may end the request: a refresh that is interrupted would lose the new token.
    package var isInterruptible: Bool
    /// Milliseconds of uptime after which the response is useless, or `nil` for the transport's limits alone.
    package var deadline: Int64?
    /// The most bytes of the response's body.
    package var largestBody: Int

    package init(
        _ method: Method, _ address: HTTPSAddress, body: Body = .none, authorization: Authorization = .none,
        fields: [(name: String, value: String)] = [("Accept", "application/json")], isInterruptible: Bool = true,
        deadline: Int64? = nil, largestBody: Int = 65_536
    ) {
        self.method = method
        self.address = address
        self.body = body
        self.authorization = authorization
        self.fields = fields
        self.isInterruptible = isInterruptible
        self.deadline = deadline
        self.largestBody = largestBody
    }
}

/// A response, all of which is untrusted.
package struct HTTPResponse {
    package var status: Int
    /// The body, at most as long as the request allows.
    package var body: Secret
    /// The headers as they arrived, with names in lower case; at most 64 KiB in total.
    package var headers: [(name: String, value: [UInt8])]

    package init(status: Int, body: Secret = Secret([]), headers: [(name: String, value: [UInt8])] = []) {
        self.status = status
        self.body = body
        self.headers = headers
    }

    /// Returns the first header; the name must be in lower case.
    package func header(_ name: String) -> [UInt8]? { headers.first { $0.name == name }?.value }
}

/// An error of the transport, which is never a reason to drop anything stored.
package enum TransportError: Error, Equatable {
    /// The name does not resolve, no process listens there, or the connection broke.
    case unreachable
    /// The proxy does not resolve, does not listen, or rejects the request; the setting or variable that names it.
    case proxy(setting: DisplayText)
    /// The proxy requires a name and a password (RFC 9110, 15.5.8); `login` is its address if it has a name without a
    /// password, and `wasSent` whether a stored password was sent.
    case proxySignIn(setting: DisplayText, login: DisplayText?, wasSent: Bool)
    /// Connecting took more than 10 seconds, or the request more than 30, or its deadline has passed.
    case timedOut
    /// The certificate is not trusted for this host, or TLS could not be negotiated.
    case untrusted
    /// The certificate is not trusted although this setting or variable names trusted ones.
    case untrustedBy(setting: DisplayText)
    case clientCertificate(ClientCertificateFault)
    /// The certificate has expired or is not valid yet, by this machine's clock.
    case outsideValidity(isExpired: Bool)
    /// The body exceeds `largestBody`, or the header 64 KiB.
    case tooLarge
    /// The answer is not HTTP.
    case malformed
    /// The person pressed Ctrl-C, or git ended.
    case interrupted
    case misconfigured(Misconfiguration)

    /// Whether a later request may succeed without any change.
    ///
    /// `.tooLarge` is not transient: it is the server's answer, not a network fault.
    var isTransient: Bool {
        switch self {
        case .unreachable, .proxy, .timedOut, .malformed: true
        case .proxySignIn, .clientCertificate, .untrusted, .untrustedBy, .outsideValidity, .tooLarge, .interrupted,
            .misconfigured:
            false
        }
    }
}

/// A mismatch between a host and this machine's client certificate.
package enum ClientCertificateFault: Equatable, Sendable {
    /// The host requires a certificate and got none.
    case wanted
    /// The host ended the handshake without a reason, as in TLS 1.2 (RFC 5246, 7.4.6).
    case perhapsWanted
    case refused(setting: DisplayText)
    /// The file, its key or the password do not fit; `protected` is the file if git looks its password up.
    case unusable(setting: DisplayText, protected: DisplayText?)
}

/// A fault of this machine's settings; contains no secret.
package enum Misconfiguration: Equatable, Sendable {
    package enum Setting: Equatable, Sendable {
        case certificateFile
        case certificateDirectory
        case clientCertificate
        case clientKey
    }

    /// A relative path would depend on the directory in which git runs.
    case relativePath(Setting, String)
    /// The file is unreadable, missing, or of the wrong kind.
    case unreadable(Setting, String)
    /// The TLS library rejects the certificates; `nil` for the system's.
    case certificates(String?)
    /// libcurl does not support the scheme of this proxy, shown without its password.
    case proxyScheme(DisplayText)
    /// libcurl rejects the address.
    case address(HTTPSAddress)
    /// The credential is not valid in a header field.
    case credential
    /// The client's private key cannot sign.
    case signature
    case memory
    case libraryStart
    case libraryOption(code: Int)
    case libraryFeature(code: Int)
}
