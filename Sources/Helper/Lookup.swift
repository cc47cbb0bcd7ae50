package import CredentialCore
internal import OAuth

/// ③ Asks the keyring, and picks what a request really means.
package struct Lookup {
    private let dependencies: Dependencies
    /// Seconds that a token must still last to be handed out.
    ///
    /// Only the environment can say otherwise: git's configuration costs as much as everything else on this path.
    package let margin: Int64

    package init(with dependencies: Dependencies) {
        self.dependencies = dependencies
        margin = SignInSettings.minValidity(environment: dependencies.environment)
    }

    /// Whether a credential can be handed out as it is.
    package func isFresh(_ found: StoredMatch) -> Bool {
        found.credential.isFresh(at: dependencies.clock.now, margin: margin)
    }

    /// The one credential to answer with, if there is any: the first of those that the query means.
    ///
    /// - Parameters:
    ///   - query: what is asked.
    ///   - isSignInHost: whether we sign in there; asked only where it makes a difference. There a locked item may hold the
    ///     grant that counts before all else, and what is no token serves nobody.
    /// - Returns: what was found, be it fresh or not.
    /// - Throws: what the keyring says; that it is locked also where only what does not count can be read.
    package func best(_ query: ItemQuery, isSignInHost: () -> Bool) throws(KeyringError) -> StoredMatch? {
        let matching = query.matching(try dependencies.keyring.items(having: query.search))
        var found = read(matching, for: query)
        if matching.contains(where: \.isLocked),
            found.first?.credential.isProtected(at: dependencies.clock.now) != true,
            found.isEmpty || isSignInHost()
        {
            found = read(try dependencies.keyring.unlock(matching.filter(\.isLocked)) + matching, for: query)
        }
        if let first = found.first, !first.credential.isSound, isSignInHost() {
            found = found.map(\.withoutUnsoundPassword).ranked(for: query, at: dependencies.clock.now)
        }
        dependencies.trace { found.first.map { outline($0.credential, of: found.count) } ?? "nothing is stored" }
        return found.first
    }

    /// What was found, for the trace.
    private func outline(_ credential: StoredCredential, of count: Int) -> String {
        let seconds = credential.passwordExpiryUTC.map { String($0 - dependencies.clock.now) }
        return "found \(count), the best of \(DisplayText(credential.username)): "
            + (seconds.map { "ends in \($0) s" } ?? "does not expire")
            + (credential.oauthRefreshToken == nil ? "" : ", renewable")
    }

    /// Every credential that the query means, best first.
    ///
    /// Locked items are unlocked only if none can be read without: that may put a prompt on the screen.
    package func all(_ query: ItemQuery) throws(KeyringError) -> [StoredMatch] {
        let matching = query.matching(try dependencies.keyring.items(having: query.search))
        let areAllLocked = !matching.isEmpty && matching.allSatisfy(\.isLocked)
        return read(areAllLocked ? try dependencies.keyring.unlock(matching) : matching, for: query)
    }

    /// What the secrets of items say, best first; an item whose secret is none of ours is passed over.
    func read(_ items: [Item], for query: ItemQuery) -> [StoredMatch] {
        items.compactMap(StoredMatch.init).map(asRefused).ranked(for: query, at: dependencies.clock.now)
    }

    /// A token that the server has refused is as good as ended, although the keyring still has it as it was.
    private func asRefused(_ found: StoredMatch) -> StoredMatch {
        guard let host = found.item.attributes.hostName,
            let time = dependencies.refusedTokens.refusal(
                of: found.credential.password, for: .account(found.credential.username, on: host))
        else { return found }
        var refused = found
        refused.credential.passwordExpiryUTC = 1
        if refused.credential.grant?.wasJustRefused(at: time) == true {
            // It came of a renewal after a refusal: another renewal would bring another that is refused.
            refused.credential.oauthRefreshToken = nil
        } else {
            refused.credential.grant?.refusedAt = time
        }
        return refused
    }
}

extension StoredMatch {
    /// For a host where we sign in: what a keyring has made of a token that it lost is as good as ended.
    fileprivate var withoutUnsoundPassword: StoredMatch {
        var match = self
        if !credential.isSound { match.credential.passwordExpiryUTC = 1 }
        return match
    }
}
