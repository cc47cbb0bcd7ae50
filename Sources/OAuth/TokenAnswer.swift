internal import CredentialCore

/// The response of the token endpoint.
///
/// The body counts before the status: GitHub sends its errors with status 200, others with 400 or 401.
package enum TokenAnswer {
    /// A token.
    case success(TokenResponse)
    /// An OAuth error, with the `interval` that came with it, in seconds.
    case failure(OAuthErrorCode, interval: Int64?)
    /// The server has an error or is overloaded, and nothing is decided.
    ///
    /// `retryAfter` is in seconds.
    case unavailable(status: Int, retryAfter: Int64?)
    /// A response that OAuth does not define; its status, for the trace.
    case malformed(status: Int)

    /// Parses a response.
    ///
    /// An error together with a token counts as an error. A redirect is not followed.
    package init(_ response: HTTPResponse, _ dialect: OAuthDialect) {
        let isOverloaded = response.status == 429 || response.status >= 500
        let isRedirect = (300..<400).contains(response.status)
        let fields = isRedirect ? nil : AnswerFields(response)
        if let fields, fields.has("error") {
            let code = dialect.code(fields.text("error") ?? [])
            if isOverloaded, case .other = code {
                self = Self.unavailable(response)
            } else {
                self = .failure(code, interval: fields.seconds("interval"))
            }
        } else if isOverloaded || response.status == 403 || (fields == nil && !isRedirect && Self.isPage(response)) {
            // RFC 6749, 5.2, does not use 403, but rate limits do, and an HTML page comes from a proxy: neither decides
            // anything.
            self = Self.unavailable(response)
        } else if response.status == 200, let token = fields.flatMap({ TokenResponse($0, dialect) }) {
            self = .success(token)
        } else {
            self = .malformed(status: response.status)
        }
    }

    /// Whether the response is a page for people.
    private static func isPage(_ response: HTTPResponse) -> Bool {
        let html = "text/html"
        guard let type = response.header("content-type") else { return false }
        return ASCII.equalsIgnoringCase(type.prefix(html.utf8.count), html)
    }

    private static func unavailable(_ response: HTTPResponse) -> TokenAnswer {
        // A date instead of seconds, or an unreasonable number, counts as absent.
        let retryAfter = response.header("retry-after").flatMap(DecimalNumber.parse).flatMap { $0 <= 900 ? $0 : nil }
        return .unavailable(status: response.status, retryAfter: retryAfter)
    }
}
