package import CredentialCore

/// The known facts of a kind of host; paths are below the host's origin.
package struct ProviderFacts: Sendable {
    package var displayName: DisplayText
    /// The realms of its challenges (RFC 9110, 11.5).
    package var realms: [String] = []

    /// The username for a token whose owner is unknown.
    package var anyUsername: String
    /// The signs besides letters and digits in account names, and the most bytes of a name.
    var nameSigns: String
    var longestName: Int
    /// Whether git can send a token as `Authorization: Bearer`, if a person has configured that.
    package var takesBearer = false

    /// The scopes to request unless `oauthScopes` is set, separated by spaces.
    package var scopes: String
    /// The scopes that each scope contains, which the server then leaves out of its answer.
    package var includedScopes: [String: [String]] = [:]
    var shortLivedScope: String?
    /// The prefix of the IDs of clients without scopes.
    var scopelessClients: String?
    /// Whether another server may issue the tokens; a grant then remembers it.
    package var issuesElsewhere = false
    package var refreshEndsToken = false
    var api: API?
    /// The addresses of pages, where `*` stands for the name or the scopes.
    var pages: [ProviderPage: String] = [:]
    /// The pages for registering an app, where `*` stands for the origin.
    var registrations: [AppKind: (path: String, form: Registration.Form)] = [:]
    var tokenForms: [TokenForm] = []
    /// The permissions of a token that a person creates, in the words of that page, or `nil` if the page's address
    /// selects them.
    package var tokenPermissions: DisplayText?
    /// The prefix of passwords that the host no longer accepts from git.
    var appPasswordPrefix: String?
    package var tokenCheck = TokenCheck.owner
    /// A small page that needs no token, and exists as long as the host works.
    var reachPath: String

    /// User names in addresses that are no accounts: ssh's user, and names that hosts recommend with a token.
    private static let wordsForNobody = ["git", "oauth2", "x-access-token"]

    package func isAccountName(_ name: [UInt8]) -> Bool {
        (1...longestName).contains(name.count) && ASCII.isPlain(name, with: nameSigns)
    }

    /// Whether no account has that name: it is one of those words, or not valid at the service.
    package func isNobodys(_ name: [UInt8]) -> Bool {
        !isAccountName(name) || Self.wordsForNobody.contains { ASCII.equalsIgnoringCase(name, $0) }
    }

    package enum TokenCheck: Sendable {
        /// The host names the token's owner.
        case owner
        /// git's own request for a repository shows whether the token is valid.
        case repository
        case none
    }

    struct API: Sendable {
        /// The API's subdomain of a built-in host, or `nil` if the API is on the host itself.
        var subdomain: String?
        var path: String
        /// The member of `/user` with the account's name.
        var login: String
        var accept = "application/json"
        var authorization: @Sendable (Secret) -> HTTPRequest.Authorization = { .bearer($0) }
        /// A small page of the API, like that of the host.
        var reachPath: String?
    }

    /// The form of a kind of tokens, and the page that revokes them.
    struct TokenForm: Sendable {
        var prefix = ""
        /// The number of lower-case hexadecimal digits after the prefix, or `nil` for any text.
        var hexDigits: Int?
        var page: String
        var isPersonal = true

        func fits(_ token: Secret) -> Bool {
            token.reveal { text in
                guard text.starts(with: prefix.utf8) else { return false }
                let rest = text.dropFirst(prefix.utf8.count)
                return hexDigits.map { $0 == rest.count && rest.allSatisfy(Hexadecimal.isLowercase) } ?? true
            }
        }
    }
}

extension Provider {
    package var facts: ProviderFacts { Self.facts }
    package var displayName: DisplayText { BuiltInHost(host.name) == .codeberg ? "Codeberg" : facts.displayName }

    /// An absolute address, or a path below the host's origin, where `name` replaces `*`.
    func address(_ path: String?, _ name: String = "") -> HTTPSAddress? {
        path.flatMap {
            $0.hasPrefix("/") ? host.origin.appending($0.replacing("*", with: name)) : HTTPSAddress(parsing: $0)
        }
    }

    var apiAddress: HTTPSAddress {
        if host.isBuiltIn, let subdomain = facts.api?.subdomain {
            return HTTPSAddress(host: "\(subdomain).\(host.origin.host)")
        }
        return address(facts.api?.path) ?? host.origin
    }

    func request(
        _ path: String, token: Secret?, _ method: HTTPRequest.Method = .get, _ body: HTTPRequest.Body = .none
    ) -> HTTPRequest {
        HTTPRequest(
            method, apiAddress.appending(path), body: body,
            authorization: token.flatMap { facts.api?.authorization($0) } ?? .none,
            fields: [("Accept", facts.api?.accept ?? "*/*")])
    }

    /// The scope for a token that expires, or `nil` if the client or the host decides about that.
    package func shortLivedScope(of clientID: String) -> String? { isScopeless(clientID) ? nil : facts.shortLivedScope }

    private func isScopeless(_ clientID: String) -> Bool {
        facts.scopelessClients.map { clientID.hasPrefix($0) } ?? false
    }

