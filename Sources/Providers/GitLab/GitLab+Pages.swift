package import CredentialCore

extension GitLab {
    package func page(_ page: ProviderPage, on host: SignInHost) -> HTTPSAddress? {
        switch page {
        case .newToken:
            // "Create a personal access token with prefilled details".
            host.origin.appending(
                "\(Self.tokens)?name=git&scopes=" + defaultScopes.split(separator: " ").joined(separator: ","))
        // "View all authorized applications"; one's own are on the same page.
        case .access(_?): host.origin.appending(Self.applications)
        case .access(nil): host.origin.appending(Self.tokens)
        case .repository(let name): host.origin.appending("/\(name)")
        case .branchRules(let name): host.origin.appending("/\(name)/-/branches")
        case .singleSignOn(let group): host.origin.appending("/groups/\(group)/-/saml/sso")
        // Applications are neither approved by a group nor installed in one.
        case .approval, .installations: nil
        }
    }

    package func page(revoking token: Secret, on host: SignInHost) -> TokenPage? {
        token.reveal { $0.starts(with: "glpat-".utf8) }
            ? TokenPage(host.origin.appending(Self.tokens), isPersonal: true) : nil
    }

    /// "Create a user-owned application": a form that takes nothing from its address.
    package func registration(of kind: AppKind, on host: SignInHost) -> Registration? {
        guard kind == .oauthApp else { return nil }
        let scopes = defaultScopes.split(separator: " ").map(String.init)
        return Registration(page: host.origin.appending(Self.applications), form: .gitLabApplication(scopes: scopes))
    }

    /// Sign-in, and the API, on one host: something that is there for everybody.
    package func probes(of host: SignInHost) -> [HTTPSAddress] { [host.origin.appending("/oauth/discovery/keys")] }

    private static let applications = "/-/user_settings/applications"
    private static let tokens = "/-/user_settings/personal_access_tokens"
}
