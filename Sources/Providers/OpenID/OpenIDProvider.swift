package import CredentialCore

/// Any server of OpenID Connect or OAuth 2.0 that has a device flow or a code flow; a git server may have one of its own, or another's.
///
/// Two parties, then: the issuer, which gets refresh tokens, proofs of the client and the access tokens that it has issued
/// itself; and the git host, which gets access tokens. Neither gets what is the other's, unless it is both.
package struct OpenIDProvider: Provider {
    package let displayName: DisplayText = "OpenID Connect"

    /// What GitLab takes for any account, so that servers which follow its example take it as well.
    package let anyUsername = "oauth2"

    /// Who has signed in, by which name, and a refresh token (OpenID Connect Core 1.0, 5.4 and 11).
    package let defaultScopes = "openid profile offline_access"

    package let includedScopes: [String: [String]] = [:]

    package let issuesElsewhere = true

    /// Hosts on which the sign-in pages of known issuers are, by the host of the device endpoint.
    private static let verificationHosts = [
        "login.microsoftonline.com": ["microsoft.com", "www.microsoft.com", "login.microsoft.com"],
        "login.microsoftonline.us": ["microsoft.com", "www.microsoft.com", "login.microsoftonline.us"],
        "oauth2.googleapis.com": ["google.com", "www.google.com"],
    ]

    package init() {}

    /// What the configured issuer says, else the host itself; nobody is asked where both endpoints are configured and no
    /// issuer is.
    package func server(
        of host: SignInHost, configured: SignInSettings?, over transport: any Transport
    ) throws(DiscoveryError) -> OAuthServer {
        var server = try discovered(of: host, configured: configured, over: transport)
        // One that the server does not know may be an `invalid_scope` (RFC 6749, 5.2). Without `offline_access` in its list
        // it gives refresh tokens unasked, or none at all.
        server.scopes = defaultScopes.split(separator: " ").map(String.init)
            .filter { server.knownScopes?.contains($0) ?? true }.joined(separator: " ")
        // Microsoft's identity platform, "OAuth 2.0 device authorization grant flow", has a word of its own for a refusal.
        server.errorCodes = ["authorization_declined": .accessDenied]
        if let device = server.deviceAuthorization, device.port == nil {
            server.verificationHosts = Self.verificationHosts[device.host] ?? []
        }
        if let page = server.authorization, Self.isMicrosofts(page) {
            // "Redirect URI (reply URL) restrictions": of the loopback's names, that one's port is ignored.
            server.redirectHost = .localhost
            // What "OAuth 2.0 authorization code flow" documents, and the metadata leave out.
            server.challengeMethods = ["S256"]
            server.prompts = ["select_account"]
        }
        return server
    }

    private static func isMicrosofts(_ address: HTTPSAddress) -> Bool {
        address.port == nil && verificationHosts[address.host]?.contains("microsoft.com") == true
    }

    private func discovered(
        of host: SignInHost, configured: SignInSettings?, over transport: any Transport
    ) throws(DiscoveryError) -> OAuthServer {
        guard let name = configured?.issuer else {
            if let token = configured?.tokenEndpoint {
                let server = OAuthServer(token: token).with(configured)
                if server.deviceAuthorization != nil || server.authorization != nil { return server }
            }
            return try Discovery(Issuer(host.origin), configured: configured, over: transport).server()
        }
        guard let issuer = Issuer(name) else { throw .malformedIssuer(DisplayText(untrusted: name.utf8)) }
        // Their tokens name another issuer, that of the tenant.
        let folder = issuer.address.path.split(separator: "/").first.map(String.init) ?? ""
        if Self.isMicrosofts(issuer.address), ["common", "organizations", "consumers"].contains(folder) {
            throw .tenantNeeded(DisplayText(trusted: issuer.address.host))
        }
        return try Discovery(issuer, configured: configured, over: transport).server()
    }

    // MARK: Whose a token is

    /// By the ID token, which has to be beyond doubt; without one, by the userinfo endpoint.
    package func account(
        of signIn: CompletedSignIn, on host: SignInHost, over transport: any Transport
    ) throws(IDTokenError) -> AccountAnswer {
        let server = signIn.client.server
        guard let idToken = signIn.response.idToken else {
            return owner(of: signIn.response.accessToken, by: server, over: transport)
        }
        guard let issuer = server.issuer else { throw .noIssuer }
        let expectation = IDTokenExpectation(
            issuer: issuer.text, clientID: signIn.client.id, nonce: signIn.nonce,
            accessToken: signIn.response.accessToken, now: signIn.now)
        var isInterrupted = false
        do throws(IDTokenError) {
            let token = try IDToken(verifying: idToken, against: expectation, by: signIn.verifier) {
                () throws(IDTokenError) in
                try Self.keys(at: server.keys, over: transport, isInterrupted: &isInterrupted)
            }
            guard !token.hasName else { return .accepted(names: token.names) }
            // Okta, Zitadel and others put it into the userinfo response alone. One about somebody else must not be
            // used (5.3.2).
            let claims = userInfo(
                of: signIn.response.accessToken, by: server, over: transport, isInterrupted: &isInterrupted)
            guard !isInterrupted else { return .interrupted }
            guard let claims, claims["sub"]?.string?.elementsEqual(token.subject.utf8) == true else {
                return .accepted(names: token.names)
            }
            return .accepted(names: OpenIDAccount.names(in: claims, subject: Array(token.subject.utf8)))
        } catch {
            guard isInterrupted else { throw error }
            return .interrupted
        }
    }

    private static func keys(
        at address: HTTPSAddress?, over transport: any Transport, isInterrupted: inout Bool
    ) throws(IDTokenError) -> JSONWebKeySet {
        guard let address else { throw .unusableKeys }
        let response: HTTPResponse
        do throws(TransportError) {
            response = try transport.send(HTTPRequest(.get, address, largestBody: JSONWebKeySet.largest))
        } catch {
            isInterrupted = error == .interrupted
            throw error == .tooLarge ? .unusableKeys : .keysUnavailable
        }
        guard response.status == 200 else { throw .keysUnavailable }
        guard let keys = JSONWebKeySet(parsing: response.body) else { throw .unusableKeys }
        return keys
    }

    /// Nobody is asked: the issuer must not see a token that it may not have issued, and no git host says whose one is.
    package func account(of token: Secret, on host: SignInHost, over transport: any Transport) -> AccountAnswer {
        .unknown
    }

    package func account(
        of grant: RevocableGrant, on host: SignInHost, over transport: any Transport
    ) -> AccountAnswer {
        guard let token = grant.accessToken, let server = grant.client?.server else { return .unknown }
        return owner(of: token, by: server, over: transport)
    }

    /// Names of people, or their addresses: each server has its own rules.
    package func isAccountName(_ name: [UInt8]) -> Bool { OpenIDAccount.isName(name) }

    private func userInfo(
        of token: Secret, by server: OAuthServer, over transport: any Transport, isInterrupted: inout Bool
    ) -> JSONValue? {
        guard let address = server.userinfo else { return nil }
        do {
            let response = try transport.send(HTTPRequest(.get, address, authorization: .bearer(token)))
            return response.status == 200 ? JSONValue(parsing: response.body) : nil
        } catch {
            isInterrupted = error == .interrupted
            return nil
        }
    }

    /// What the userinfo endpoint says (OpenID Connect Core 1.0, 5.3); a response that is signed tells no name here.
    private func owner(
        of token: Secret, by server: OAuthServer, over transport: any Transport
    ) -> AccountAnswer {
        guard let address = server.userinfo else { return .unknown }
        let response: HTTPResponse
        do {
            response = try transport.send(HTTPRequest(.get, address, authorization: .bearer(token)))
        } catch {
            return AccountAnswer(error)
        }
        switch response.status {
        case 401: return .rejected
        case 200:
            let claims = JSONValue(parsing: response.body)
            return .accepted(names: claims.map { OpenIDAccount.names(in: $0, subject: $0["sub"]?.string ?? []) } ?? [])
        default: return .unknown
        }
    }

    package func revoke(
        _ grants: [RevocableGrant], on host: SignInHost, over transport: any Transport
    ) -> RevocationOutcome {
        RevocationOutcome(revoking: grants, over: transport)
    }
}

