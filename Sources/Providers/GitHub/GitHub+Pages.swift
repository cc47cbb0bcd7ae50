package import CredentialCore

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
            ("gho_", "/settings/applications", false),
        ]
        let kind = token.reveal { bytes in kinds.first { bytes.starts(with: $0.prefix.utf8) } }
        return kind.map { TokenPage(host.origin.appending($0.page), isPersonal: $0.isPersonal) }
    }
}
