package import CredentialCore

/// ④ RFC 6749, section 6.
///
/// A refresh token is used up by sending it, so it is sent only once.
package enum RefreshRequest {
    package enum Outcome {
        /// Without a new refresh token, the old one stays valid.
        case renewed(TokenResponse)
        /// The refresh token was already used, was revoked or has expired.
        case spent(OAuthErrorCode)
        /// The server does not refresh, for a reason that is not about the refresh token, which may still be valid.
        case refused(OAuthErrorCode)
        /// Or the response decides nothing: everything stays as it was.
        case failed(TransportError)
        /// Or a response that OAuth does not define.
        case unavailable(status: Int)
    }

    /// It cannot be interrupted, because its response may be the only copy of a new pair.
    package static func send(_ refreshToken: Secret, client: OAuthClient, over transport: any Transport) -> Outcome {
        var form = FormBuilder()
        form.add("client_id", client.id.utf8)
        form.add("grant_type", "refresh_token".utf8)
        form.add("refresh_token", refreshToken)
        let response: HTTPResponse
        do {
            response = try transport.send(client.request(to: client.server.token, form, isInterruptible: false))
        } catch {
            return .failed(error)
        }
        switch TokenAnswer(response, client.server) {
        case .success(let token): return .renewed(token)
        case .failure(.authorizationPending, _), .failure(.slowDown, _): return .unavailable(status: response.status)
        case .failure(let code, _):
            return isFinal(code, of: client) ? .spent(code) : .refused(code)
        // One provider answers like this for a token that it has revoked.
        case .malformed(status: 400) where response.body.isEmpty: return .spent(.invalidGrant)
        case .unavailable(let status, _), .malformed(let status): return .unavailable(status: status)
        }
    }

    /// Every other error is about the request: a client ID or secret may be mistyped today and correct tomorrow.
    private static func isFinal(_ code: OAuthErrorCode, of client: OAuthClient) -> Bool {
        switch code {
        case .invalidGrant, .expiredToken: true
        // If we send no secret, the secret cannot be wrong: GitHub sends this code for another client's token.
        case .incorrectClientCredentials: !client.authentication.isPresent
        case .unauthorizedClient: client.server.blamesClient
        default: false
        }
    }
}
