package import CredentialCore

package struct RevocableGrant {
    package let accessToken: Secret?
    /// The refresh token, which may outlive the access token (RFC 7009, 2.1).
    package let refreshToken: Secret?
    /// The client, or `nil` for a token that a person created.
    package let client: OAuthClient?

    package init(accessToken: Secret?, refreshToken: Secret?, client: OAuthClient?) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.client = client
    }

    package var tokens: [Secret] { [accessToken, refreshToken].compactMap(\.self).filter { !$0.isEmpty } }
}

package enum RevocationOutcome: Equatable {
    /// The tokens are revoked, or were invalid before (RFC 7009, 2.2).
    case accepted
    /// The server cannot revoke; the person can withdraw the app's access on a page.
    case unsupported
    case refused(status: Int)
    case failed(TransportError)

    /// Sends a request, and accepts the answer by its status.
    init(_ request: HTTPRequest, over transport: any Transport, accepting accepts: (Int) -> Bool) {
        do {
            let status = try transport.send(request).status
            self = accepts(status) ? .accepted : .refused(status: status)
        } catch {
            self = .failed(error)
        }
    }

    /// Revokes the grants at their own servers by RFC 7009, refresh token first, which should end the access token too;
    /// the reverse is not required (2.1).
    ///
    /// Nothing is sent unless all tokens can be revoked: one without a client, or of a server without a revocation
    /// endpoint, would stay valid. A refresh token goes only to the origin of its token endpoint.
    init(revoking grants: [RevocableGrant], over transport: any Transport) {
        let known = grants.compactMap { grant in
            grant.client.flatMap { client in client.server.revocation.map { (grant, client, $0) } }
        }.filter { grant, client, endpoint in
            grant.refreshToken == nil || endpoint.isSameOrigin(as: client.server.token)
        }
        self = known.count == grants.count ? .accepted : .unsupported
        for (grant, client, endpoint) in known where self == .accepted {
            for token in grant.tokens.reversed() where self == .accepted {
                self = client.revoke(token, at: endpoint, over: transport)
            }
        }
    }
}

extension OAuthClient {
    /// Revokes a token of either kind (RFC 7009, 2.1).
    fileprivate func revoke(
        _ token: Secret, at endpoint: HTTPSAddress, over transport: any Transport
    ) -> RevocationOutcome {
        var form = form
        form.add("token", token)
        do throws(OAuthFailure) {
            _ = try answer(to: form, at: endpoint, .revocation, over: transport)
            return .accepted
        } catch {
            if case .transport(let error) = error.reason { return .failed(error) }
            return .refused(status: error.status)
        }
    }
}

extension Secret {
    /// Whether a text can be a token.
    ///
    /// A typed text may be a password, which no server may get: passwords often have spaces, or signs that no token
    /// has.
    package var isToken: Bool { !isEmpty && reveal { $0.allSatisfy(ASCII.isUnquoted) } }
}
