package import CredentialCore

/// Gitea and Forgejo, codeberg.org among them, by docs.gitea.com and forgejo.org ("OAuth2 provider").
package struct Gitea: Provider {
    package let displayName: DisplayText = "Gitea"

    /// Any name will do with a token as the password.
    package let anyUsername = "oauth2"

    /// Who one is, and clone and push.
    ///
    /// Gitea 1.23 and newer keep to it. Older ones and Forgejo grant all that the person may do, whatever is asked for,
    /// and no server's metadata tell which it is.
    package let defaultScopes = "read:user write:repository"

    package let includedScopes = [
        "all": ["read:user", "write:user", "read:repository", "write:repository"], "write:user": ["read:user"],
        "write:repository": ["read:repository"],
    ]

    /// git over HTTPS takes a token as a password alone.
    package let takesBearer = false

    package let tokenPermissions: DisplayText? = "repository: read and write, user: read"

    package init() {}

    /// Of the host itself; below a path there is no sign-in.
    ///
    /// Older releases have a slash at the end of their issuer. "Confidential Client" is ticked on a new application.
    package func server(
        of host: SignInHost, configured: SignInSettings?, over transport: any Transport
    ) throws(DiscoveryError) -> OAuthServer {
        func discovered(_ issuer: Issuer) throws(DiscoveryError) -> OAuthServer {
            try Discovery(issuer, configured: configured, over: transport, addresses: 1).server()
        }
        let origin = Issuer(host.origin)
        var server: OAuthServer
        do throws(DiscoveryError) {
            server = try discovered(origin)
        } catch {
            guard case .wrongIssuer(let name) = error,
                name == DisplayText(untrusted: (origin.text + "/").utf8),
                let issuer = Issuer(origin.text + "/")
            else { throw error }
            server = try discovered(issuer)
        }
        server.scopes = defaultScopes
        server.hasConfidentialClients = true
        server.blamesClient = true
        return server
    }

    private func api(_ path: String, of host: SignInHost, token: Secret?) -> HTTPRequest {
        HTTPRequest(
            .get, host.origin.appending("/api/v1" + path), authorization: token.map { .token($0) } ?? .none)
    }

    /// "userGetCurrent".
    package func account(of token: Secret, on host: SignInHost, over transport: any Transport) -> AccountAnswer {
        AccountAnswer(asking: api("/user", of: host, token: token), for: "login", over: transport)
    }

    /// Letters, digits and single signs, at most 40.
    package func isAccountName(_ name: [UInt8]) -> Bool { isName(name, signs: "-_.", longest: 40) }

    /// Neither has an endpoint for it: the person withdraws the app's access.
    package func revoke(
        _ grants: [RevocableGrant], on host: SignInHost, over transport: any Transport
    ) -> RevocationOutcome {
        RevocationOutcome(revoking: grants, over: transport)
    }

    // MARK: Repositories

    package func repositoryName(_ segments: [String]) -> String? {
        segments.count < 2 ? nil : segments.prefix(2).joined(separator: "/")
    }

    /// "repoGet", and what git itself would be told before a push: only there is the token's scope looked at.
    package func repository(
        _ name: String, on host: SignInHost, token: Secret?, over transport: any Transport
    ) throws(TransportError) -> RepositoryAnswer {
        let response = try transport.send(api("/repos/\(name)", of: host, token: token))
        switch response.status {
        case 200:
            guard let body = JSONValue(parsing: response.body), body["id"] != nil else { return .malformed }
            var rights = RepositoryRights(
                mayPush: body["permissions"]?["push"]?.bool ?? false, isArchived: body["archived"]?.bool ?? false)
            if let token, rights.canPush {
                let push = try GitProbe.push.answer(
                    at: name + ".git", on: host.origin, as: .basic(username: anyUsername, password: token),
                    over: transport)
                if push.status == 403 { rights.missingScope = "write:repository" }
            }
            return .reached(rights)
        case 403 where token != nil: return .scopeMissing("write:repository")
        // A server may show nothing to who is not signed in.
        default: return RepositoryAnswer(response)
        }
    }
}

/// What only a browser can do.
extension Gitea {
    private static let applications = "/user/settings/applications"

    /// One page for one's own tokens, one's own applications and those with access; nothing of it can be filled in by its
    /// address.
    package func page(_ page: ProviderPage, on host: SignInHost) -> HTTPSAddress? {
        switch page {
        case .newToken, .access: host.origin.appending(Self.applications)
        case .repository(let name): host.origin.appending("/\(name)")
        case .branchRules(let name): host.origin.appending("/\(name)/settings/branches")
        case .approval, .installations, .singleSignOn: nil
        }
    }

    /// A person's own tokens are 40 hexadecimal digits; an application's are signed.
    package func page(revoking token: Secret, on host: SignInHost) -> TokenPage? {
        let isPersonal = token.reveal { text in
            text.count == 40 && text.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        }
        return isPersonal ? TokenPage(host.origin.appending(Self.applications), isPersonal: true) : nil
    }

    package func registration(of kind: AppKind, on host: SignInHost) -> Registration? {
        guard kind == .oauthApp else { return nil }
        return Registration(page: host.origin.appending(Self.applications), form: .giteaApplication)
    }

    /// Sign-in, and the API, on one host: what a sign-in asks for first.
    package func probes(of host: SignInHost) -> [HTTPSAddress] {
        [host.origin.appending("/.well-known/openid-configuration")]
    }
}
