package import CredentialCore

/// Gitea and Forgejo, codeberg.org among them, by docs.gitea.com and forgejo.org ("OAuth2 provider").
package struct Gitea: Provider {
    package static let facts = ProviderFacts(
        displayName: "Gitea", realms: ["Gitea", "Forgejo"],
        // Any name works with a token as the password over HTTPS.
        anyUsername: "oauth2", nameSigns: "-_.", longestName: 40,
        // For the account's name, clone and push. Gitea enforces scopes since 1.23; older servers and Forgejo grant all
        // rights of the person, and no metadata tells the difference.
        scopes: "read:user write:repository",
        includedScopes: [
            "all": ["read:user", "write:user", "read:repository", "write:repository"], "write:user": ["read:user"],
            "write:repository": ["read:repository"],
        ],
        api: .init(path: "/api/v1", login: "login", authorization: { .token($0) }),
        // One page for tokens, own and authorised applications; its address fills in nothing.
        pages: [
            .newToken: applications, .access: applications, .otherAccess: applications,
            .branchRules: "/*/settings/branches",
        ],
        registrations: [.oauthApp: (applications, .giteaApplication)],
        // A person's token; an application's are signed (JWT).
        tokenForms: [.init(hexDigits: 40, page: applications)],
        tokenPermissions: "repository: read and write, user: read",
        // The first request of a sign-in; sign-in and API are on the same host.
        reachPath: "/.well-known/openid-configuration")

    private static let applications = "/user/settings/applications"
    package let host: SignInHost
    package init(_ host: SignInHost) { self.host = host }

    /// The server of the host itself; a Gitea below a path has no sign-in.
    ///
    /// Older releases have a slash at the end of their issuer. "Confidential Client" is ticked on a new application.
    package func server(
        _ configured: SignInSettings?, over transport: any Transport
    ) throws(DiscoveryError) -> OAuthServer {
        func discovered(_ issuer: Issuer) throws(DiscoveryError) -> OAuthServer {
            try Discovery(issuer: issuer, configured: configured, transport: transport, addresses: 1).server()
        }
        let origin = Issuer(host.origin)
        var server: OAuthServer
        do throws(DiscoveryError) {
            server = try discovered(origin)
        } catch {
            guard case .wrongIssuer(let name) = error, name == DisplayText(untrusted: (origin.text + "/").utf8),
                let issuer = Issuer(origin.text + "/")
            else { throw error }
            server = try discovered(issuer)
        }
        server.scopes = facts.scopes
        server.hasConfidentialClients = true
        server.blamesClient = true
        return server
    }

    /// "repoGet", and git's own protocol for a push, which alone checks the token's scope.
    package func repository(
        _ name: String, as credential: StoredCredential?, over transport: any Transport
    ) throws(TransportError) -> RepositoryAnswer {
        let response = try transport.send(request("/repos/\(name)", token: credential?.password))
        switch response.status {
        case 200:
            guard let body = response.json, body["id"] != nil else { return .malformed }
            var rights = RepositoryRights(
                mayPush: body["permissions"]?["push"]?.bool ?? false, isArchived: body["archived"]?.bool ?? false)
            if let credential, rights.canPush,
                try ask(.push, at: name + ".git", as: credential.authorization, over: transport)
                    == .refused(status: 403)
            {
                rights.missingScope = "write:repository"
            }
            return .reached(rights)
        case 403 where credential != nil: return .scopeMissing("write:repository")
        default: return RepositoryAnswer(response)
        }
    }
}
