package import CredentialCore

/// A server of OpenID Connect or OAuth 2.0 with a device flow or a code flow, for a git host of its own or another.
///
/// The issuer gets refresh tokens, proofs of the client, and the access tokens that it issued. The git host gets access
/// tokens only.
package struct OpenIDProvider: Provider {
    package static let facts = ProviderFacts(
        displayName: "OpenID Connect",
        // GitLab's name for any account, which other servers accept as well.
        anyUsername: "oauth2",
        // Each server has its own rules for names and addresses: visible ASCII without a colon, which no user name of
        // HTTP has (RFC 7617, 2).
        nameSigns: ##"!"#$%&'()*+,-./;<=>?@[\]^_`{|}~"##, longestName: 255, takesBearer: true,
        // For the account, its name, and a refresh token (OpenID Connect Core 1.0, 5.4 and 11).
        scopes: "openid profile offline_access", issuesElsewhere: true,
        // The git host; discovery tells whether the issuer works.
        reachPath: "/")

    package let host: SignInHost
    package init(_ host: SignInHost) { self.host = host }

    /// Hosts with the sign-in pages of known issuers, by the host of the device endpoint.
    private static let verificationHosts = [
        "login.microsoftonline.com": ["microsoft.com", "www.microsoft.com", "login.microsoft.com"],
        "login.microsoftonline.us": ["microsoft.com", "www.microsoft.com", "login.microsoftonline.us"],
        "oauth2.googleapis.com": ["google.com", "www.google.com"],
    ]

    /// Finds the server by the configured issuer, else by the host; no request is sent if the endpoints are configured
    /// without an issuer.
    package func server(
        _ configured: SignInSettings?, over transport: any Transport
    ) throws(DiscoveryError) -> OAuthServer {
        var server = try discovered(configured, over: transport)
        // An unknown scope may cause `invalid_scope` (RFC 6749, 5.2). A server that does not list `offline_access`
        // gives refresh tokens without it, or none.
        server.scopes = facts.scopes.split(separator: " ").map(String.init)
            .filter { server.knownScopes?.contains($0) ?? true }.joined(separator: " ")
        // Microsoft's identity platform has its own code for a refusal ("OAuth 2.0 device authorization grant flow");
        // others use those of OpenID Connect Core 1.0, 3.1.2.6.
        server.errorCodes = [
            "authorization_declined": .accessDenied, "consent_required": .accessDenied, "login_required": .accessDenied,
        ]
        if let device = server.deviceAuthorization, device.port == nil {
            server.verificationHosts = Self.verificationHosts[device.host] ?? []
        }
        if let page = server.authorization, Self.isMicrosoftHost(page) {
            // Microsoft ignores the port for this loopback name alone ("Redirect URI (reply URL) restrictions").
            server.redirectHost = .localhost
            // Documented in "OAuth 2.0 authorization code flow", but missing in the metadata.
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
        // Tokens of these issuers name another issuer, the tenant's.
        let folder = issuer.address.path.split(separator: "/").first.map(String.init) ?? ""
        if Self.isMicrosoftHost(issuer.address), ["common", "organizations", "consumers"].contains(folder) {
            throw .tenantNeeded(DisplayText(trusted: issuer.address.host))
        }
        return try Discovery(issuer: issuer, configured: configured, transport: transport).server()
    }

    // MARK: The owner of a token

    /// Verifies and reads the ID token; without one, asks the userinfo endpoint.
    package func holder(after signIn: CompletedSignIn, over transport: any Transport) throws(IDTokenError) -> Holder {
        let server = signIn.client.server
        guard let idToken = signIn.response.idToken else {
            return holder(of: signIn.response.accessToken, by: server, over: transport)
        }
        guard let issuer = server.issuer else { throw .noIssuer }
        var isInterrupted = false
        do throws(IDTokenError) {
            let token = try IDToken(
                verifying: idToken, from: issuer.text, for: signIn.client.id, nonce: signIn.nonce,
                accessToken: signIn.response.accessToken, at: signIn.now, by: signIn.verifier
            ) { () throws(IDTokenError) in
                try Self.keys(at: server.keys, over: transport, isInterrupted: &isInterrupted)
            }
            guard !token.hasName else { return Holder(names: token.names) }
            // Okta, Zitadel and others put the name into the userinfo response alone. A response about another subject
            // must not be used (5.3.2).
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

    /// Asks no server about a token without a client: the issuer must not see another issuer's token, and no git host
    /// names the owner.
    package func holder(
        of token: Secret, issuedTo client: OAuthClient?, at _: (repository: String, username: String)?,
        over transport: any Transport
    ) -> Holder {
        client.map { holder(of: token, by: $0.server, over: transport) } ?? .unknown()
    }

    /// Asks the userinfo endpoint (OpenID Connect Core 1.0, 5.3), and ignores another subject's answer.
    ///
    /// A signed response gives no name.
    private func holder(
        of token: Secret, by server: OAuthServer, subject: [UInt8]? = nil, over transport: any Transport
    ) -> Holder {
        guard let address = server.userinfo else { return .unknown() }
        let request = HTTPRequest(.get, address, authorization: .bearer(token))
        return Holder(asking: request, over: transport) { response in
            let claims = response.json
            let answering = claims?["sub"]?.string
            guard response.status == 200, subject == nil || answering == subject else { return .unknown() }
            return Holder(names: claims.map { Self.names(in: $0, subject: answering ?? []) } ?? [])
        }
    }

    /// The valid names of an account (OpenID Connect Core 1.0, section 5.1), the first for storing: one that the person
    /// knows, else the permanent `sub`.
    ///
    /// The claims are an ID token's or a userinfo response's.
    static func names(in claims: JSONValue, subject: [UInt8]) -> [String] {
        let known = [IDTokenError.Claim.preferredUsername.rawValue, "nickname", "email"].map { claims[$0]?.string }
        return (known + [subject]).compactMap(\.self).filter(facts.isAccountName)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    package func repositoryName(_ segments: [String]) -> String? { segments.joined(separator: "/") }
}