    // MARK: Pages for the browser

    /// A page about a client, repository or organisation of that name, if it needs one.
    package func page(_ page: ProviderPage, _ name: String? = nil) -> HTTPSAddress? {
        switch page {
        case .newToken: return address(facts.pages[page], facts.scopes.replacing(" ", with: ","))
        case .access:
            let hasOwn = name.map { facts.pages[.access]?.contains("*") == false || isListed($0) } ?? false
            return address(facts.pages[hasOwn ? .access : .otherAccess], name ?? "")
        case .repository: return address("/*", name ?? "")
        default: return address(facts.pages[page], name ?? "")
        }
    }

    /// Whether a client has a page of its own; a stored ID that is no plain word must not become part of an address.
    private func isListed(_ clientID: String) -> Bool {
        !isScopeless(clientID) && !clientID.isEmpty && ASCII.isPlain(clientID.utf8)
    }

    package func registration(of kind: AppKind) -> Registration? {
        facts.registrations[kind].flatMap { path, form in
            address(path, host.origin.origin).map { Registration(page: $0, form: form) }
        }
    }

    package func isAppPassword(_ token: Secret) -> Bool {
        facts.appPasswordPrefix.map { prefix in token.reveal { $0.starts(with: prefix.utf8) } } ?? false
    }

    /// The page that revokes a token of no known app, for people's own tokens or for apps; `nil` if its form is unknown.
    package func page(revoking token: Secret) -> (address: HTTPSAddress, isPersonal: Bool)? {
        facts.tokenForms.first { $0.fits(token) }.map { (host.origin.appending($0.page), $0.isPersonal) }
    }

    /// A small page of the host, and one of its API if that is on another server.
    package var reachAddresses: [HTTPSAddress] {
        let own = host.origin.appending(facts.reachPath)
        guard let path = facts.api?.reachPath.map(apiAddress.appending) else { return [own] }
        return path.isSameOrigin(as: own) ? [path] : [own, path]
    }
}

/// A page that a person may need in a browser; hosts need not have all of them.
package enum ProviderPage {
    /// Creates a personal access token with the rights that git needs.
    case newToken
    /// Creates a token for chosen repositories only.
    case newFineGrainedToken
    /// Shows or withdraws an app's access or, without a client ID or a page for that client, all other access.
    case access
    case otherAccess
    /// Asks an organisation to approve an app.
    case approval
    /// Shows where apps are installed, and admits them to a repository.
    case installations
    /// Installs the person's own GitHub App on repositories.
    case ownApps
    case repository
    /// Shows who may push to the protected branches of a repository.
    case branchRules
    /// Signs in to an organisation.
    case singleSignOn
}

extension HTTPSAddress {
    /// A page that a server names, rebuilt from the words in its URL, or `nil` if it has none of the forms.
    ///
    /// `*` in a form is a word. Other pages of the host may act in the person's name, and `..` has many spellings.
    static func page(
        _ url: String, on origin: HTTPSAddress, like forms: [String], query name: String
    ) -> HTTPSAddress? {
        guard let address = HTTPSAddress(parsing: url), address.isSameOrigin(as: origin) else { return nil }
        let parts = address.path.split(separator: "?", omittingEmptySubsequences: false)
        guard parts.count <= 2, forms.contains(where: { isPath(parts[0], like: $0) }) else { return nil }
        let page = origin.appending(String(parts[0]))
        guard parts.count == 2 else { return page }
        let field = parts[1].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard field.count == 2, field[0] == name else { return nil }
        // Padding of base64url may follow.
        let value = field[1].prefix { $0 != "=" }
        guard isWord(value), field[1].dropFirst(value.count).allSatisfy({ $0 == "=" }) else { return nil }
        return page.appending("?\(name)=\(field[1])")
    }

    private static func isPath(_ path: Substring, like form: String) -> Bool {
        let folders = path.split(separator: "/", omittingEmptySubsequences: false)
        let wanted = form.split(separator: "/", omittingEmptySubsequences: false)
        return folders.count == wanted.count && zip(folders, wanted).allSatisfy { $1 == "*" ? isWord($0) : $0 == $1 }
    }

    private static func isWord(_ text: Substring) -> Bool { !text.isEmpty && ASCII.isPlain(text.utf8, with: "-_") }
}

package enum AppKind: CaseIterable {
    /// An OAuth client of the host's usual kind (RFC 6749, 2).
    case oauthApp
    /// A GitHub App, whose tokens expire after eight hours, can be refreshed, and reach only repositories with the app.
    case gitHubApp
}

package struct Registration: Equatable {
    package let page: HTTPSAddress
    package let form: Form

    package enum Form: Sendable {
        /// The form of an OAuth App, whose tokens reach everything that the person can reach, and do not expire.
        case gitHubOAuthApp
        case gitHubApp
        /// The form of a user-owned application, limited to its scopes, which has to be public.
        case gitLabApplication
        /// The form of an application, which has to be public.
        case giteaApplication
    }
}
