package import CredentialCore
package import Helper
package import Messages
internal import Providers

/// The verb `logout`: removes what is stored, and revokes it if the person wishes.
///
/// Unless the server confirms that a token is invalid, `--revoke` keeps it: once removed from the keyring, it could not
/// be revoked from here.
package struct Logout: Command {
    private let request: Request
    private let revocation: Revocation
    private let dependencies: Dependencies
    private let scope: Scope

    /// The accounts to remove.
    package enum Scope {
        /// The one that the request names, or the only one that there is.
        case one
        /// All of them.
        case all
    }

    /// Whether to revoke the tokens at the server.
    package enum Revocation {
        /// Not asked for.
        case none
        /// Required, or what is stored stays: `--revoke`.
        case required
        /// Tried; what is stored is removed in any case: `--revoke --force`.
        case attempted
    }

    /// What was done.
    package struct Report: Equatable {
        /// What became of the tokens at the server.
        package enum Tokens: Equatable {
            /// It was not asked.
            case untouched
            /// It was told to revoke them.
            case revoked
            /// It has revoked them: an app's own, with no notice to anybody.
            case ended
            /// It had rejected them already.
            case alreadyRejected
            /// They may still be valid, and the person wanted them removed anyway.
            case notRevoked(RevocationFailure)
        }

        /// The host, as shown to people.
        package let host: DisplayText
        /// The accounts that were removed.
        package let accounts: [DisplayText]
        /// Where they were kept.
        package let storage: CredentialStorage
        /// What became of their tokens.
        package let tokens: Tokens
        /// The page for revoking the app's access, or the token; nil if that is of no use.
        package let page: HTTPSAddress?
        /// Whether the page is for a token that a person has made.
        package let isPersonalToken: Bool

        package init(
            host: DisplayText, accounts: [DisplayText], storage: CredentialStorage = .keyring, tokens: Tokens,
            page: HTTPSAddress?, isPersonalToken: Bool = false
        ) {
            self.isPersonalToken = isPersonalToken
            self.storage = storage
            self.host = host
            self.accounts = accounts
            self.tokens = tokens
            self.page = page
        }
    }

    /// A log-out.
    ///
    /// - Parameters:
    ///   - request: the host, and the account if one is named.
    ///   - scope: which accounts to remove.
    ///   - revocation: whether to revoke at the server.
    ///   - dependencies: everything outside.
    package init(
        _ request: Request, _ scope: Scope, revocation: Revocation = .none, with dependencies: Dependencies
    ) {
        self.request = request
        self.scope = scope
        self.revocation = revocation
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
        let signIn: SignInContext?
        do {
            signIn = try resolver.signInContext(of: context)
        } catch {
            // What is in the keyring can still be removed, but not revoked.
            guard revocation == .none else { throw .configurationUnreadable(error) }
            signIn = nil
        }
        guard revocation != .none else {
            let found = try chosen(of: context)
            try remove(found, of: context)
            tell(report(found, .untouched, context, signIn))
            return .done
        }
        guard let signIn else { throw .nothingToRevokeAt(host: DisplayText(context.host.text)) }
        return try revoke(AccountRevocation(context, signIn, with: dependencies), tell)
    }

    /// Each account separately, first at the server, then in the keyring: if we are stopped in between, the rest can be
    /// logged out again.
    private func revoke(_ revoker: AccountRevocation, _ tell: (Report) -> Void) throws(UserFacingError) -> ExitStatus {
        var status = ExitStatus.done
        for account in try chosen(of: revoker.context).usernames {
            do throws(UserFacingError) {
                try revoker.run(account, isForced: revocation == .attempted) { found, tokens in
                    tell(report(found, tokens, revoker.context, revoker.signIn))
                }
            } catch {
                dependencies.report(error)
                status = .failed
                if error.code == .revocationInterrupted { break }
            }
        }
        return status
    }

    private func report(
        _ found: [StoredMatch], _ tokens: Report.Tokens, _ context: CredentialContext, _ signIn: SignInContext?
    ) -> Report {
        let isOfUse =
            switch tokens {
            // What has expired, or was rejected when git used it, is not valid.
            case .untouched: found.contains { $0.credential.isUsable(at: dependencies.clock.now) }
            case .notRevoked: true
            case .revoked, .ended, .alreadyRejected: false
            }
        return Report(
            host: DisplayText(context.host.text), accounts: found.usernames.map { DisplayText($0) },
            storage: found.first?.item.storage ?? .keyring, tokens: tokens,
            page: isOfUse ? signIn?.accessPage(for: found) : nil,
            isPersonalToken: signIn?.tokenPage(for: found)?.isPersonal == true)
    }

    /// Removes each under its account's lock: a running refresh would restore it.
    private func remove(_ found: [StoredMatch], of context: CredentialContext) throws(UserFacingError) {
        for match in found {
            let lock = try lock(of: match, context)
            defer { lock?.release() }
            do {
                try dependencies.keyring.remove(match.item)
            } catch {
                throw .notErased(error)
            }
        }
    }

    /// Nil if no lock is possible and there is nothing to refresh.
    private func lock(of match: StoredMatch, _ context: CredentialContext) throws(UserFacingError) -> (any HeldLock)? {
        do {
            return try AccountLock(with: dependencies).acquire(match.credential.username, on: context.host)
        } catch .impossible where match.credential.oauthRefreshToken == nil {
            return nil
        } catch .impossible {
            throw .lockImpossible
        } catch {
            throw .otherNotFinished(host: DisplayText(context.host.text))
        }
    }

    private func chosen(of context: CredentialContext) throws(UserFacingError) -> [StoredMatch] {
        let host = DisplayText(context.host.text)
        let found: [StoredMatch]
        do {
            found = try Lookup(with: dependencies).all(context.everything(user: request.username))
        } catch {
            throw .keyring(error)
        }
        guard !found.isEmpty else { throw try nothing(of: context) }
        let names = found.usernames
        guard scope == .all || names.count == 1 else {
            throw .severalAccounts(host: host, names.map { DisplayText($0) })
        }
        return found
    }

    /// Why there is nothing to remove: other accounts than the named one may be stored.
    private func nothing(of context: CredentialContext) throws(UserFacingError) -> UserFacingError {
        let host = DisplayText(context.host.text)
        let absence = dependencies.keyring.absence
        let nothing: UserFacingError =
            absence == .noBus ? dependencies.notSignedIn(to: host) : .nothingToRemove(host: host, absence)
        guard let asked = request.username else { return nothing }
        let others: [[UInt8]]
        do {
            others = try Lookup(with: dependencies).all(context.everything(user: nil)).usernames
        } catch {
            throw .keyring(error)
        }
        guard !others.isEmpty else { return nothing }
        return .accountNotStored(
            DisplayText(asked), host: host, stored: others.map { DisplayText($0) }, verb: "logout")
    }
}
