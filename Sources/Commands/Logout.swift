package import CredentialCore
package import Helper
internal import Providers

/// The verb `logout`: removes what is stored, and has the server forget it if the person wishes.
package struct Logout: Command {
    private let request: Request
    private let revokes: Bool
    private let dependencies: Dependencies
    private let scope: Scope

    /// Which accounts of the host go.
    package enum Scope {
        /// The one that the request names, or the only one that there is.
        case one
        /// All of them.
        case all
    }

    /// What was done.
    package struct Report {
        /// The host as it is said to people.
        package let host: DisplayText
        /// The accounts that were removed.
        package let accounts: [DisplayText]
        /// Whether the server has been told to forget the token.
        package let isRevoked: Bool
        /// Where the person can withdraw the app's access; nil if that is of no use, or is said with what failed.
        package let page: HTTPSAddress?
    }

    /// A log-out.
    ///
    /// - Parameters:
    ///   - request: the host, and the account if one is named.
    ///   - scope: which accounts of the host go.
    ///   - revokes: whether the server is to be told.
    ///   - dependencies: everything outside.
    package init(_ request: Request, _ scope: Scope, revokes: Bool, with dependencies: Dependencies) {
        self.request = request
        self.scope = scope
        self.revokes = revokes
        self.dependencies = dependencies
    }

    /// Removes the accounts of the request's host.
    package func run(_ tell: (Report) -> Void) throws(UserFacingError) -> ExitStatus {
        let resolver = ContextResolver(with: dependencies)
        let context: CredentialContext
        do {
            context = try resolver.credentialContext(of: request)
        } catch {
            throw UserFacingError(error)
        }
        let found = try accounts(of: context, request.username)
        let signIn: SignInContext?
        do {
            signIn = try resolver.signInContext(of: context)
        } catch {
            // What is in the keyring can go all the same; the server cannot be told.
            guard !revokes else { throw .configurationUnreadable(error) }
            signIn = nil
        }
        // First the server, then the keyring: if we are ended in between, what is left can be logged out again.
        let revocation = revokes ? signIn.flatMap { revoke(found, $0) } : nil
        do {
            for item in found { try dependencies.keyring.remove(item.item) }
        } catch {
            throw .notErased(error)
        }
        let name = DisplayText(context.host.text)
        let page = signIn.map { self.page(found, on: $0.host) }
        let isRevoked = if case .accepted? = revocation { true } else { false }
        tell(
            Report(
                host: name, accounts: names(found), isRevoked: isRevoked, page: revocation == nil ? page : nil))
        // What is gone from the keyring was told first: it is true whatever the server says.
        switch revocation {
        case .failed(let error): throw .notRevoked(host: name, error, page: page)
        case .refused(let status): throw .revocationRefused(host: name, status: status, page: page)
        case .unsupported: throw .revocationUnsupported(host: name, page: page)
        case .accepted, nil: return .done
        }
    }

    private func accounts(of context: CredentialContext, _ user: [UInt8]?) throws(UserFacingError) -> [StoredMatch] {
        let host = DisplayText(context.host.text)
        let found: [StoredMatch]
        do {
            found = try Lookup(with: dependencies).all(context.everything(user: user))
        } catch {
            throw .keyring(error)
        }
        guard !found.isEmpty else { throw .notSignedIn(host: host) }
        let names = names(found)
        guard scope == .all || names.count == 1 else { throw .severalAccounts(host: host, names) }
        return found
    }

    /// Each account once, in the order in which they were found.
    private func names(_ found: [StoredMatch]) -> [DisplayText] {
        var names: [DisplayText] = []
        for item in found {
            let name = DisplayText(item.credential.username)
            if !names.contains(name) { names.append(name) }
        }
        return names
    }

    private func revoke(_ found: [StoredMatch], _ context: SignInContext) -> RevocationOutcome? {
        let tokens = found.flatMap { [$0.credential.password, $0.credential.oauthRefreshToken] }
            .compactMap { $0 }.filter(\.isToken)
        guard !tokens.isEmpty else { return nil }
        return context.host.provider.revoke(tokens, on: context.host, over: dependencies.transport(context.transport))
    }

    private func page(_ found: [StoredMatch], on host: SignInHost) -> HTTPSAddress {
        let clientID = found.lazy.compactMap(\.credential.grant).first?.clientID
        return host.provider.page(.access(clientID: clientID), on: host)
    }
}
