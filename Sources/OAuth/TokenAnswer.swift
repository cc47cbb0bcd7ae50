internal import CredentialCore

/// What the token endpoint said.
///
/// The body counts first, the status second: GitHub reports its errors with 200, others with 400 or 401.
package enum TokenAnswer {
    /// A token.
    case success(TokenResponse)
    /// An OAuth error, with the `interval` that came with it, in seconds.
    case failure(OAuthErrorCode, interval: Int64?)
    /// The server is in trouble or overloaded; nothing is decided. `retryAfter` is in seconds.
    case unavailable(status: Int, retryAfter: Int64?)
    /// Not an answer that OAuth knows: the status, for the trace.
    case malformed(status: Int)

    /// Reads an answer.
    ///
    /// An error beside a token is an error; a redirect is none of ours.
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
            // 403 is no status of RFC 6749, 5.2, but one of rate limits, and a page is a proxy's: neither decides anything.
            self = Self.unavailable(response)
        } else if response.status == 200, let token = fields.flatMap({ TokenResponse($0, dialect) }) {
            self = .success(token)
        } else {
            self = .malformed(status: response.status)
        }
    }

    /// Whether a person was meant to read the answer.
    private static func isPage(_ response: HTTPResponse) -> Bool {
        let html = "text/html"
        guard let type = response.header("content-type") else { return false }
        return ASCII.equalsIgnoringCase(type.prefix(html.utf8.count), html)
    }

    private static func unavailable(_ response: HTTPResponse) -> TokenAnswer {
        // A date instead of seconds, or a number beyond reason, counts as absent.
        let retryAfter = response.header("retry-after").flatMap(DecimalNumber.parse).flatMap { $0 <= 900 ? $0 : nil }
        return .unavailable(status: response.status, retryAfter: retryAfter)
    }
}
