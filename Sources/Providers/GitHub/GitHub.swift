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
        pages: [
            .newToken: "/settings/tokens/new?description=git&scopes=*",
            // "Pre-filling fine-grained personal access token details using URL parameters".
            .newFineGrainedToken: "/settings/personal-access-tokens/new?name=git&contents=write&workflows=write",
            .access: "/settings/connections/applications/*", .otherAccess: "/settings/apps/authorizations",
            .approval: "/settings/connections/applications", .installations: "/settings/installations",
            .ownApps: "/settings/apps", .singleSignOn: "/orgs/*/sso",
        ],
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
        let list = JSONValue.object(["credentials": .array(tokens.map(JSONValue.secret))]).serialized
        return RevocationOutcome(request("/credentials/revoke", token: nil, .post, .json(list)), over: transport) {
            $0 == 202
        }
    }

    static func isInstallationToken(_ token: Secret) -> Bool { token.reveal { $0.starts(with: "ghs_".utf8) } }

    /// "Revoke an installation access token": each token revokes itself.
    func revokeInstallations(_ tokens: [Secret], over transport: any Transport) -> RevocationOutcome {
        var outcome = RevocationOutcome.accepted
        for token in tokens where outcome == .accepted {
            let request = request("/installation/token", token: token, .delete)
            // A rejected token is revoked already.
            outcome = RevocationOutcome(request, over: transport) { $0 == 204 || $0 == 401 }
        }
        return outcome
    }

    package func repository(
        _ name: String, as credential: StoredCredential?, over transport: any Transport
    ) throws(TransportError) -> RepositoryAnswer {
        answer(try transport.send(request("/repos/\(name)", token: credential?.password)), to: credential?.password)
    }

    func answer(_ response: HTTPResponse, to token: Secret?) -> RepositoryAnswer {
        let scopes = Self.scopes(response, of: token)
        return switch response.status {
        case 200: rights(response, scopes).map { .reached($0) } ?? .malformed
        case 403, 429: refusal(response)
        // 404 hides whether the repository exists. A person's token without scopes is of no app.
        case 404:
            singleSignOn(response) ?? scopes.map { $0.contains("repo") ? .notFound : .scopeMissing("repo") }
                ?? (token?.reveal { $0.starts(with: "github_pat_".utf8) } == true ? .notFound : .notFoundByApp)
        default: RepositoryAnswer(response)
        }
    }

    private func rights(_ response: HTTPResponse, _ scopes: [String]?) -> RepositoryRights? {
        guard let body = response.json, let isPrivate = body["private"]?.bool else { return nil }
        let permissions = body["permissions"]
        let reaching = isPrivate ? ["repo"] : ["repo", "public_repo"]
        return RepositoryRights(
            mayPush: permissions?["push"]?.bool ?? false,
            // The permissions are the person's; the scopes limit them.
            missingScope: scopes?.allSatisfy { !reaching.contains($0) } == true ? "repo" : nil,
            workflows: scopes.map { $0.contains("workflow") ? .granted : .missing } ?? .unknown,
            isArchived: body["archived"]?.bool ?? false || body["disabled"]?.bool ?? false)
    }

    private func refusal(_ response: HTTPResponse) -> RepositoryAnswer {
        if let required = singleSignOn(response) { return required }
        let message = Self.message(response)
        if Self.isRateLimit(response, message) { return .rateLimited(RateLimit(response)) }
        if message.contains("oauth app access restrictions") { return .appRestricted }
        if message.contains("saml enforcement") { return .singleSignOnRequired(page: nil) }
        if message.contains("ip allow list") { return .addressNotAllowed }
        if message.contains("not accessible by integration") { return .appNotInstalled }
        if response.json?["block"] != nil || message.contains("access blocked") { return .blocked }
        return .refused(status: response.status)
    }

    static func message(_ response: HTTPResponse) -> String {
        let message = response.json?["message"]?.string ?? []
        return String(decoding: message, as: UTF8.self).lowercased()
    }

    /// Whether a refusal is a rate limit, which has two statuses ("Rate limits for the REST API").
    static func isRateLimit(_ response: HTTPResponse, _ message: String) -> Bool {
        response.status == 429 || response.header("x-ratelimit-remaining") == [UInt8(ascii: "0")]
            || message.contains("rate limit")
    }

    /// Reads `X-GitHub-SSO: required; url=https://github.com/orgs/ORG/sso?authorization_request=…`.
    private func singleSignOn(_ response: HTTPResponse) -> RepositoryAnswer? {
        guard let header = response.header("x-github-sso") else { return nil }
        let parts = String(decoding: header, as: UTF8.self).split(separator: ";").map { $0.drop { $0 == " " } }
        guard parts.first == "required" else { return nil }
        let url = parts.first { $0.hasPrefix("url=") }.map { String($0.dropFirst(4)) } ?? ""
        let forms = ["/orgs/*/sso", "/enterprises/*/sso"]
        return .singleSignOnRequired(page: .page(url, on: host.origin, like: forms, query: "authorization_request"))
    }

    /// The granted scopes, or `nil` for a token of a kind that has none, with which the header may be there and empty.
    private static func scopes(_ response: HTTPResponse, of token: Secret?) -> [String]? {
        guard let header = response.header("x-oauth-scopes") else { return nil }
        let scopes = String(decoding: header, as: UTF8.self).split { $0 == "," || $0 == " " }.map(String.init)
        let hasNone = token?.reveal { text in ["ghu_", "ghs_", "github_pat_"].contains { text.starts(with: $0.utf8) } }
        return scopes.isEmpty && hasNone == true ? nil : scopes
    }
}

extension Provider {
    /// The provider as GitHub, which alone has apps that act in their own name, and tokens for one repository.
    package var gitHub: GitHub? { self as? GitHub }
}
