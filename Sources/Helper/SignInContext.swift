package import CredentialCore
package import Providers

/// ② Everything that git's configuration says about a credential context; only `ContextResolver` creates it.
package struct SignInContext {
    package let host: SignInHost
    /// `nil` for any account.
    package private(set) var username: [UInt8]?
    /// The requested account; an empty name, which git may send, requests none.
    var askedName: [UInt8]? { username?.isEmpty == false ? username : nil }
    package var path: [UInt8]?
    package let configuration: Configuration
    package var settings: SignInSettings
    package let transport: TransportConfiguration
    package let builtInClientID: String?

    package func with(username: [UInt8]?) -> SignInContext {
        var context = self
        context.username = username
        return context
    }

    /// The scheme in which git has to send the token, or `nil` for Basic.
    package var authtype: [UInt8]? { settings.isBearer && host.provider.facts.takesBearer ? Array("Bearer".utf8) : nil }
    package var credentialContext: CredentialContext { CredentialContext(host, path: nil) }

    /// Returns the query for a path, which finds its own token or one for the whole host.
    ///
    /// Without a path, only the latter is found, which alone is a sign-in to the host.
    package func query(path: [UInt8]?) -> ItemQuery {
        var query = CredentialContext(host, path: path).query(user: username)
        if username == nil, host.namesOrganizations { query.nobodysName = Array(host.provider.facts.anyUsername.utf8) }
        return query
    }

    /// The credentials of the host as a whole, or of a path, the best first.
    package func stored(
        path: [UInt8]? = nil, with dependencies: Dependencies
    ) throws(OperationFailure) -> [StoredMatch] {
        try rethrowing(as: OperationFailure.init, try Lookup(with: dependencies).all(query(path: path)))
    }

    /// The credential that git would get for the host as a whole, fresh or not.
    package func best(with dependencies: Dependencies) throws(OperationFailure) -> StoredMatch? {
        try rethrowing(as: OperationFailure.init, try Lookup(with: dependencies).best(query(path: nil)))
    }

    /// The name of the server at an endpoint: its address if the issuer is not the host.
    package func party(_ endpoint: HTTPSAddress) -> DisplayText {
        let isElsewhere = host.provider.facts.issuesElsewhere && !endpoint.isSameOrigin(as: host.origin)
        return isElsewhere ? DisplayText(trusted: endpoint.authority) : host.displayName
    }

    package var clientID: String? { settings.clientID ?? builtInClientID }
    /// Whether an app signs in to the host, and no person.
    package var needsNoPerson: Bool { settings.app != nil }

    /// - Throws: `.discovery` or `.signingKey`.
    package func server(with dependencies: Dependencies) throws(UserFacingError) -> SignInServer {
        let oauth: OAuthServer
        do {
            // The endpoints of a built-in host are known; a setting that moves them would be a trap.
            oauth = try host.provider.server(host.isBuiltIn ? nil : settings, over: dependencies.transport(transport))
        } catch {
            let issuer = DisplayText(untrusted: (settings.issuer ?? "https://\(host.displayName.text)").utf8)
            throw .discovery(
                error, issuer: issuer, host: host.displayName, mayBeAnother: host.provider.facts.issuesElsewhere)
        }
        var authentication = settings.clientSecret.map { ClientAuthentication.secret($0) } ?? .none
        if let name = settings.clientKey, !host.isBuiltIn {
            let signer = try rethrowing(
                as: { (error: SigningKeyError) in error.words(DisplayText(untrusted: name.utf8)) },
                try dependencies.signingKey(name))
            authentication = .assertion(
                signer, keyID: settings.clientKeyID, audience: settings.assertsToEndpoint ? nil : oauth.issuer?.text,
                now: { dependencies.clock.now })
        }
        return SignInServer(oauth: oauth, context: self, authentication: authentication)
    }

    /// - Throws: the error of the settings or the key; nothing has been sent then.
    package func gitHubApp(
        _ settings: SignInSettings.AppSettings, with dependencies: Dependencies
    ) throws(InstallationFailure) -> GitHubApp {
        guard let id = settings.id else { throw .incomplete(missing: .githubAppId) }
        guard let key = settings.key else { throw .incomplete(missing: .githubAppKey) }
        guard let gitHub = host.provider.gitHub else { throw .unsupported }
        return try rethrowing(
            as: { (error: SigningKeyError) in InstallationFailure.key(error, place: DisplayText(untrusted: key.utf8)) },
            try GitHubApp(
                id, on: gitHub, by: dependencies.signingKey(key), over: dependencies.transport(transport),
                now: { dependencies.clock.now }))
    }

    /// Returns why nobody can sign in as the requested account, or `nil` if somebody might.
    package func nobodysAccount(_ request: @autoclosure () -> AccountRequest) -> UserFacingError? {
        guard let username = askedName, host.provider.facts.isNobodys(username) else { return nil }
        // An app signs in under this name.
        if needsNoPerson, ASCII.equalsIgnoringCase(username, host.provider.facts.anyUsername) { return nil }
        return .nobodysAccount(credentialContext.shown(username), host: host.displayName, request())
    }

    /// `username` is `nil` if unknown.
    package func signInAgain(as username: [UInt8]?) -> SignInAgain {
        let known = username.flatMap { host.provider.facts.isNobodys($0) ? nil : credentialContext.shown($0) }
        // A host without a page for apps does not tell whose a token is either, so no token can be entered.
        let takesToken = !needsNoPerson && host.provider.registration(of: .oauthApp) != nil
        return SignInAgain(account: known, isByToken: clientID == nil && takesToken)
    }

    // MARK: Scopes

    /// Returns the client with or without the scope for a token that expires, as the person wants.
    ///
    /// The scope is left out if the last such token could not be refreshed.
    func asking(_ client: OAuthClient, with dependencies: Dependencies) -> OAuthClient {
        guard let scope = host.provider.shortLivedScope(of: client.id) else { return client }
        var scopes = client.scopes.split(separator: " ").map(String.init).filter { $0 != scope }
        let isWanted = configuration.isOn(.gitspaceShortLived) || asksForExpiry(client)
        let grants = ((try? stored(with: dependencies)) ?? []).compactMap(\.credential.grant)
        // A refused refresh leaves `exhaustedAt`.
        if grants.contains(where: { $0.clientID == client.id && $0.exhaustedAt != nil }) {
            dependencies.ui.say(.notShortLived(host: host.displayName))
        } else if isWanted {
            scopes.append(scope)
        }
        var client = client
        client.scopes = scopes.joined(separator: " ")
        return client
    }

    func asksForExpiry(_ client: OAuthClient) -> Bool {
        guard let scope = host.provider.shortLivedScope(of: client.id) else { return false }
        return client.scopes.split(separator: " ").contains { $0 == scope }
    }

    /// Reports the expiry of a token without a refresh token.
    ///
    /// A server may issue refresh tokens for a scope that it does not list, or after consent (OpenID Connect Core, 11).
    func sayEnd(
        in seconds: Int64, _ client: OAuthClient, byBrowser isByBrowser: Bool, with dependencies: Dependencies
    ) {
        func words(_ scopes: String) -> [Substring] { scopes.split(separator: " ") }
        let (scope, asked): (Substring, [Substring]) = ("offline_access", words(client.scopes))
        let name = host.displayName
        var command: DisplayText?
        if words(host.provider.facts.scopes).contains(scope) {
            if !asked.contains(scope) {
                let scopes = DisplayText(untrusted: "\(client.scopes) \(scope)".utf8)
                command = "git config --global \(word: SettingKey.oauthScopes.name(on: name)) \(word: scopes)"
            } else if isByBrowser, !words(settings.prompt ?? "").contains("consent") {
                command = "git config --global \(word: SettingKey.oauthPrompt.name(on: name)) consent"
            }
        }
        dependencies.ui.say(.endsForGood(server: party(client.server.token), seconds: seconds, command: command))
    }

    /// Whether the server refuses to refresh such a token because the client sent no secret.
    func wantsSecret(_ code: OAuthErrorCode, of client: OAuthClient?) -> Bool {
        guard let client, !client.authentication.isPresent,
            [.invalidClient, .incorrectClientCredentials].contains(code)
        else { return false }
        return host.provider.shortLivedScope(of: client.id) != nil
    }
}

