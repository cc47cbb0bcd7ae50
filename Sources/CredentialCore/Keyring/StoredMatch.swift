/// ③ An item that a request may mean, and the credential that its secret holds.
package struct StoredMatch {
    /// Where it was found.
    package let item: Item
    /// What it says.
    package var credential: StoredCredential

    /// Reads the secret of an item; nil if it is locked, or holds none of ours: such an item is neither printed nor deleted.
    package init?(_ item: Item) {
        guard let secret = item.secret, let user = item.attributes.user,
            let credential = SecretText.parse(secret, username: user)
        else { return nil }
        self.item = item
        self.credential = credential
    }
}

extension [StoredMatch] {
    /// Which account a request without a name means: the first.
    ///
    /// Grants of ours that are good for something come before whatever else is stored, and what is good for nothing comes
    /// last; within each, the path that was asked for before the whole host; and then the account that was there first. Never
    /// does the time of the last change count: a renewal in passing must not make a push go out as somebody else.
    ///
    /// - Parameters:
    ///   - query: what was asked.
    ///   - now: seconds since 1970.
    /// - Returns: those that serve the query, best first; last of all those that an item of the newer schema has replaced.
    package func ranked(for query: ItemQuery, at now: Int64) -> [StoredMatch] {
        // Mostly there is one, and to sort would cost a fifth of all instructions of a hit.
        if count == 1, let only = first { return query.isServed(by: only) ? self : [] }
        var current: [(match: StoredMatch, standing: Int)] = []
        var replaced: [StoredMatch] = []
        for match in self where query.isServed(by: match) {
            if isReplaced(match) {
                replaced.append(match)
            } else {
                current.append((match, match.standing(at: now)))
            }
        }
        current.sort { left, right in
            let (leftKey, rightKey) = (left.match.age(query), right.match.age(query))
            if left.standing != right.standing { return left.standing < right.standing }
            if leftKey != rightKey { return leftKey < rightKey }
            return left.match.credential.username.lexicographicallyPrecedes(right.match.credential.username)
        }
        return current.map(\.match) + replaced
    }

    private func isReplaced(_ match: StoredMatch) -> Bool {
        match.item.isOfOldSchema && contains { !$0.item.isOfOldSchema && $0.item.attributes == match.item.attributes }
    }
}

extension StoredMatch {
    fileprivate func standing(at now: Int64) -> Int {
        guard credential.isUsable(at: now) else { return 2 }
        return credential.grant == nil ? 1 : 0
    }

    /// How far the path is from the one asked for, and since when the account is there.
    fileprivate func age(_ query: ItemQuery) -> (distance: Int, since: Int64) { (query.distance(item), since ?? 0) }

    /// When the account was first signed in or stored, in seconds since 1970; nil if nothing tells.
    package var since: Int64? { credential.grant?.since ?? (item.created > 0 ? Int64(clamping: item.created) : nil) }
}
