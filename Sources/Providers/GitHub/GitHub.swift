package import CredentialCore

/// GitHub: github.com, *.ghe.com (data residency) and Enterprise Server, by docs.github.com.
package struct GitHub: Provider {
    package static let facts = ProviderFacts(
        displayName: "GitHub", realms: ["GitHub"],
        // The name that GitHub's own tools use; any would do, since the token is a password alone.
        anyUsername: "x-access-token",
        // "Username may only contain alphanumeric characters or single hyphens", up to 39 of them; those of an
        // enterprise have an underscore before its short code.
        nameSigns: "-_", longestName: 39,
        // For clone and push, workflow files, and gists. There is no narrower scope for private repositories; GitHub
        // Apps ignore the list.
        scopes: "repo workflow gist",
        includedScopes: ["repo": ["public_repo", "repo:status", "repo_deployment", "repo:invite"]],
        // The scope of GitHub's own command-line client (`gh auth login --short-lived`).
        shortLivedScope: "offline_access",
        // The prefix of GitHub Apps, whose access is on one page.
        scopelessClients: "Iv",
        refreshEndsToken: true,
        // "Getting started with the REST API".
        api: .init(
            subdomain: "api", path: "/api/v3", login: "login", accept: "application/vnd.github+json",
            reachPath: "/rate_limit"),
        pages: .init(
            newToken: "/settings/tokens/new?description=git&scopes=*",
            // "Pre-filling fine-grained personal access token details using URL parameters".
            newFineGrainedToken: "/settings/personal-access-tokens/new?name=git&contents=write&workflows=write",
            access: "/settings/connections/applications/*", otherAccess: "/settings/apps/authorizations",
            approval: "/settings/connections/applications", installations: "/settings/installations",
            ownApps: "/settings/apps", singleSignOn: "/orgs/*/sso"),
        // Pages with filled-in fields. For an OAuth App, by the form's own field names, which are undocumented but
        // widely used; unknown ones leave the form empty. The callback is never used. For a GitHub App, by "Registering
        // a GitHub App using URL parameters"; its name must be unique, so the person chooses it.
        registrations: [
            .oauthApp: (
                "/settings/applications/new?oauth_application%5Bname%5D=git-credential-gitspace"
                    + "&oauth_application%5Burl%5D=*&oauth_application%5Bcallback_url%5D=http://127.0.0.1",
                .gitHubOAuthApp
            ),
            .gitHubApp: (
                "/settings/apps/new?url=*&public=false&webhook_active=false&contents=write&workflows=write", .gitHubApp
            ),
        ],
        // "About authentication to GitHub", "GitHub's token formats".
        tokenForms: [
            .init(prefix: "ghp_", page: "/settings/tokens"),
            .init(prefix: "github_pat_", page: "/settings/personal-access-tokens"),
            // This page lists OAuth Apps only.
            .init(prefix: "gho_", page: "/settings/applications", isPersonal: false),
            .init(prefix: "ghu_", page: "/settings/apps/authorizations", isPersonal: false),
        ],
        // The pages of the sign-in.
        reachPath: "/login/device")

    package let host: SignInHost

    package init(_ host: SignInHost) { self.host = host }

    package func server(_ configured: SignInSettings?, over transport: any Transport) -> OAuthServer {
        var server = OAuthServer(
            deviceAuthorization: host.origin.appending("/login/device/code"),
            token: host.origin.appending("/login/oauth/access_token"))
        server.scopes = facts.scopes
        // The documentation has two names for an expired code.
        server.errorCodes = [
            "token_expired": .expiredToken, "device_flow_disabled": .deviceFlowDisabled,
            "incorrect_client_credentials": .incorrectClientCredentials, "incorrect_device_code": .incorrectDeviceCode,
            "bad_verification_code": .incorrectDeviceCode, "unverified_user_email": .unverifiedUserEmail,
            "bad_refresh_token": .invalidGrant,
        ]
        // The secret is a parameter ("Refreshing user access tokens").
        server.secretMethods = [.body]
        // GitHub answers `404 {"error":"Not Found"}`, or with a page.
        server.unknownClientStatus = 404
        // GitHub separates scopes by commas in its answers.
        server.scopeSeparator = UInt8(ascii: ",")
        return server.with(configured)
    }

    /// "Get the authenticated user"; of an installation's token, whose owner is no user, what shows that it is good.
    package func holder(
        of token: Secret, issuedTo _: OAuthClient?, at _: (repository: String, username: String)?,
        over transport: any Transport
    ) -> Holder {
        guard Self.isInstallationToken(token) else { return user(of: token, over: transport) }
        // "List repositories accessible to the app installation": of them, one is enough.
        let request = request("/installation/repositories?per_page=1", token: token)
        return Holder(asking: request, over: transport) { response in
            response.status == 200 ? .account(names: [facts.anyUsername]) : .unknown()
        }
    }

    /// "Revoke a list of credentials", which only github.com has.
    ///
    /// The endpoint needs no more than the token, and refuses authenticated requests. Accepted tokens are revoked
    /// within minutes, and the owner gets an e-mail.
    package func revoke(_ grants: [RevocableGrant], over transport: any Transport) -> RevocationOutcome {
        let all = grants.flatMap(\.tokens)
        let outcome = revokeInstallations(all.filter(Self.isInstallationToken), over: transport)
        let tokens = all.filter { !Self.isInstallationToken($0) }
        guard !tokens.isEmpty, outcome == .accepted else { return outcome }
        guard host.isBuiltIn, host.origin.host == "github.com" else { return .unsupported }
        var request = request("/credentials/revoke", token: nil)
        request.method = .post
        request.body = .json(
            JSONValue.object(["credentials": .array(tokens.map(JSONValue.secret))]).serialized)
        do {
            let response = try transport.send(request)
            return response.status == 202 ? .accepted : .refused(status: response.status)
        } catch {
            return .failed(error)
        }
    }
}

extension Provider {
    /// GitHub, which alone has apps that act in their own name, and tokens for one repository.
    package var gitHub: GitHub? { self as? GitHub }
}
