package import CredentialCore

/// GitLab: gitlab.com and self-managed, by docs.gitlab.com ("OAuth 2.0 identity provider API", from 17.2 on).
package struct GitLab: Provider {
    package static let facts = ProviderFacts(
        displayName: "GitLab", realms: ["GitLab"],
        // The documented name ("Access Git over HTTPS with access token"); GitLab ignores it.
        anyUsername: "oauth2",
        // "Reserved names".
        nameSigns: "-_.", longestName: 255,
        // For clone, push and the account's name; the API is not included.
        scopes: "read_repository write_repository read_user",
        includedScopes: [
            "api": ["read_api", "read_user", "read_repository", "write_repository"], "read_api": ["read_user"],
            "write_repository": ["read_repository"],
        ],
        refreshEndsToken: true, api: .init(path: "/api/v4", login: "username"),
        pages: [
            // "Create a personal access token with prefilled details".
            .newToken: tokens + "?name=git&scopes=*",
            // "View all authorized applications"; the person's own applications are on the same page.
            .access: applications, .otherAccess: tokens,
            // Groups neither approve nor install applications.
            .branchRules: "/*/-/branches", .singleSignOn: "/groups/*/-/saml/sso",
        ],
        // "Create a user-owned application"; the page's address cannot fill in the form.
        registrations: [.oauthApp: (applications, .gitLabApplication)],
        tokenForms: [.init(prefix: "glpat-", page: tokens)],
        // A page that everybody can read; sign-in and API are on the same host.
        reachPath: "/oauth/discovery/keys")

    private static let applications = "/-/user_settings/applications"
    private static let tokens = "/-/user_settings/personal_access_tokens"
    package let host: SignInHost
    package init(_ host: SignInHost) { self.host = host }

    /// GitLab's server, Doorkeeper, follows the RFCs; "Confidential" is ticked on a new application.
    package func server(_ configured: SignInSettings?, over transport: any Transport) -> OAuthServer {
        var server = OAuthServer(
            deviceAuthorization: host.origin.appending("/oauth/authorize_device"),
            authorization: host.origin.appending("/oauth/authorize"),
            token: host.origin.appending("/oauth/token"), revocation: host.origin.appending("/oauth/revoke"))
        server.scopes = facts.scopes
        server.secretMethods = [.body]
        server.hasConfidentialClients = true
        return server.with(configured)
    }

    /// "Retrieve the current user".
    ///
    /// A token may be valid without `read_user`, which projects' and groups' tokens cannot have (RFC 6750, 3.1). Git's
    /// own protocol then tells whether the token is valid.
    package func holder(
        of token: Secret, issuedTo _: OAuthClient?, at _: (repository: String, username: String)?,
        over transport: any Transport
    ) -> Holder {
        user(of: token, over: transport) { response in
            let error = response.json?["error"]?.string
            guard response.status == 403, error?.elementsEqual("insufficient_scope".utf8) == true else {
                return .unknown()
            }
            return Holder { () throws(TransportError) in
                let authorization = HTTPRequest.Authorization.basic(username: facts.anyUsername, password: token)
                let fetch = try ask(.fetch, at: "git/git.git", as: authorization, over: transport)
                return fetch == .tokenRejected ? .rejected : .good
            }
        }
    }

    /// "Retrieve the token information": only for an application's token, and without its owner.
    package func details(of token: Secret, over transport: any Transport) throws(TransportError) -> TokenDetails? {
        let request = HTTPRequest(.get, host.origin.appending("/oauth/token/info"), authorization: .bearer(token))
        let response = try transport.send(request)
        guard response.status == 200, let fields = response.fields else { return nil }
        let seconds = fields.seconds("expires_in")
        return TokenDetails(scopes: Self.scopes(fields["scope"]), expiresIn: seconds.flatMap { $0 > 0 ? $0 : nil })
    }

    /// Parses a list of scopes (RFC 6749, 3.3); returns `nil` for another value.
    private static func scopes(_ value: JSONValue?) -> String? {
        guard case .array(let names)? = value, names.count <= 50 else { return nil }
        let words = names.compactMap(\.string)
        guard words.count == names.count,
            words.allSatisfy({ (1...100).contains($0.count) && $0.allSatisfy(ASCII.isUnquoted) })
        else { return nil }
        return words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    }

    package func repositoryName(_ segments: [String]) -> String? {
        // Groups contain groups; in a browser, the parts after `/-/` are a page of the project.
        let path = segments.prefix { $0 != "-" }
        return path.count < 2 ? nil : path.joined(separator: "/")
    }

    /// The rights in a project, by "Retrieve a project" and by git's own protocol.
    ///
    /// A sign-in does not request the API's scope `read_api`, which git does not need. git's first request of a clone or
    /// push needs only the scopes of that operation.
    package func repository(
        _ name: String, as credential: StoredCredential?, over transport: any Transport
    ) throws(TransportError) -> RepositoryAnswer {
        let id = name.split(separator: "/").joined(separator: "%2F")
        let response = try transport.send(request("/projects/\(id)", token: credential?.password))
        switch (response.status, credential) {
        case (200, _):
            guard let rights = Self.rights(response) else { return .malformed }
            guard let credential, !rights.isArchived else { return .reached(rights) }
            return try pushing(name, credential, rights, over: transport)
        case (403, let credential?): return try pushing(name, credential, nil, over: transport)
        default: return RepositoryAnswer(response)
        }
    }

    /// Returns `nil` if the answer describes no project.
    private static func rights(_ response: HTTPResponse) -> RepositoryRights? {
        guard let body = response.json, body["id"] != nil else { return nil }
        let levels = ["project_access", "group_access"].compactMap {
            body["permissions"]?[$0]?["access_level"]?.wholeNumber
        }
        // A Developer may push ("Roles").
        return RepositoryRights(mayPush: levels.contains { $0 >= 30 }, isArchived: body["archived"]?.bool ?? false)
    }

    // MARK: git's protocol

    private func pushing(
        _ name: String, _ credential: StoredCredential, _ rights: RepositoryRights?, over transport: any Transport
    ) throws(TransportError) -> RepositoryAnswer {
        let push = try askGit(.push, name, credential, over: transport)
        // GitLab checks the scope, and whether the repository is read-only, before the account's role.
        var found = rights ?? RepositoryRights(mayPush: true)
        switch push {
        case .reached(let rights) where rights.mayPush: return push
        case .reached: found.mayPush = rights?.mayPush ?? false
        case .scopeMissing(let scope): found.missingScope = scope
        case .refused(status: 403): break
        default: return push
        }
        found.refusesPushes = found.mayPush && found.missingScope == nil
        let fetch = try askGit(.fetch, name, credential, over: transport)
        return fetch.isReached ? .reached(found) : fetch
    }

    private func askGit(
        _ probe: GitProbe, _ name: String, _ credential: StoredCredential, over transport: any Transport
    ) throws(TransportError) -> RepositoryAnswer {
        try ask(probe, at: name + ".git", as: credential.authorization, over: transport) {
            refusal($0.body.reveal { String(decoding: $0.prefix(2_048), as: UTF8.self) }, of: probe)
        }
    }

    /// Interprets the sentences of GitLab's `Gitlab::GitAccess`, which are never shown.
    private func refusal(_ text: String, of probe: GitProbe) -> RepositoryAnswer {
        if text.contains("not allowed to upload code.") || text.contains("not allowed to download code.") {
            return .scopeMissing(probe == .push ? "write_repository" : "read_repository")
        }
        if text.contains("not allowed to push code") || text.contains("not allowed to download code from") {
            return probe == .push ? .reached(RepositoryRights(mayPush: false)) : .notFound
        }
        if text.contains("SSO session") {
            let url = text.split(whereSeparator: \.isWhitespace).last.map(String.init) ?? ""
            return .singleSignOnRequired(
                page: HTTPSAddress.page(url, on: host.origin, like: ["/groups/*/-/saml/sso"], query: "token"))
        }
        return text.contains("has been blocked") ? .blocked : .refused(status: 403)
    }
}
