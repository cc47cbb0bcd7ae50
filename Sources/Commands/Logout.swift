package import CredentialCore
package import Helper
package import Providers

/// The verb `logout`: removes what is stored, and has the server forget it if the person wishes.
package struct Logout {
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
        package let host: String
        /// The accounts that were removed.
        package let accounts: [String]
        /// What the server made of it; nil if it was not asked, or has nothing to revoke.
        package let revocation: RevocationOutcome?
        /// Where the person can withdraw the app's access; nil for a host where we do not sign in.
        package let page: String?
    }

    /// A log-out.
    package init(_ scope: Scope, with dependencies: Dependencies) {
        self.scope = scope
        self.dependencies = dependencies
    }

    /// Removes the accounts of a request's host.
    ///
    /// - Parameters:
    ///   - request: the host, and the account if one is named.
    ///   - revokes: whether the server is to be told.
    /// - Returns: what was done; nil if nothing could be, after a complaint.
    package func run(_ request: Request, revokes: Bool) -> Report? {
        do throws(UserFacingError) {
            return try report(request, revokes: revokes)
        } catch {
            dependencies.report(error)
            return nil
        }
    }

    private func report(_ request: Request, revokes: Bool) throws(UserFacingError) -> Report {
        let resolver = ContextResolver(with: dependencies)
        let context: CredentialContext
        do {
            context = try resolver.credentialContext(of: request)
        } catch {
            throw UserFacingError(error)
        }
        let found = try accounts(of: context, request.username)
        let signIn = resolver.signInContext(of: context)
        // First the server, then the keyring: if we are ended in between, what is left can be logged out again.
        let revocation = revokes ? signIn.flatMap { revoke(found, $0) } : nil
        do {
            for item in found { try dependencies.keyring.remove(item.item) }
        } catch {
            throw .notErased(error)
        }
        return Report(
            host: DisplayText.escaped(context.host.text), accounts: names(found), revocation: revocation,
            page: signIn.map { page(found, on: $0.host) })
    }

    private func accounts(of context: CredentialContext, _ user: [UInt8]?) throws(UserFacingError) -> [StoredMatch] {
        let host = DisplayText.escaped(context.host.text)
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
    private func names(_ found: [StoredMatch]) -> [String] {
        var names: [String] = []
        for item in found {
            let name = DisplayText.escaped(item.credential.username)
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

    private func page(_ found: [StoredMatch], on host: SignInHost) -> String {
        let clientID = found.lazy.compactMap(\.credential.grant).first?.clientID
        return host.provider.page(.access(clientID: clientID), on: host).text
    }
}
