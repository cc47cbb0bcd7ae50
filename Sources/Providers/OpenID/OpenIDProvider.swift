package import CredentialCore

/// Any server of OpenID Connect or OAuth 2.0 that has a device flow or a code flow; a git server may have one of its own, or another's.
///
/// Two parties, then: the issuer, which gets refresh tokens, proofs of the client and the access tokens that it has issued
/// itself; and the git host, which gets access tokens. Neither gets what is the other's, unless it is both.
package struct OpenIDProvider: Provider {
    package static let facts = ProviderFacts(
        displayName: "OpenID Connect",
        // What GitLab takes for any account, so that servers which follow its example take it as well.
        anyUsername: "oauth2",
        // Names of people, or their addresses, as each server has its own rules: visible ASCII without a colon, which no user
        // name of HTTP has (RFC 7617, 2).
        nameSigns: ##"!"#$%&'()*+,-./;<=>?@[\]^_`{|}~"##, longestName: 255,
        takesBearer: true,
        // Who has signed in, by which name, and a refresh token (OpenID Connect Core 1.0, 5.4 and 11).
        scopes: "openid profile offline_access",
        issuesElsewhere: true,
        // The git host; whether the issuer answers, its discovery tells.
        reachPath: "/")

    package let host: SignInHost

    package init(_ host: SignInHost) { self.host = host }

    /// Hosts on which the sign-in pages of known issuers are, by the host of the device endpoint.
    private static let verificationHosts = [
        "login.microsoftonline.com": ["microsoft.com", "www.microsoft.com", "login.microsoft.com"],
        "login.microsoftonline.us": ["microsoft.com", "www.microsoft.com", "login.microsoftonline.us"],
        "oauth2.googleapis.com": ["google.com", "www.google.com"],
    ]

    /// What the configured issuer says, else the host itself; nobody is asked where both endpoints are configured and no
    /// issuer is.
    package func server(
        _ configured: SignInSettings?, over transport: any Transport
    ) throws(DiscoveryError) -> OAuthServer {
        var server = try discovered(configured, over: transport)
        // One that the server does not know may be an `invalid_scope` (RFC 6749, 5.2). Without `offline_access` in its list
        // it gives refresh tokens unasked, or none at all.
        server.scopes = facts.scopes.split(separator: " ").map(String.init)
            .filter { server.knownScopes?.contains($0) ?? true }.joined(separator: " ")
        // Microsoft's identity platform, "OAuth 2.0 device authorization grant flow", has a word of its own for a refusal;
        // others have those of OpenID Connect Core 1.0, 3.1.2.6.
        server.errorCodes = [
            "authorization_declined": .accessDenied, "consent_required": .accessDenied, "login_required": .accessDenied,
        ]
        if let device = server.deviceAuthorization, device.port == nil {
            server.verificationHosts = Self.verificationHosts[device.host] ?? []
        }
        if let page = server.authorization, Self.isMicrosoftHost(page) {
            // "Redirect URI (reply URL) restrictions": of the loopback's names, that one's port is ignored.
            server.redirectHost = .localhost
            // What "OAuth 2.0 authorization code flow" documents, and the metadata leave out.
            server.challengeMethods = ["S256"]
            server.prompts = ["select_account"]
        }
        return server
    }

    private static func isMicrosoftHost(_ address: HTTPSAddress) -> Bool {
        address.port == nil && verificationHosts[address.host]?.contains("microsoft.com") == true
    }

    private func discovered(
        _ configured: SignInSettings?, over transport: any Transport
    ) throws(DiscoveryError) -> OAuthServer {
        guard let name = configured?.issuer else {
            if let token = configured?.tokenEndpoint {
                let server = OAuthServer(token: token).with(configured)
                if server.deviceAuthorization != nil || server.authorization != nil { return server }
            }
            return try Discovery(issuer: Issuer(host.origin), configured: configured, transport: transport).server()
        }
        guard let issuer = Issuer(name) else { throw .malformedIssuer(DisplayText(untrusted: name.utf8)) }
        // Their tokens name another issuer, that of the tenant.
        let folder = issuer.address.path.split(separator: "/").first.map(String.init) ?? ""
        if Self.isMicrosoftHost(issuer.address), ["common", "organizations", "consumers"].contains(folder) {
            throw .tenantNeeded(DisplayText(trusted: issuer.address.host))
        }
        return try Discovery(issuer: issuer, configured: configured, transport: transport).server()
    }

    // MARK: Whose a token is

    /// By the ID token, which has to be beyond doubt; without one, by the userinfo endpoint.
    package func holder(after signIn: CompletedSignIn, over transport: any Transport) throws(IDTokenError) -> Holder {
        let server = signIn.client.server
        guard let idToken = signIn.response.idToken else {
            return holder(of: signIn.response.accessToken, by: server, over: transport)
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
            guard !token.hasName else { return Holder(names: token.names) }
            // Okta, Zitadel and others put it into the userinfo response alone. One about somebody else must not be
            // used (5.3.2).
            let holder = holder(
                of: signIn.response.accessToken, by: server, subject: Array(token.subject.utf8), over: transport)
            switch holder {
            case .account, .good, .interrupted: return holder
            case .rejected, .unknown: return Holder(names: token.names)
            }
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
        guard let keys = response.body.reveal({ JSONWebKeySet(parsing: Array($0)) }) else { throw .unusableKeys }
        return keys
    }

    /// Of a token without a client nobody is asked: the issuer must not see one that it may not have issued, and no git
    /// host says whose one is.
    package func holder(
        of token: Secret, issuedTo client: OAuthClient?, at _: (repository: String, username: String)?,
        over transport: any Transport
    ) -> Holder {
        client.map { holder(of: token, by: $0.server, over: transport) } ?? .unknown()
    }

    /// What the userinfo endpoint says (OpenID Connect Core 1.0, 5.3), of that subject alone if one is given.
    ///
    /// A response that is signed tells no name here.
    private func holder(
        of token: Secret, by server: OAuthServer, subject: [UInt8]? = nil, over transport: any Transport
    ) -> Holder {
        guard let address = server.userinfo else { return .unknown() }
        let request = HTTPRequest(.get, address, authorization: .bearer(token))
        return Holder(asking: request, over: transport) { response in
            let claims = response.json
            let answering = claims?["sub"]?.string
            guard response.status == 200, subject == nil || answering == subject else { return .unknown() }
            return Holder(names: claims.map { OpenIDAccount.names(in: $0, subject: answering ?? []) } ?? [])
        }
    }

    package func repositoryName(_ segments: [String]) -> String? { segments.joined(separator: "/") }
}
