package import CredentialCore

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
