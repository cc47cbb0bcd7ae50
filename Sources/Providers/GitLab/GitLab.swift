package import CredentialCore

/// GitLab: gitlab.com and self-managed, by docs.gitlab.com ("OAuth 2.0 identity provider API", from 17.2 on).
package struct GitLab: Provider {
    package let displayName: DisplayText = "GitLab"

    /// "Access Git over HTTPS with access token": any name will do, and this is the one that is documented.
    package let anyUsername = "oauth2"

    /// Clone and push, and who one is; the API itself is left closed.
    package let defaultScopes = "read_repository write_repository read_user"

    package let includedScopes = [
        "api": ["read_api", "read_user", "read_repository", "write_repository"], "read_api": ["read_user"],
        "write_repository": ["read_repository"],
    ]

    /// git over HTTPS takes a token as a password alone.
    package let takesBearer = false

    package init() {}

    /// It keeps to the RFCs, since Doorkeeper answers there; "Confidential" is ticked on a new application.
    package func server(
        of host: SignInHost, configured: SignInSettings?, over transport: any Transport
    ) -> OAuthServer {
        var server = OAuthServer(
            deviceAuthorization: host.origin.appending("/oauth/authorize_device"),
            authorization: host.origin.appending("/oauth/authorize"),
            token: host.origin.appending("/oauth/token"), revocation: host.origin.appending("/oauth/revoke"))
        server.scopes = defaultScopes
        server.hasConfidentialClients = true
        return server.with(configured)
    }

    /// A request to the REST API.
    func api(_ path: String, of host: SignInHost, token: Secret?) -> HTTPRequest {
        HTTPRequest(
            .get, host.origin.appending("/api/v4" + path), authorization: token.map { .bearer($0) } ?? .none)
    }

    /// "Retrieve the current user".
    package func account(of token: Secret, on host: SignInHost, over transport: any Transport) -> AccountAnswer {
        let answer = AccountAnswer(
            asking: api("/user", of: host, token: token), for: "username", orUnnamedIf: Self.isOfOtherScope,
            over: transport)
        // Only git's own protocol tells whether a token that does not reach the API is of use (gitprotocol-http(5)).
        guard answer == .accepted(names: []) else { return answer }
        do {
            let fetch = try GitProbe.fetch.answer(
                at: "git/git.git", on: host.origin, as: .basic(username: anyUsername, password: token),
                over: transport)
            return fetch.status == 401 ? .rejected : answer
        } catch {
            return AccountAnswer(error)
        }
    }

    /// Valid, without `read_user`; the tokens of projects and groups cannot have it (RFC 6750, 3.1).
    private static func isOfOtherScope(_ response: HTTPResponse) -> Bool {
        response.status == 403
            && JSONValue(parsing: response.body)?["error"]?.string?.elementsEqual("insufficient_scope".utf8) == true
    }

    /// "Reserved names" and the rules beside them allow 255 characters.
    package func isAccountName(_ name: [UInt8]) -> Bool { isName(name, signs: "-_.", longest: 255) }

    /// "Retrieve the token information", which knows tokens of applications alone, and does not say whose they are.
    package func details(of token: Secret, on host: SignInHost, over transport: any Transport) -> TokenDetails? {
        let request = HTTPRequest(.get, host.origin.appending("/oauth/token/info"), authorization: .bearer(token))
        guard let response = try? transport.send(request), response.status == 200,
            let body = JSONValue(parsing: response.body), case .object = body
        else { return nil }
        let seconds = AnswerFields(response)?.seconds("expires_in")
        return TokenDetails(scopes: Self.scopes(body["scope"]), expiresIn: seconds.flatMap { $0 > 0 ? $0 : nil })
    }

    /// A list of words, each made of what RFC 6749, 3.3, allows; nil for anything else.
    private static func scopes(_ value: JSONValue?) -> String? {
        guard case .array(let names)? = value, names.count <= 50 else { return nil }
        let words = names.compactMap(\.string).filter { word in
            (1...100).contains(word.count)
                && word.allSatisfy { (0x21...0x7e).contains($0) && $0 != 0x22 && $0 != 0x5c }
        }
        guard words.count == names.count else { return nil }
        return words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    }

    /// RFC 7009, the refresh token first.
    ///
    /// The endpoint says yes to what it does not know, and so to a personal access token, which then lives on: what was
    /// issued to no client is not sent there.
    package func revoke(
        _ grants: [RevocableGrant], on host: SignInHost, over transport: any Transport
    ) -> RevocationOutcome {
        RevocationOutcome(revoking: grants, over: transport)
    }
}

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
