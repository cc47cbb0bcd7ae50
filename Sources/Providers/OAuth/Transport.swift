package import CredentialCore

/// Every request has limits: 10 seconds to connect, 30 seconds in total, and its own deadline if it has one.
package protocol Transport: AnyObject {
    /// Nothing is repeated, and no redirect is followed.
    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse
}

/// Always https, and always to a URL that we built ourselves.
package struct HTTPRequest {
    package enum Method: String {
        case get = "GET"
        case post = "POST"
        case delete = "DELETE"
    }

    package enum Body {
        case none
        /// `application/x-www-form-urlencoded`: RFC 6749, RFC 8628.
        case form(Secret)
        /// `application/json`.
        case json(Secret)
    }

    package enum Authorization {
        case none
        /// `Authorization: Bearer`, RFC 6750, 2.1.
        case bearer(Secret)
        /// `Authorization: token`, as Gitea and Forgejo document it.
        case token(Secret)
        /// `Authorization: Basic`, RFC 7617: what git itself sends.
        case basic(username: String, password: Secret)
    }

    package var method: Method
    package var address: HTTPSAddress
    package var body: Body
    /// It is sent only to this URL, because redirects are never followed.
    package var authorization: Authorization
    /// A media type.
    package var accept: String
    /// Ctrl-C may not end it while a refresh token is being used: the new one would be lost.
    package var isInterruptible: Bool
    /// Milliseconds of uptime after which the response is of no use; nil if only the transport's own limits apply.
    package var deadline: Int64?
    /// Of the response, in bytes.
    package var largestBody: Int

    package init(
        _ method: Method, _ address: HTTPSAddress, body: Body = .none, authorization: Authorization = .none,
        accept: String = "application/json", isInterruptible: Bool = true, deadline: Int64? = nil,
        largestBody: Int = 65_536
    ) {
        self.method = method
        self.address = address
        self.body = body
        self.authorization = authorization
        self.accept = accept
        self.isInterruptible = isInterruptible
        self.deadline = deadline
        self.largestBody = largestBody
    }
}

/// Everything in it is untrusted.
package struct HTTPResponse {
    package var status: Int
    /// At most as long as the request allows.
    package var body: Secret
    /// In the order in which they arrived, with names in lower case; at most 64 KiB in total.
    package var headers: [(name: String, value: [UInt8])]

    package init(status: Int, body: Secret = Secret([]), headers: [(name: String, value: [UInt8])] = []) {
        self.status = status
        self.body = body
        self.headers = headers
    }

    /// The first of that name, which must be in lower case.
    package func header(_ name: String) -> [UInt8]? { headers.first { $0.name == name }?.value }
}

/// None of these is a reason to give up anything that is stored.
package enum TransportError: Error, Equatable {
    /// The name does not resolve, nothing listens there, or the connection broke.
    case unreachable
    /// It does not resolve, does not listen, or rejects the request; the key of git's configuration or the variable
    /// that sets it.
    case proxy(setting: DisplayText)
    /// It wants a name and a password (RFC 9110, 15.5.8); `login` if its address has a name and no password, and whether
    /// the stored one was sent.
    case proxySignIn(setting: DisplayText, login: DisplayText?, wasSent: Bool)
    /// Connecting took more than 10 seconds, or the request more than 30, or its deadline has passed.
    case timedOut
    /// The certificate is not trusted for this host, or TLS could not be negotiated.
    case untrusted
    /// The same, although a setting names the certificates to trust: the key of git's configuration or the variable.
    case untrustedBy(setting: DisplayText)
    /// None was shown, or it was of no use.
    case clientCertificate(ClientCertificateFault)
    /// By this machine's clock, the certificate has expired or is not valid yet.
    case outsideValidity(isExpired: Bool)
    /// The body exceeds what the request allows, or the header 64 KiB.
    case tooLarge
    /// It is not HTTP.
    case malformed
    /// Ctrl-C, or git has ended.
    case interrupted
    /// On this machine.
    case misconfigured(Misconfiguration)

    /// Later, without any change.
    ///
    /// A response that is too large arrived completely, over verified TLS: it is the server's answer, and not a network
    /// fault.
    var isTransient: Bool {
        switch self {
        case .unreachable, .proxy, .timedOut, .malformed: true
        case .proxySignIn, .clientCertificate, .untrusted, .untrustedBy, .outsideValidity, .tooLarge, .interrupted,
            .misconfigured:
            false
        }
    }
}

/// A host and the certificate that this machine shows do not go together.
package enum ClientCertificateFault: Equatable, Sendable {
    /// By a host that got none.
    case wanted
    /// By a host that ended the handshake without a reason, as in TLS 1.2 (RFC 5246, 7.4.6).
    case perhapsWanted
    case refused(setting: DisplayText)
    /// Its file, its key or the password do not fit; `protected` is the file whose password git looks up, if so.
    case unusable(setting: DisplayText, protected: DisplayText?)
}

/// A fault of the person's settings, without a secret.
package enum Misconfiguration: Equatable, Sendable {
    /// A setting that names a file or directory.
    package enum Setting: Equatable, Sendable {
        case certificateFile
        case certificateDirectory
        case clientCertificate
        case clientKey
    }

    /// It would depend on the directory in which git runs.
    case relativePath(Setting, String)
    /// Or missing, or of the wrong kind.
    case unreadable(Setting, String)
    /// The TLS library does not accept them; nil for those of the system.
    case certificates(String?)
    /// libcurl does not support it; without the proxy's password.
    case proxyScheme(DisplayText)
    /// libcurl does not accept it.
    case address(HTTPSAddress)
    /// It is not valid in a header field.
    case credential
    /// The client's private key does not sign.
    case signature
    /// No memory for a header field.
    case memory
    case libraryStart
    /// libcurl rejects it.
    case libraryOption(code: Int)
    /// libcurl lacks it.
    case libraryFeature(code: Int)
}
