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
    var pages = Pages()
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

    /// The pages of `ProviderPage`, where `*` stands for the name or the scopes; `nil` if there is none, or it is
    /// unknown.
    struct Pages: Sendable {
        var newToken: String?
        var newFineGrainedToken: String?
        var access: String?
        /// The page for a client without its own page, or without a client ID.
        var otherAccess: String?
        var approval: String?
        var installations: String?
        /// The page for installing the person's own app.
        var ownApps: String?
        var branchRules: String?
        var singleSignOn: String?
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

    /// The base address of the REST API.
    var apiAddress: HTTPSAddress {
        if host.isBuiltIn, let subdomain = facts.api?.subdomain {
            return HTTPSAddress(host: "\(subdomain).\(host.origin.host)")
        }
        return address(facts.api?.path) ?? host.origin
    }

    func request(_ path: String, token: Secret?) -> HTTPRequest {
        HTTPRequest(
            .get, apiAddress.appending(path), authorization: token.flatMap { facts.api?.authorization($0) } ?? .none,
            fields: [("Accept", facts.api?.accept ?? "*/*")])
    }

    /// The scope for a token that expires, or `nil` if the client or the host decides about that.
    package func shortLivedScope(of clientID: String) -> String? { isScopeless(clientID) ? nil : facts.shortLivedScope }

    private func isScopeless(_ clientID: String) -> Bool {
        facts.scopelessClients.map { clientID.hasPrefix($0) } ?? false
    }

    // MARK: Pages for the browser

    package func page(_ page: ProviderPage) -> HTTPSAddress? {
        let pages = facts.pages
        return switch page {
        case .newToken: address(pages.newToken, facts.scopes.replacing(" ", with: ","))
        case .newFineGrainedToken: address(pages.newFineGrainedToken)
        case .access(let clientID?) where pages.access?.contains("*") == false || isListed(clientID):
            address(pages.access, clientID)
        case .access: address(pages.otherAccess)
        case .approval: address(pages.approval)
        case .installations: address(pages.installations)
        case .repository(let name): address("/*", name)
        case .branchRules(let name): address(pages.branchRules, name)
        case .singleSignOn(let organisation): address(pages.singleSignOn, organisation)
        }
    }

    /// Whether a client has a page of its own; a stored ID that is no plain word must not become part of an address.
    private func isListed(_ clientID: String) -> Bool {
        !isScopeless(clientID) && !clientID.isEmpty && ASCII.isPlain(clientID.utf8)
    }

    package func registration(of kind: AppKind) -> Registration? {
        facts.registrations[kind].flatMap { path, form in
            address(path, host.origin.origin).map {
                Registration(page: $0, form: form, scopes: facts.scopes, ownApps: address(facts.pages.ownApps))
            }
        }
    }

    package func isAppPassword(_ token: Secret) -> Bool {
        facts.appPasswordPrefix.map { prefix in token.reveal { $0.starts(with: prefix.utf8) } } ?? false
    }

    /// The page that revokes a token of no known app, or `nil` if its form is unknown.
    package func page(revoking token: Secret) -> TokenPage? {
        facts.tokenForms.first { $0.fits(token) }
            .map { TokenPage(address: host.origin.appending($0.page), isPersonal: $0.isPersonal) }
    }

    /// A small page of the host, and one of its API if that is on another server.
    package var reachAddresses: [HTTPSAddress] {
        let own = host.origin.appending(facts.reachPath)
        guard let path = facts.api?.reachPath.map(apiAddress.appending) else { return [own] }
        return path.isSameOrigin(as: own) ? [path] : [own, path]
    }
}
