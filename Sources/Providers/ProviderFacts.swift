package import CredentialCore

/// The known facts of a kind of host; paths are below the host's origin.
package struct ProviderFacts: Sendable {
    /// The service's name for people.
    package var displayName: DisplayText
    /// The realms of its challenges (RFC 9110, 11.5).
    package var realms: [String] = []

    /// The name that git gets with a token whose owner is unknown.
    package var anyUsername: String
    /// The signs besides letters and digits in names of accounts, and the most bytes of a name.
    var nameSigns: String
    var longestName: Int
    /// Whether git can send a token as `Authorization: Bearer`, if the person has configured that.
    package var takesBearer = false

    /// The scopes to request unless `oauthScopes` is set, separated by spaces.
    package var scopes: String
    /// Scopes that contain others, which the server then leaves out of its answer.
    package var includedScopes: [String: [String]] = [:]
    /// The scope for a token that expires, or `nil` if tokens expire anyway, or by the host's decision.
    var shortLivedScope: String?
    /// The prefix of client IDs without scopes.
    var scopelessClients: String?
    /// Whether another server may issue the tokens, so that a grant has to remember it.
    package var issuesElsewhere = false
    /// Whether a refresh ends the previous token.
    package var refreshEndsToken = false

    var api: API?
    var pages = Pages()
    /// The pages for registering an app; `*` stands for the origin.
    var registrations: [AppKind: (path: String, form: Registration.Form)] = [:]
    var tokenForms: [TokenForm] = []
    /// The permissions that a person's token needs, in the words of that page, or `nil` if its address selects them.
    package var tokenPermissions: DisplayText?
    /// How the passwords begin that the host no longer accepts from git.
    var appPasswordPrefix: String?
    /// The test of a token that a person brings.
    package var tokenCheck = TokenCheck.owner
    /// Something small that needs no token and is there whenever the host is.
    var reachPath: String

    /// User names in addresses that are no accounts: ssh's user, and names that hosts recommend with a token.
    private static let wordsForNobody = ["git", "oauth2", "x-access-token"]

    /// Whether an account can have that name.
    package func isAccountName(_ name: [UInt8]) -> Bool {
        (1...longestName).contains(name.count) && ASCII.isPlain(name, with: nameSigns)
    }

    /// Whether no account has that name: it is such a word, or not valid at the service.
    package func isNobodys(_ name: [UInt8]) -> Bool {
        !isAccountName(name) || Self.wordsForNobody.contains { ASCII.equalsIgnoringCase(name, $0) }
    }

    package enum TokenCheck: Sendable {
        /// The host, which knows its owner.
        case owner
        /// git's own request for a repository.
        case repository
        case none
    }

    /// The REST API.
    struct API: Sendable {
        /// The prefix of its host if the host is built in, or `nil` if it is the host itself.
        var subdomain: String?
        var path: String
        /// The key of the account's name in `/user`.
        var login: String
        /// The accepted media type.
        var accept = "application/json"
        var authorization: @Sendable (Secret) -> HTTPRequest.Authorization = { .bearer($0) }
        /// As the host's own.
        var reachPath: String?
    }

    /// The pages of `ProviderPage`, with `*` for the name or the scopes, or `nil` if there is none, or it is unknown.
    struct Pages: Sendable {
        var newToken: String?
        var newFineGrainedToken: String?
        var access: String?
        /// The page without a client ID, or for a client without a page of its own.
        var otherAccess: String?
        var approval: String?
        var installations: String?
        /// The page on which the person's own app is installed.
        var ownApps: String?
        var branchRules: String?
        var singleSignOn: String?
    }

    /// The form of a kind's tokens, and the page that revokes them.
    struct TokenForm: Sendable {
        var prefix = ""
        /// The number of lower-case digits after the prefix, or `nil` for anything.
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

    /// The name that people know the service by, if it has one of its own.
    package var displayName: DisplayText { KnownHost(host.name) == .codeberg ? "Codeberg" : facts.displayName }

    /// A path below the host's origin, with the name in it, or an address elsewhere.
    func address(_ path: String?, _ name: String = "") -> HTTPSAddress? {
        path.flatMap {
            $0.hasPrefix("/") ? host.origin.appending($0.replacing("*", with: name)) : HTTPSAddress(parsing: $0)
        }
    }

    /// Below it are the addresses of the REST API.
    var apiAddress: HTTPSAddress {
        if host.isBuiltIn, let subdomain = facts.api?.subdomain {
            return HTTPSAddress(host: "\(subdomain).\(host.origin.host)")
        }
        return address(facts.api?.path) ?? host.origin
    }

    /// A request to the REST API.
    func request(_ path: String, token: Secret?) -> HTTPRequest {
        HTTPRequest(
            .get, apiAddress.appending(path), authorization: token.flatMap { facts.api?.authorization($0) } ?? .none,
            accept: facts.api?.accept ?? "*/*")
    }

    /// The scope for a token that expires, or `nil` for a client whose tokens expire anyway, or by the host's decision.
    package func shortLivedScope(of clientID: String) -> String? {
        isScopeless(clientID) ? nil : facts.shortLivedScope
    }

    private func isScopeless(_ clientID: String) -> Bool {
        facts.scopelessClients.map { clientID.hasPrefix($0) } ?? false
    }

    // MARK: Pages for the browser

    /// The address of a page, or `nil` if the host has none, or it is unknown.
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

    /// Whether a client has a page: a stored ID that is no plain word could be anybody's text.
    private func isListed(_ clientID: String) -> Bool {
        !isScopeless(clientID) && !clientID.isEmpty && ASCII.isPlain(clientID.utf8)
    }

    /// The registration of an app of that kind, or `nil` if there is no such kind or known page.
    package func registration(of kind: AppKind) -> Registration? {
        facts.registrations[kind].flatMap { path, form in
            address(path, host.origin.origin).map {
                Registration(page: $0, form: form, scopes: facts.scopes, ownApps: address(facts.pages.ownApps))
            }
        }
    }

    /// Whether a token is a password of a kind that the host no longer accepts.
    package func isAppPassword(_ token: Secret) -> Bool {
        facts.appPasswordPrefix.map { prefix in token.reveal { $0.starts(with: prefix.utf8) } } ?? false
    }

    /// Where a token is revoked that no app of which we know has got; nil if its kind cannot be told.
    package func page(revoking token: Secret) -> TokenPage? {
        facts.tokenForms.first { $0.fits(token) }
            .map { TokenPage(address: host.origin.appending($0.page), isPersonal: $0.isPersonal) }
    }

    /// Something small on each server that a sign-in speaks to.
    package var reachAddresses: [HTTPSAddress] {
        let own = host.origin.appending(facts.reachPath)
        guard let path = facts.api?.reachPath.map(apiAddress.appending) else { return [own] }
        return path.isSameOrigin(as: own) ? [path] : [own, path]
    }
}
