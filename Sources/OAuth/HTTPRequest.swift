package import CredentialCore

/// One request to a provider: always https, always to an address that we put together ourselves.
package struct HTTPRequest {
    /// The methods in use.
    package enum Method: String {
        case get = "GET"
        case post = "POST"
    }

    /// What travels in the body.
    package enum Body {
        /// Nothing.
        case none
        /// `application/x-www-form-urlencoded`: RFC 6749, RFC 8628.
        case form(Secret)
        /// `application/json`.
        case json(Secret)
    }

    /// Who is asking.
    package enum Authorization {
        /// Nobody in particular.
        case none
        /// `Authorization: Bearer`, RFC 6750, 2.1.
        case bearer(Secret)
        /// `Authorization: Basic`, RFC 7617: what git itself sends.
        case basic(username: String, password: Secret)
    }

    /// The method.
    package var method: Method
    /// Where to.
    package var address: HTTPSAddress
    /// The body.
    package var body: Body
    /// The credential, which leaves for this address and no other: redirects are never followed.
    package var authorization: Authorization
    /// The media type asked for.
    package var accept: String
    /// Whether Ctrl-C may end the request.
    ///
    /// Not while a refresh token is being spent: its successor would be lost.
    package var isInterruptible: Bool
    /// When the answer is of no use any more, in milliseconds of uptime; nil if only the transport's own limits count.
    package var deadline: Int64?

    package init(
        _ method: Method, _ address: HTTPSAddress, body: Body = .none, authorization: Authorization = .none,
        accept: String = "application/json", isInterruptible: Bool = true, deadline: Int64? = nil
    ) {
        self.method = method
        self.address = address
        self.body = body
        self.authorization = authorization
        self.accept = accept
        self.isInterruptible = isInterruptible
        self.deadline = deadline
    }
}
