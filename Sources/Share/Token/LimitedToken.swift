package import CredentialCore
package import Helper
package import Messages
package import Providers

/// The token of a share that is limited to one repository: whether it really is, and its end.
package struct LimitedToken {
    private let limit: RepositoryLimit
    private let signIn: SignInContext
    private let dependencies: Dependencies

    /// The context and the dependencies are those without a limit.
    package init(_ limit: RepositoryLimit, _ signIn: SignInContext, with dependencies: Dependencies) {
        self.limit = limit
        self.signIn = signIn.limited(to: limit)
        self.dependencies = dependencies.limited(to: limit)
    }

    /// A token goes nowhere before it has been tried.
    package func reach(of credential: StoredCredential) -> TokenReach {
        guard let gitHub = signIn.host.provider.gitHub else { return .unknown }
        let transport = dependencies.transport(signIn.transport)
        do throws(TransportError) {
            let reach = try gitHub.reach(
                of: credential.password, besides: limit.repository, over: transport)
            guard reach == .only, limit.isReadOnly else { return reach }
            return try mayWrite(credential, gitHub, transport) ? .writes : .only
        } catch {
            dependencies.trace { "the reach of the token is unknown: \(error)" }
            return .unknown
        }
    }

    /// Of an installation's token, the host has told the permissions along with it.
    private func mayWrite(
        _ credential: StoredCredential, _ gitHub: GitHub, _ transport: any Transport
    ) throws(TransportError) -> Bool {
        guard credential.grant?.installation != nil else {
            return try gitHub.permissions(
                in: limit.repository, token: credential.password, over: transport) != .read
        }
        let permissions = credential.grant?.scope?.split(separator: " ") ?? []
        return permissions.isEmpty || !permissions.allSatisfy { $0.hasSuffix(":read") }
    }

    package enum End: Equatable {
        /// There was none.
        case none
        /// No copy is accepted any more.
        case ended
        /// It is removed here, and accepted until then, in seconds since 1970; nil if it does not expire.
        case expires(Int64?)
        /// It is still stored, so that its end can be tried again.
        case kept
    }

    /// At most, in milliseconds: a person waits for it, or a session that ends.
    private static let patience: Int64 = 15_000

    /// Has the host forget it, and removes it.
    package func end() -> End {
        // Ctrl-C is the usual reason to end it.
        dependencies.signals.whileSignalsWait {
            let lock: any HeldLock
            let found: (found: [StoredMatch], locked: [Item])
            do {
                let readable = try Lookup(with: dependencies).readable(signIn.credentialContext.everything(user: nil))
                found = (readable.found, readable.locked)
                guard
                    let account = (found.found.map(\.credential.username) + found.locked.compactMap(\.shownUser)).first
                else { return found.locked.isEmpty ? .none : .kept }
                lock = try AccountLock(with: dependencies).acquire(
                    account, on: signIn.host.name, isInterruptible: false)
            } catch {
                return .kept
            }
            defer { lock.release() }
            var end = found.locked.isEmpty ? End.none : .kept
            for match in found.found where end != .kept { end = self.end(match) }
            return end
        }
    }

    private func end(_ match: StoredMatch) -> End {
        let credential = match.credential
        let end = revoked(credential) ? End.ended : fallback(match)
        guard end != .kept else { return .kept }
        do {
            try dependencies.keyring.remove(match.item)
            return end
        } catch {
            return .kept
        }
    }

    private func revoked(_ credential: StoredCredential) -> Bool {
        let isOver = !credential.isAlive(at: dependencies.clock.now) || credential.isLost
        if isOver, credential.oauthRefreshToken == nil { return true }
        let transport = BoundTransport(
            dependencies.transport(signIn.transport), until: dependencies.clock.uptimeMilliseconds + Self.patience)
        let server = try? signIn.server(with: dependencies)
        let outcome = signIn.host.provider.revoke(
            [credential.revocable(at: server)], over: transport)
        dependencies.trace { "the revocation of the limited token: \(outcome)" }
        return outcome == .accepted
    }

    /// Where nothing can be revoked: a refresh ends every copy, and nobody gets the new token.
    private func fallback(_ match: StoredMatch) -> End {
        let credential = match.credential
        guard credential.oauthRefreshToken != nil,
            let server = try? signIn.server(with: dependencies), server.mayTakeRefreshToken(of: credential),
            let client = server.client(of: credential), let refreshToken = credential.oauthRefreshToken
        else { return credential.grant?.installation == nil ? .expires(credential.passwordExpiryUTC) : .kept }
        let transport = BoundTransport(
            dependencies.transport(signIn.transport), until: dependencies.clock.uptimeMilliseconds + Self.patience)
        do throws(OAuthFailure) {
            _ = try client.exchange(.refreshToken(refreshToken), over: transport)
            return .ended
        } catch {
            if case .refused(_, .invalidGrant) = error.reason { return .ended }
            return .kept
        }
    }
}

extension LimitedToken.End {
    /// What has become of the token; nil if there was none.
    package func words(_ limit: RepositoryLimit) -> Message? {
        let repository = DisplayText(untrusted: limit.repository.utf8)
        switch self {
        case .none: return nil
        case .ended: return Message("The token for %1$s is no longer valid.", repository)
        case .expires(let time?):
            return Message(
                "The token for %1$s is removed, but cannot be revoked: valid until %2$s.", repository,
                LocalTime.text(time))
        case .expires(nil): return Message("The token for %1$s is removed, but cannot be revoked.", repository)
        case .kept:
            let command: DisplayText = "git credential-gitspace share stop \(word: limit.share.text)"
            return Message(
                "The token for %1$s could not be revoked. To try again: %2$s", repository, Verbatim(command))
        }
    }
}

extension SignInContext {
    /// The same for the token of a share that is limited to one repository.
    package func limited(to limit: RepositoryLimit) -> SignInContext {
        var context = self
        guard settings.app != nil else { return context }
        context.path = Array(limit.repository.utf8)
        context.settings.app?.isRestricted = true
        context.settings.app?.isReadOnly = limit.isReadOnly
        return context
    }
}
