internal import CredentialCore
internal import Helper
internal import Messages
internal import Providers

/// The stored accounts of a host, which are removed and perhaps revoked.
struct LogoutAccounts {
    let context: CredentialContext
    /// Nil for a host where we do not sign in.
    let signIn: SignInContext?
    let dependencies: Dependencies
    let say: (Message) -> Void

    var host: DisplayText { DisplayText(untrusted: context.host.text) }

    func stored(_ user: [UInt8]?) throws(UserFacingError) -> [StoredMatch] {
        do {
            return try Lookup(with: dependencies).all(context.everything(user: user))
        } catch {
            throw .keyring(error)
        }
    }

    /// The account that is named, or the only one that there is, or all of them.
    func chosen(_ asked: [UInt8]?, all: Bool) throws(UserFacingError) -> [StoredMatch] {
        let found = try stored(asked)
        guard !found.isEmpty else { throw try nothing(asked) }
        let names = context.usernames(of: found)
        guard all || names.count == 1 else {
            throw .severalAccounts(host: host, names.map { DisplayText(untrusted: $0) })
        }
        return found
    }

    /// Why there is nothing to remove: other accounts than the named one may be stored.
    private func nothing(_ asked: [UInt8]?) throws(UserFacingError) -> UserFacingError {
        let absence = dependencies.keyring.absence
        let others = asked == nil ? [] : context.usernames(of: try stored(nil))
        if let asked, !others.isEmpty {
            return .accountNotStored(
                context.shown(asked), host: host, stored: others.map { DisplayText(untrusted: $0) }, verb: "logout")
        }
        return absence == .noBus ? dependencies.notSignedIn(to: host) : .nothingToRemove(host: host, absence)
    }

    /// Removes each under its account's lock: a running refresh would restore it.
    func remove(_ found: [StoredMatch]) throws(UserFacingError) {
        for match in found {
            let lock = try lock(of: match)
            defer { lock?.release() }
            do {
                try dependencies.keyring.remove(match.item)
            } catch {
                throw .notErased(error)
            }
        }
    }

    /// Nil if no lock is possible and there is nothing to refresh.
    private func lock(of match: StoredMatch) throws(UserFacingError) -> (any HeldLock)? {
        do {
            return try AccountLock(with: dependencies).acquire(match.credential.username, on: context.host)
        } catch .impossible where match.credential.oauthRefreshToken == nil {
            return nil
        } catch .impossible {
            throw .lockImpossible
        } catch {
            throw .otherNotFinished(host: host)
        }
    }

    /// Says which accounts are gone, what became of their tokens, and where those that may still be valid are revoked.
    func sayRemoved(_ found: [StoredMatch], _ tokens: Message? = nil, mayBeValid: Bool? = nil) {
        say(
            Message.signedOut(
                of: host, context.usernames(of: found).map { DisplayText(untrusted: $0) },
                found.first?.item.storage ?? .keyring))
        if let tokens { say(tokens) }
        // What has expired, or was rejected when git used it, is not valid.
        let isOfUse = mayBeValid ?? found.contains { $0.credential.isUsable(at: dependencies.clock.now) }
        guard isOfUse, let page = signIn?.accessPage(for: found) ?? TokenHost(known: context.host)?.page else { return }
        // One that a person has made is deleted on its page; another stays valid as long as its app has access.
        let isApps = signIn?.tokenPage(for: found).map { !$0.isPersonal } ?? found.contains(where: \.isClients)
        say(
            isApps
                ? Message("The token stays valid until you revoke the app's access:")
                : Message("The token stays valid until you delete it:"))
        say(.command("\(page)"))
    }
}
