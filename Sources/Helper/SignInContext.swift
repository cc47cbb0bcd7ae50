package import CredentialCore
package import Providers

/// ② Everything that git's configuration says about a credential context.
///
/// Only `ContextResolver` creates it. It says what is stored (`stored`, `best`) and who issues its tokens (`server`); how
/// an account stands (`account`, in Account.swift), what renews it (`refreshed`, in GrantRefresh.swift), and where a name
/// comes from (`accountRequest`, in AccountRequest.swift).
package struct SignInContext {
    package let host: SignInHost
    /// The account that git or a person requests, or `nil` for any.
    package private(set) var username: [UInt8]?
    /// The path that git or a person requests.
    package var path: [UInt8]?
    /// The configuration for the host and path.
    package let configuration: Configuration
    package var settings: SignInSettings
    /// The settings of the proxy and the certificates.
    package let transport: TransportConfiguration
    package let builtInClientID: String?

    package func with(username: [UInt8]?) -> SignInContext {
        var context = self
        context.username = username
        return context
    }

    /// The scheme in which git has to send the token, or `nil` for Basic.
    package var authtype: [UInt8]? {
        settings.isBearer && host.provider.facts.takesBearer ? Array("Bearer".utf8) : nil
    }

    /// The context of the whole host.
    package var credentialContext: CredentialContext { CredentialContext(host, path: nil) }

    /// Returns the query for a path, which finds its own token or one for the whole host.
    ///
    /// Without a path, it finds only the latter, which alone is a sign-in to the host.
    package func query(path: [UInt8]?) -> ItemQuery {
        var query = CredentialContext(host, path: path).query(user: username)
        if username == nil, host.namesOrganizations {
            query.nobodysName = Array(host.provider.facts.anyUsername.utf8)
        }
        return query
    }

    /// Reads the credentials of the host as a whole, or of a path, best first.
    package func stored(
        path: [UInt8]? = nil, with dependencies: Dependencies
    ) throws(OperationFailure) -> [StoredMatch] {
        try rethrowing(as: OperationFailure.init, try Lookup(with: dependencies).all(query(path: path)))
    }

    /// The credential that git would get for the host as a whole, fresh or not.
    package func best(with dependencies: Dependencies) throws(OperationFailure) -> StoredMatch? {
        try rethrowing(
            as: OperationFailure.init, try Lookup(with: dependencies).best(query(path: nil), isSignInHost: { true }))
    }

    /// Who answers at an endpoint: the issuer, where it is another than the host.
    package func party(_ endpoint: HTTPSAddress) -> DisplayText {
        let isElsewhere = host.provider.facts.issuesElsewhere && !endpoint.isSameOrigin(as: host.origin)
        return isElsewhere ? DisplayText(trusted: endpoint.authority) : host.displayName
    }

    /// The configured client ID, or else the built-in one.
    package var clientID: String? { settings.clientID ?? builtInClientID }
}

/// ② The server that issues a context's tokens.
///
/// It may have to be asked for its endpoints first, so it is created before any lock is taken. If that fails, the
/// stored items are unchanged.
package struct SignInServer {
    package let oauth: OAuthServer
    private let context: SignInContext
    private let authentication: ClientAuthentication

    fileprivate init(_ context: SignInContext, with dependencies: Dependencies) throws(UserFacingError) {
        self.context = context
        let (host, settings) = (context.host, context.settings)
        do {
            // The endpoints of a built-in host are known; a setting that moves them would be a trap.
            oauth = try host.provider.server(
                host.isBuiltIn ? nil : settings, over: dependencies.transport(context.transport))
        } catch {
            let issuer = DisplayText(untrusted: (settings.issuer ?? "https://\(host.displayName.text)").utf8)
            throw .discovery(
                error, issuer: issuer, host: host.displayName, mayBeAnother: host.provider.facts.issuesElsewhere)
        }
        if let name = settings.clientKey, !host.isBuiltIn {
            do {
                authentication = .assertion(
                    ClientAuthentication.AssertionKey(
                        try dependencies.signingKey(name), id: settings.clientKeyID,
                        audience: settings.assertsToEndpoint ? nil : oauth.issuer?.text,
                        now: { dependencies.clock.now }))
            } catch {
                throw error.words(DisplayText(untrusted: name.utf8))
            }
        } else {
            authentication = settings.clientSecret.map { .secret($0) } ?? .none
        }
    }

    /// Returns the client; a secret or a key belongs to the configured client alone.
    package func client(id: String) -> OAuthClient {
        OAuthClient(
            id: id, authentication: id == context.settings.clientID ? authentication : .none,
            scopes: context.settings.scopes, server: oauth)
    }

    /// The issuer that grants remember, or `nil` if it is the host itself.
    ///
    /// Another server must not get their refresh tokens, even if it is configured in the first one's place.
    package var issuer: String? {
        guard context.host.provider.facts.issuesElsewhere else { return nil }
        return oauth.issuer?.text ?? oauth.token.text
    }

    /// Returns the client of a stored grant, or `nil` if it has none or another server has issued it.
    package func client(of credential: StoredCredential) -> OAuthClient? {
        guard let grant = credential.grant, let clientID = grant.clientID, grant.issuer == issuer,
            mayTakeRefreshToken(of: credential)
        else { return nil }
        return client(id: clientID)
    }

    /// Returns whether the token endpoint has the origin that issued the refresh token, if there is one.
    ///
    /// For a credential without an origin, that is the git host itself, or the issuer that the credential names.
    package func mayTakeRefreshToken(of credential: StoredCredential) -> Bool {
        guard credential.oauthRefreshToken != nil else { return true }
        if let grant = credential.grant, grant.clientID != nil, grant.issuer != issuer { return false }
        if let origin = credential.grant?.tokenOrigin { return origin == oauth.token.origin }
        let named = credential.grant?.issuer.flatMap { HTTPSAddress(parsing: $0) }
        return oauth.token.isSameOrigin(as: named ?? context.host.origin)
    }
}

extension SignInContext {
    /// Returns the server of the context.
    ///
    /// - Throws: `.discovery` or `.signingKey`.
    package func server(with dependencies: Dependencies) throws(UserFacingError) -> SignInServer {
        try SignInServer(self, with: dependencies)
    }

    /// The username is nil if unknown.
    package func signInAgain(as username: [UInt8]?) -> SignInAgain {
        let known = username.flatMap { host.provider.facts.isNobodys($0) ? nil : credentialContext.shown($0) }
        // A host without a page for apps cannot tell whose a token is either, and then no token can be entered.
        let takesToken = !needsNoPerson && host.provider.registration(of: .oauthApp) != nil
        return SignInAgain(account: known, isByToken: clientID == nil && takesToken)
    }
}

extension StoredCredential {
    /// Returns the grant to revoke, with the tokens' client as far as it is known.
    package func revocable(at server: SignInServer?) -> RevocableGrant {
        RevocableGrant(accessToken: password, refreshToken: oauthRefreshToken, client: server?.client(of: self))
    }
}

/// The facts that a hint needs so that its command works as it stands.
package struct SignInAgain: Equatable {
    /// The account, or `nil` if its name is unknown.
    package let account: DisplayText?
    /// The person creates a token, because there is no client ID to sign in with.
    package let isByToken: Bool

    package init(account: DisplayText?, isByToken: Bool = false) {
        self.account = account
        self.isByToken = isByToken
    }
}
