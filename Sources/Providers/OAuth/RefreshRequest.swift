package import CredentialCore

/// ④ Refreshing an access token, RFC 6749, section 6.
///
/// A refresh token is used up by sending it, so it is sent only once.
package enum RefreshRequest {
    /// The result of sending a refresh token.
    package enum Outcome {
        /// A new access token, perhaps with a new refresh token; without one, the old one stays valid.
        case renewed(TokenResponse)
        /// The refresh token was already used, was revoked or has expired.
        case spent(OAuthErrorCode)
        /// The server does not refresh, for a reason that is not about the refresh token, which may still be valid.
        case refused(OAuthErrorCode)
        /// No response, or one that decides nothing: everything stays as it was.
        case failed(TransportError)
        /// Server error, or a response that OAuth does not define; its status.
        case unavailable(status: Int)
    }

    /// Sends the refresh token.
    ///
    /// - Parameters:
    ///   - refreshToken: the refresh token, which is used up.
    ///   - client: the client that the grant belongs to.
    ///   - transport: sends the request, which cannot be interrupted, because its response may be the only copy of a
    ///     new pair.
    /// - Returns: what became of the refresh token.
    package static func send(_ refreshToken: Secret, client: OAuthClient, over transport: any Transport) -> Outcome {
        var form = FormBuilder()
        form.add("client_id", client.id.utf8)
        form.add("grant_type", "refresh_token".utf8)
        form.add("refresh_token", refreshToken)
        let response: HTTPResponse
        do {
            response = try transport.send(client.request(to: client.endpoints.token, form, isInterruptible: false))
        } catch {
            return .failed(error)
        }
        switch TokenAnswer(response, client.dialect) {
        case .success(let token): return .renewed(token)
        case .failure(.authorizationPending, _), .failure(.slowDown, _): return .unavailable(status: response.status)
        case .failure(let code, _):
            return isFinal(code, withSecret: client.authentication.isPresent) ? .spent(code) : .refused(code)
        // One provider answers like this for a token that it has revoked.
        case .malformed(status: 400) where response.body.isEmpty: return .spent(.invalidGrant)
        case .unavailable(let status, _), .malformed(let status): return .unavailable(status: status)
        }
    }

    /// Whether the error is about the refresh token.
    ///
    /// Every other error is about the request: a client ID or secret may be mistyped today and correct tomorrow.
    private static func isFinal(_ code: OAuthErrorCode, withSecret: Bool) -> Bool {
        switch code {
        case .invalidGrant, .expiredToken: true
        // If we send no secret, the secret cannot be wrong: GitHub sends this code for another client's token.
        case .incorrectClientCredentials: !withSecret
        default: false
        }
    }
}
