package import CredentialCore
internal import OAuth

/// An item and the credential that its secret holds.
package struct StoredMatch {
    /// Where it was found.
    package let item: Item
    /// What it says.
    package let credential: StoredCredential
}

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

    /// The one credential to answer with, if there is any.
    ///
    /// - Returns: the first that is fresh or can be refreshed, in the order of `ItemQuery.ranked`; else the first.
    package func best(_ query: ItemQuery) throws(KeyringError) -> StoredMatch? {
        let all = try all(query)
        let now = dependencies.clock.now
        let best =
            all.first { $0.credential.isFresh(at: now, margin: margin) || $0.credential.oauthRefreshToken != nil }
            ?? all.first
        dependencies.trace { best.map { outline($0.credential, of: all.count) } ?? "nothing is stored" }
        return best
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
    /// Locked items are unlocked only if none can be read without: that may put a prompt on the screen. An item whose
    /// secret is none of ours is passed over; it is neither printed nor deleted.
    package func all(_ query: ItemQuery) throws(KeyringError) -> [StoredMatch] {
        let matching = query.ranked(try dependencies.keyring.items(having: query.search))
        let readable = matching.filter { !$0.isLocked }
        let items =
            readable.isEmpty && !matching.isEmpty ? query.ranked(try dependencies.keyring.unlock(matching)) : readable
        return items.compactMap { item in
            guard let secret = item.secret, let user = item.attributes.user else { return nil }
            return SecretText.parse(secret, username: user).map { StoredMatch(item: item, credential: $0) }
        }
    }
}
