/// ③ An item that can match a request.
package struct StoredMatch {
    package let item: Item
    package var credential: StoredCredential

    /// Returns `nil` if the item is locked, or its secret is not in our format; it is then neither printed nor deleted.
    package init?(_ item: Item) {
        guard let secret = item.secret, let user = item.attributes.user,
            let credential = SecretText.parse(secret, username: user)
        else { return nil }
        self.item = item
        self.credential = credential
    }

    fileprivate func rank(at now: Int64) -> Int {
        guard credential.condition(at: now).isUsable else { return 2 }
        return credential.grant == nil ? 1 : 0
    }

    fileprivate func age(_ query: ItemQuery) -> (distance: Int, since: Int64) { (query.distance(item), since ?? 0) }

    /// The time of the first sign-in or of storing, in seconds since 1970, or `nil` if unknown.
    package var since: Int64? { credential.grant?.since ?? (item.created > 0 ? Int64(clamping: item.created) : nil) }
}

extension Request {
    /// Whether a credential answers the request even if an app is configured.
    ///
    /// With an app, requests have a path (`useHttpPath`), and a password that git stored may come from a URL in a
    /// repository: only a grant, or an account that the request names, precedes the app.
    package func isAnswered(by credential: StoredCredential) -> Bool {
        credential.grant != nil || username != nil || path == nil
    }
}

extension [StoredMatch] {
    /// The matches in order; a request without a username gets the first one.
    ///
    /// Usable grants of ours precede other credentials, and expired ones follow. Within each group, the order is:
    /// accounts of the enterprise that the server names, items for the requested path, items for a part of it, accounts
    /// that were stored first. The time of the last change never counts: a refresh could make a push use another
    /// account. Items that an item of git's schema has replaced come last.
    package func ranked(for query: ItemQuery, at now: Int64) -> [StoredMatch] {
        // Sorting a single match would take a fifth of all instructions of a hit.
        if count == 1, let only = first { return query.isServed(by: only) ? self : [] }
        var current: [(match: StoredMatch, rank: Int)] = []
        var replaced: [StoredMatch] = []
        for match in self where query.isServed(by: match) {
            if isReplaced(match) {
                replaced.append(match)
            } else {
                current.append((match, match.rank(at: now)))
            }
        }
        // A generic sort would add 8 kB to the front door.
        var ranked: [StoredMatch] = []
        while let best = current.indices.min(by: { Self.precedes(current[$0], current[$1], in: query) }) {
            ranked.append(current.remove(at: best).match)
        }
        return ranked + replaced
    }

    private static func precedes(
        _ left: (match: StoredMatch, rank: Int), _ right: (match: StoredMatch, rank: Int), in query: ItemQuery
    ) -> Bool {
        if left.rank != right.rank { return left.rank < right.rank }
        let isPreferred = query.prefers(left.match.credential.username)
        if isPreferred != query.prefers(right.match.credential.username) { return isPreferred }
        let (leftAge, rightAge) = (left.match.age(query), right.match.age(query))
        if leftAge != rightAge { return leftAge < rightAge }
        return left.match.credential.username.lexicographicallyPrecedes(right.match.credential.username)
    }

    private func isReplaced(_ match: StoredMatch) -> Bool {
        !match.item.isOfGitsSchema && contains { $0.item.isOfGitsSchema && $0.item.attributes == match.item.attributes }
    }
}
