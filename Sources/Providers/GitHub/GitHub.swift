package import CredentialCore

/// GitHub: github.com, *.ghe.com (data residency) and Enterprise Server, by docs.github.com.
package struct GitHub: Provider {
    package let displayName: DisplayText = "GitHub"

    /// What GitHub's own tools use; any name will do.
    package let anyUsername = "x-access-token"

    /// Clone and push, workflow files, gists.
    ///
    /// There is no narrower scope for private repositories, and GitHub Apps ignore the list.
    package let defaultScopes = "repo workflow gist"

    /// What GitHub's own command-line client asks for (`gh auth login --short-lived`); GitHub Apps (`Iv…`) know no scopes.
    package func shortLivedScope(of clientID: String) -> String? {
        clientID.hasPrefix("Iv") ? nil : "offline_access"
    }

    package let includedScopes = ["repo": ["public_repo", "repo:status", "repo_deployment", "repo:invite"]]

    /// git over HTTPS takes a token as a password alone.
    package let takesBearer = false

    package init() {}

    package func server(
        of host: SignInHost, configured: SignInSettings?, over transport: any Transport
    ) -> OAuthServer {
        var server = OAuthServer(
            deviceAuthorization: host.origin.appending("/login/device/code"),
            token: host.origin.appending("/login/oauth/access_token"))
        server.scopes = defaultScopes
        // The documentation has two names for a code that has ended.
        server.errorCodes = [
            "token_expired": .expiredToken, "device_flow_disabled": .deviceFlowDisabled,
            "incorrect_client_credentials": .incorrectClientCredentials, "incorrect_device_code": .incorrectDeviceCode,
            "bad_verification_code": .incorrectDeviceCode, "unverified_user_email": .unverifiedUserEmail,
            "bad_refresh_token": .invalidGrant,
        ]
        // `404 {"error":"Not Found"}`, or a page.
        server.unknownClientStatus = 404
        // Asked with spaces, it answers with commas.
        server.scopeSeparator = UInt8(ascii: ",")
        return server.with(configured)
    }

    /// An address of the REST API: on a host of its own, but for Enterprise Server.
    func api(_ path: String, of host: SignInHost) -> HTTPSAddress {
        let base =
            host.isBuiltIn ? HTTPSAddress(host: "api.\(host.origin.host)") : host.origin.appending("/api/v3")
        return base.appending(path)
    }

    /// A request to the REST API: "Getting started with the REST API".
    func request(_ address: HTTPSAddress, token: Secret?) -> HTTPRequest {
        HTTPRequest(.get, address, authorization: token.map { .bearer($0) } ?? .none, accept: Self.mediaType)
    }

    static let mediaType = "application/vnd.github+json"

    package func app(_ id: String) -> (any InstallableApp)? { GitHubApp(id: id) }

    package var repositoryTokens: (any RepositoryTokens)? { self }

    /// "Get the authenticated user"; of an installation's token, whose owner is no user, what shows that it is good.
    package func account(of token: Secret, on host: SignInHost, over transport: any Transport) -> AccountAnswer {
        if Self.isInstallations(token) { return installationAccount(of: token, on: host, over: transport) }
        return AccountAnswer(asking: request(api("/user", of: host), token: token), for: "login", over: transport)
    }

    /// "Username may only contain alphanumeric characters or single hyphens", up to 39 of them; those of an enterprise
    /// have an underscore before its short code.
    package func isAccountName(_ name: [UInt8]) -> Bool { isName(name, signs: "-_", longest: 39) }

    /// "Revoke a list of credentials".
    ///
    /// The endpoint is for whoever holds a token, and refuses a request that is authenticated. github.com alone has it.
    /// What it has accepted is done within minutes, and the owner is told by e-mail.
    package func revoke(
        _ grants: [RevocableGrant], on host: SignInHost, over transport: any Transport
    ) -> RevocationOutcome {
        let all = grants.flatMap(\.tokens)
        let outcome = revokeInstallations(all.filter(Self.isInstallations), on: host, over: transport)
        let tokens = all.filter { !Self.isInstallations($0) }
        guard !tokens.isEmpty, outcome == .accepted else { return outcome }
        guard host.isBuiltIn, host.origin.host == "github.com" else { return .unsupported }
        let request = HTTPRequest(
            .post, api("/credentials/revoke", of: host), body: .json(Self.body(tokens)),
            accept: Self.mediaType)
        do {
            let response = try transport.send(request)
            return response.status == 202 ? .accepted : .refused(status: response.status)
        } catch {
            return .failed(error)
        }
    }

    /// `{"credentials":["…","…"]}`; of the characters of tokens (RFC 6749, A.12), JSON escapes two.
    private static func body(_ tokens: [Secret]) -> Secret {
        var text = Array(#"{"credentials":["#.utf8)
        defer { text.wipe() }
        for (index, token) in tokens.enumerated() {
            text += index == 0 ? [UInt8(ascii: "\"")] : Array(#",""#.utf8)
            token.reveal { bytes in
                for byte in bytes {
                    if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { text.append(UInt8(ascii: "\\")) }
                    text.append(byte)
                }
            }
            text.append(UInt8(ascii: "\""))
        }
        text += Array("]}".utf8)
        return Secret(text)
    }
}

extension GitHub {
    package func page(_ page: ProviderPage, on host: SignInHost) -> HTTPSAddress? {
        switch page {
        case .newToken:
            host.origin.appending(
                "/settings/tokens/new?description=git&scopes="
                    + defaultScopes.split(separator: " ").joined(separator: ","))
        case .access(let clientID?): access(of: clientID, on: host)
        case .access(nil): authorizations(on: host)
        case .approval: host.origin.appending("/settings/connections/applications")
        case .installations: host.origin.appending("/settings/installations")
        case .repository(let name): host.origin.appending("/\(name)")
        case .branchRules: nil
        case .singleSignOn(let organisation): host.origin.appending("/orgs/\(organisation)/sso")
        }
    }

    /// The pages of the sign-in, and of the API where it has a host of its own.
    package func probes(of host: SignInHost) -> [HTTPSAddress] {
        let api = api("/rate_limit", of: host)
        return host.origin.isSameOrigin(as: api) ? [api] : [host.origin.appending("/login/device"), api]
    }

    /// The page on which an app is registered, with its fields filled in.
    ///
    /// For a GitHub App by "Registering a GitHub App using URL parameters"; its name has to be one that nobody else has,
    /// so that is left to the person. For an OAuth App the form's own names of its fields, which GitHub documents nowhere
    /// and many link to; unknown ones leave the form empty. No callback is ever used.
    package func registration(of kind: AppKind, on host: SignInHost) -> Registration? {
        // A colon and slashes are allowed in a query as they are (RFC 3986, 3.4).
        let home = "https://\(host.origin.authority)"
        switch kind {
        case .oauthApp:
            let fields = [
                "oauth_application%5Bname%5D=git-credential-gitspace", "oauth_application%5Burl%5D=\(home)",
                "oauth_application%5Bcallback_url%5D=http://127.0.0.1",
            ]
            let page = host.origin.appending("/settings/applications/new?" + fields.joined(separator: "&"))
            return Registration(page: page, form: .gitHubOAuthApp)
        case .gitHubApp:
            let fields = ["url=\(home)", "public=false", "webhook_active=false", "contents=write", "workflows=write"]
            return Registration(
                page: host.origin.appending("/settings/apps/new?" + fields.joined(separator: "&")),
                form: .gitHubApp(installation: host.origin.appending("/settings/apps")))
        }
    }

    /// The access of OAuth Apps is listed by their client IDs, that of GitHub Apps (`Iv…`) on one page.
    ///
    /// What is stored may have been written by anybody: an ID that is no plain word leads to the list as well.
    private func access(of clientID: String, on host: SignInHost) -> HTTPSAddress {
        let isWord = !clientID.isEmpty && clientID.utf8.allSatisfy(ASCII.isLetterOrDigit)
        return clientID.hasPrefix("Iv") || !isWord
            ? authorizations(on: host)
            : host.origin.appending("/settings/connections/applications/\(clientID)")
    }

    /// The access of GitHub Apps; what is stored tells no client ID of theirs.
    private func authorizations(on host: SignInHost) -> HTTPSAddress {
        host.origin.appending("/settings/apps/authorizations")
    }

    /// The prefixes are those of "About authentication to GitHub", "GitHub's token formats".
    package func page(revoking token: Secret, on host: SignInHost) -> TokenPage? {
        let kinds: [(prefix: String, page: String, isPersonal: Bool)] = [
            ("ghp_", "/settings/tokens", true), ("github_pat_", "/settings/personal-access-tokens", true),
            // Only OAuth Apps are listed there.
            ("gho_", "/settings/applications", false), ("ghu_", "/settings/apps/authorizations", false),
        ]
        let kind = token.reveal { bytes in kinds.first { bytes.starts(with: $0.prefix.utf8) } }
        return kind.map { TokenPage(host.origin.appending($0.page), isPersonal: $0.isPersonal) }
    }
}
