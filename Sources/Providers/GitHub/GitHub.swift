package import CredentialCore

/// GitHub: github.com, *.ghe.com (data residency) and Enterprise Server, by docs.github.com.
package struct GitHub: Provider {
    package static let facts = ProviderFacts(
        displayName: "GitHub", realms: ["GitHub"],
        // The name that GitHub's own tools use; GitHub ignores it.
        anyUsername: "x-access-token",
        // "Username may only contain alphanumeric characters or single hyphens", up to 39; an enterprise's have an
        // underscore before its short code.
        nameSigns: "-_", longestName: 39,
        // For clone and push, workflow files, and gists; private repositories have no narrower scope. GitHub Apps
        // ignore the list.
        scopes: "repo workflow gist",
        includedScopes: ["repo": ["public_repo", "repo:status", "repo_deployment", "repo:invite"]],
        // The scope of GitHub's own command-line client (`gh auth login --short-lived`).
        shortLivedScope: "offline_access",
        // The prefix of GitHub Apps.
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
        // Pages with filled-in fields. The names of an OAuth App's fields are undocumented but widely used, and unknown
        // ones leave the form empty; the callback is never used. A GitHub App's are in "Registering a GitHub App using
        // URL parameters"; the person chooses its name, which must be unique.
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
            // The page of OAuth Apps.
            .init(prefix: "gho_", page: "/settings/applications", isPersonal: false),
            .init(prefix: "ghu_", page: "/settings/apps/authorizations", isPersonal: false),
        ],
        reachPath: "/login/device")

    package let host: SignInHost
    package init(_ host: SignInHost) { self.host = host }

    package func server(_ configured: SignInSettings?, over transport: any Transport) -> OAuthServer {
        var server = OAuthServer(
            deviceAuthorization: host.origin.appending("/login/device/code"),
            token: host.origin.appending("/login/oauth/access_token"))
        server.scopes = facts.scopes
        // The documentation has two codes for an expired code.
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
        server.scopeSeparator = UInt8(ascii: ",")
        return server.with(configured)
    }

    /// "Get the authenticated user"; an installation's token has no user, and only its repositories prove it.
    package func holder(
        of token: Secret, issuedTo _: OAuthClient?, at _: (repository: String, username: String)?,
        over transport: any Transport
    ) -> Holder {
        guard Self.isInstallationToken(token) else { return user(of: token, over: transport) }
        // "List repositories accessible to the app installation".
        let request = request("/installation/repositories?per_page=1", token: token)
        return Holder(asking: request, over: transport) { response in
            response.status == 200 ? .account(names: [facts.anyUsername]) : .unknown()
        }
    }

    /// "Revoke a list of credentials", which only github.com has.
    ///
    /// The endpoint refuses authenticated requests. Accepted tokens are revoked within minutes, and the owner gets an
    /// e-mail.
    package func revoke(_ grants: [RevocableGrant], over transport: any Transport) -> RevocationOutcome {
        let all = grants.flatMap(\.tokens)
        let outcome = revokeInstallations(all.filter(Self.isInstallationToken), over: transport)
        let tokens = all.filter { !Self.isInstallationToken($0) }
        guard !tokens.isEmpty, outcome == .accepted else { return outcome }
        guard host.isBuiltIn, host.origin.host == "github.com" else { return .unsupported }
        var request = request("/credentials/revoke", token: nil)
        request.method = .post
        request.body = .json(JSONValue.object(["credentials": .array(tokens.map(JSONValue.secret))]).serialized)
        do {
            let response = try transport.send(request)
            return response.status == 202 ? .accepted : .refused(status: response.status)
        } catch {
            return .failed(error)
        }
    }
}

extension Provider {
    /// The provider as GitHub, which alone has apps that act in their own name, and tokens for one repository.
    package var gitHub: GitHub? { self as? GitHub }
}