/// What any git server tells: how it answers git's own first request (gitprotocol-http(5)), since it has no API that is
/// known here.
extension OpenIDProvider {
    package func repositoryName(_ segments: [String]) -> String? { segments.joined(separator: "/") }

    package func repository(
        _ name: String, on host: SignInHost, token: Secret?, over transport: any Transport
    ) throws(TransportError) -> RepositoryAnswer {
        let authorization = token.map { HTTPRequest.Authorization.basic(username: anyUsername, password: $0) } ?? .none
        // Most servers take either name; some have but the one.
        for path in [name, name + ".git"] {
            let fetch = try GitProbe.fetch.answer(at: path, on: host.origin, as: authorization, over: transport)
            switch fetch.status {
            case 200:
                let push = try GitProbe.push.answer(at: path, on: host.origin, as: authorization, over: transport)
                return .reached(RepositoryRights(mayPush: push.status == 200))
            case 404: continue
            case 401 where token == nil: return .notFound
            default: return RepositoryAnswer(fetch)
            }
        }
        return .notFound
    }

    // MARK: What only a browser can do

    /// Each server has pages of its own, and none is known here.
    package func registration(of kind: AppKind, on host: SignInHost) -> Registration? { nil }

    package func page(_ page: ProviderPage, on host: SignInHost) -> HTTPSAddress? {
        if case .repository(let name) = page { host.origin.appending("/\(name)") } else { nil }
    }

    /// The git host; whether the issuer answers, its discovery tells.
    package func probes(of host: SignInHost) -> [HTTPSAddress] { [host.origin] }
}
