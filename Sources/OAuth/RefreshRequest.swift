package import CredentialCore

/// ④ Refreshing an access token, RFC 6749, section 6.
///
/// A refresh token is spent by being sent, so it is sent once.
package enum RefreshRequest {
    /// What became of the refresh token.
    package enum Outcome {
        /// A new access token, perhaps with a new refresh token; without one the old one stays good.
        case renewed(TokenResponse)
        /// The refresh token is spent, withdrawn or ended.
        case spent(OAuthErrorCode)
        /// The server will not renew, for a reason that says nothing about the refresh token: it may serve tomorrow.
        case refused(OAuthErrorCode)
        /// No answer, or one that decides nothing: everything stays as it was.
        case failed(TransportError)
        /// The server is in trouble, or speaks in riddles; its status.
        case unavailable(status: Int)
    }

    /// Sends the refresh token.
    ///
    /// - Parameters:
    ///   - refreshToken: the one that is spent.
    ///   - client: the one that the grant belongs to.
    ///   - transport: the way; the request cannot be interrupted, since its answer may be the only copy of a new pair.
    /// - Returns: what became of the refresh token.
    package static func send(_ refreshToken: Secret, client: OAuthClient, over transport: any Transport) -> Outcome {
        var form = FormBuilder()
        form.add("client_id", client.id.utf8)
        form.add("grant_type", "refresh_token".utf8)
        form.add("refresh_token", refreshToken)
        if let secret = client.secret { form.add("client_secret", secret) }
        let request = HTTPRequest(.post, client.endpoints.token, body: form.finish(), isInterruptible: false)
        let response: HTTPResponse
        do {
            response = try transport.send(request)
        } catch {
            return .failed(error)
        }
        switch TokenAnswer(response, client.dialect) {
        case .success(let token): return .renewed(token)
        case .failure(.authorizationPending, _), .failure(.slowDown, _): return .unavailable(status: response.status)
        case .failure(let code, _):
            return isFinal(code, withSecret: client.secret != nil) ? .spent(code) : .refused(code)
        // A provider was seen to say so of a token that it had withdrawn.
        case .malformed(status: 400) where response.body.isEmpty: return .spent(.invalidGrant)
        case .unavailable(let status, _), .malformed(let status): return .unavailable(status: status)
        }
    }

    /// Whether the error is about the refresh token.
    ///
    /// Any other is about the request: a client ID or secret may be mistyped today and right tomorrow.
    private static func isFinal(_ code: OAuthErrorCode, withSecret: Bool) -> Bool {
        switch code {
        case .invalidGrant, .expiredToken: true
        // Without a secret of ours it cannot be the secret that is wrong: GitHub says so of another client's token.
        case .incorrectClientCredentials: !withSecret
        default: false
        }
    }
}
