package import CredentialCore

/// Sends requests to a provider.
///
/// Every request has limits: 10 seconds to connect, 30 seconds in total, and its own deadline if it has one.
package protocol Transport: AnyObject {
    /// Sends one request and reads the whole response.
    ///
    /// Nothing is repeated, and no redirect is followed.
    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse
}

/// A request to a provider: always https, and always to a URL that we built ourselves.
package struct HTTPRequest {
    /// The methods that we use.
    package enum Method: String {
        case get = "GET"
        case post = "POST"
        case delete = "DELETE"
    }

    /// The content of the body.
    package enum Body {
        /// No body.
        case none
        /// `application/x-www-form-urlencoded`: RFC 6749, RFC 8628.
        case form(Secret)
        /// `application/json`.
        case json(Secret)
    }

    /// The credential of the request.
    package enum Authorization {
        /// None.
        case none
        /// `Authorization: Bearer`, RFC 6750, 2.1.
        case bearer(Secret)
        /// `Authorization: token`, as Gitea and Forgejo document it.
        case token(Secret)
        /// `Authorization: Basic`, RFC 7617: what git itself sends.
        case basic(username: String, password: Secret)
    }

    /// The method.
    package var method: Method
    /// The URL.
    package var address: HTTPSAddress
    /// The body.
    package var body: Body
    /// The credential, which is sent only to this URL, because redirects are never followed.
    package var authorization: Authorization
    /// The requested media type.
    package var accept: String
    /// Whether Ctrl-C may end the request.
    ///
    /// It may not while a refresh token is being used: the new one would be lost.
    package var isInterruptible: Bool
    /// When the response is of no use any more, in milliseconds of uptime; nil if only the transport's own limits
    /// apply.
    package var deadline: Int64?
    /// The most bytes of the response's body.
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

/// A provider's response.
///
/// Everything in it is untrusted.
package struct HTTPResponse {
    /// The status code.
    package var status: Int
    /// The body, at most as long as the request allows.
    package var body: [UInt8]
    /// The header fields in the order in which they arrived, with names in lower case; at most 64 KiB in total.
    package var headers: [(name: String, value: [UInt8])]

    package init(status: Int, body: [UInt8] = [], headers: [(name: String, value: [UInt8])] = []) {
        self.status = status
        self.body = body
        self.headers = headers
    }

    /// The first header field with that name, which must be in lower case.
    package func header(_ name: String) -> [UInt8]? { headers.first { $0.name == name }?.value }
}

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