/// ② The server that issues a context's tokens.
///
/// Created before any lock is taken, since it may have to send a request. If that fails, stored items are unchanged.
package struct SignInServer {
    package let oauth: OAuthServer
    fileprivate let context: SignInContext
    fileprivate let authentication: ClientAuthentication

    /// A secret or a key belongs to the configured client alone.
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

    /// `nil` if the grant has no client, or another server has issued it.
    package func client(of credential: StoredCredential) -> OAuthClient? {
        guard let grant = credential.grant, let clientID = grant.clientID, grant.issuer == issuer,
            mayTakeRefreshToken(of: credential)
        else { return nil }
        return client(id: clientID)
    }

    /// Returns whether the token endpoint has the origin that issued the refresh token, if there is one.
    ///
    /// A credential without an origin belongs to the issuer that it names, or else to the git host.
    package func mayTakeRefreshToken(of credential: StoredCredential) -> Bool {
        guard credential.oauthRefreshToken != nil else { return true }
        if let grant = credential.grant, grant.clientID != nil, grant.issuer != issuer { return false }
        if let origin = credential.grant?.tokenOrigin { return origin == oauth.token.origin }
        let named = credential.grant?.issuer.flatMap { HTTPSAddress(parsing: $0) }
        return oauth.token.isSameOrigin(as: named ?? context.host.origin)
    }
}

