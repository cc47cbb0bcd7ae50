package import CredentialCore

/// What is known of a kind of host without asking it; paths are below the host's origin.
package struct ProviderFacts: Sendable {
    /// The name that people know such a service by.
    package var displayName: DisplayText
    /// Of its challenges (RFC 9110, 11.5), as people call such a server.
    package var realms: [String] = []

    /// The name that goes to git with a token of which nobody could say whose it is.
    package var anyUsername: String
    /// What the service has in names of accounts beyond letters and digits, and how many bytes at most.
    var nameSigns: String
    var longestName: Int
    /// Whether git can send a token as `Authorization: Bearer`, if the person has configured that.
    package var takesBearer = false

    /// What to ask for unless `oauthScopes` says otherwise, separated by spaces.
    package var scopes: String
    /// Scopes that contain others, which the server then leaves out of its answer.
    package var includedScopes: [String: [String]] = [:]
    /// It asks for a token that ends; nil where tokens end anyway, or by the host's decision.
    var shortLivedScope: String?
    /// How the IDs of clients begin that know no scopes.
    var scopelessClients: String?
    /// Whether the server that issues tokens may be another than the host, so that a grant has to remember which it was.
    package var issuesElsewhere = false
    /// Whether a refresh ends the token that there was before.
    package var refreshEndsToken = false

    var api: API?
    var pages = Pages()
    /// Where a person registers an app; `*` stands for the origin.
    var registrations: [AppKind: (path: String, form: Registration.Form)] = [:]
    var tokenForms: [TokenForm] = []
    /// What a token that a person makes must permit, in the words of that page; nil if its address chooses that.
    package var tokenPermissions: DisplayText?
    /// How the passwords begin that the host no longer accepts from git.
    var appPasswordPrefix: String?
    /// The test of a token that a person brings.
    package var tokenCheck = TokenCheck.owner
    /// Something small that needs no token and is there whenever the host is.
    var reachPath: String

    /// What people write before the host of an address although nobody is called that: the user of ssh, and what hosts
    /// recommend beside a token.
    private static let wordsForNobody = ["git", "oauth2", "x-access-token"]

    /// Whether an account can have that name.
    package func isAccountName(_ name: [UInt8]) -> Bool {
        (1...longestName).contains(name.count) && ASCII.isPlain(name, with: nameSigns)
    }

    /// Nobody can sign in by that name: it is a word for nobody, or the service gives no such names.
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
        /// How its host begins where the host is built in; nil if it is the host itself.
        var subdomain: String?
        var path: String
        /// What `/user` calls the account's name.
        var login: String
        /// A media type.
        var accept = "application/json"
        var authorization: @Sendable (Secret) -> HTTPRequest.Authorization = { .bearer($0) }
        /// As the host's own.
        var reachPath: String?
    }

    /// `ProviderPage`, with `*` for the name in it, or for the scopes; nil if there is no such page, or none that we know.
    struct Pages: Sendable {
        var newToken: String?
        var newFineGrainedToken: String?
        var access: String?
        /// Without a client ID, or for one that has no page of its own.
        var otherAccess: String?
        var approval: String?
        var installations: String?
        /// An app of one's own is installed there.
        var ownApps: String?
        var branchRules: String?
        var singleSignOn: String?
    }

    /// How the tokens of a kind look, and on which page they are revoked.
    struct TokenForm: Sendable {
        var prefix = ""
        /// So many follow, in lower case; nil for anything.
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

    /// The scope that asks for a token that ends; nil for a client whose tokens end anyway, or by the host's decision.
    package func shortLivedScope(of clientID: String) -> String? {
        isScopeless(clientID) ? nil : facts.shortLivedScope
    }

    private func isScopeless(_ clientID: String) -> Bool {
        facts.scopelessClients.map { clientID.hasPrefix($0) } ?? false
    }

    // MARK: What only a browser can do

    /// Where a person does it; nil if the host has no such page, or none that we know.
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

    /// What is stored may have been written by anybody: an ID that is no plain word has no page.
    private func isListed(_ clientID: String) -> Bool {
        !isScopeless(clientID) && !clientID.isEmpty && ASCII.isPlain(clientID.utf8)
    }

    /// Where a person registers an app of that kind; nil if there is no such kind here, or no page that we know.
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
