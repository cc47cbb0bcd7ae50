package import CredentialCore

package struct RevocableGrant {
    /// Nil where it has been dropped.
    package let accessToken: Secret?
    /// It need not go along with the access token (RFC 7009, 2.1).
    package let refreshToken: Secret?
    /// Nil for a token that a person has made by hand.
    package let client: OAuthClient?

    package init(accessToken: Secret?, refreshToken: Secret?, client: OAuthClient?) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.client = client
    }

    package var tokens: [Secret] { [accessToken, refreshToken].compactMap(\.self).filter { !$0.isEmpty } }
}

package enum RevocationOutcome: Equatable {
    /// Or the tokens were good for nothing before (RFC 7009, 2.2).
    case accepted
    /// The server offers no way for us; the person can withdraw the app's access on a page.
    case unsupported
    /// The tokens may still be good.
    case refused(status: Int)
    /// The tokens may still be good.
    case failed(TransportError)

    /// Has each grant's own server forget its tokens by RFC 7009, the refresh token first: it should take the access token
    /// along, and the other way round need not be so (2.1).
    ///
    /// Nothing is sent unless all can be: a token that belongs to no client, or to a server without such an endpoint,
    /// would live on. A refresh token goes to the origin of the token endpoint only.
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

extension Secret {
    /// What a person has typed or another tool has stored may be a password, which goes to no server: it has spaces, or
    /// other signs that no service has in its tokens.
    package var isToken: Bool {
        !isEmpty && reveal { $0.allSatisfy(ASCII.isUnquoted) }
    }
}