extension CredentialContext {
    /// Returns the name, or `nil` if it cannot be a name on a host with sign-ins.
    ///
    /// The author of an address chooses the name, which could be an instruction to the reader.
    package func shown(_ account: [UInt8]) -> DisplayText? {
        guard !TokenShape.fits(account) else { return .token }
        if let provider = signInHost?.provider {
            let isPlain = ASCII.isPlain(account, with: "-_.@+")
            guard isPlain, account.count <= 64, provider.facts.isAccountName(account) else { return nil }
        }
        return DisplayText(account: account)
    }
}

extension StoredCredential {
    package func revocable(at server: SignInServer?) -> RevocableGrant {
        RevocableGrant(accessToken: password, refreshToken: oauthRefreshToken, client: server?.client(of: self))
    }
}

/// The parts of a hint to sign in, with which its command works as it stands.
package struct SignInAgain: Equatable {
    /// `nil` if the account's name is unknown.
    package let account: DisplayText?
    /// Whether the person creates a token, because there is no client ID to sign in with.
    package let isByToken: Bool

    package init(account: DisplayText?, isByToken: Bool = false) {
        self.account = account
        self.isByToken = isByToken
    }
}

extension ProviderFacts {
    /// Returns the missing scopes, separated by commas, or `nil` if none is missing.
    ///
    /// `granted` is separated by spaces, and empty for GitHub Apps, which have no scopes. Some scopes include others.
    func missingScopes(in granted: String, of asked: String) -> String? {
        let names = granted.split(separator: " ").map(String.init)
        guard !names.isEmpty else { return nil }
        let all = Set(names + names.flatMap { includedScopes[$0] ?? [] })
        // `offline_access` requests a refresh token; it is not a permission.
        let missing = asked.split(separator: " ").filter { !all.contains(String($0)) && $0 != "offline_access" }
        return missing.isEmpty ? nil : missing.joined(separator: ", ")
    }
}
