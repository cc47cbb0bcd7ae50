/// The items that a request is about, and the filter for the keyring's answer.
///
/// The Secret Service returns every item that has the given attributes, whatever others it has: a search for
/// `ghe.example` also returns `ghe.example:8443`. The schema is ignored, so items of `secret-tool` match too, as for
/// git's helper (`SECRET_SCHEMA_DONT_MATCH_NAME`).
package struct ItemQuery {
    /// The attributes to search by; `nil` matches any value.
    package let attributes: ItemAttributes
    package let paths: Paths
    /// Whether the letter case of account names is ignored, as on all hosts where we sign in.
    package let ignoresCase: Bool
    /// Whether an item with a path serves a request without one if there is no item for the whole host, as in git's own
    /// helper; true in a `get` alone, since the token of a path is not a sign-in.
    package var fallsBackToPaths = false
    /// Whether credentials with a scheme, such as Bearer, are useless here.
    package var isForPasswordsAlone = false
    /// The account name of tokens without a known owner; other names without an at sign are then organizations' (Azure
    /// DevOps), and do not match.
    package var nobodysName: [UInt8]?
    /// The suffixes of the logins that the server prefers; they only rank.
    package var preferredSuffixes: [[UInt8]] = []

    /// The meaning of a missing path, in the request or in the item.
    package enum Paths {
        /// An item must have the requested path, unless it is a grant of ours that covers the path.
        case exact
        /// As `exact`, but items without a path also match a request with one.
        case wholeHostServesPath
        /// A request without a path matches every item (`erase`, like git's `credential_match`).
        case wildcard
    }

    package init(
        protocol: [UInt8], host: HostName, user: [UInt8]?, path: [UInt8]?, paths: Paths, ignoresCase: Bool = false
    ) {
        attributes = ItemAttributes(protocol: `protocol`, host: host, user: user, object: path)
        self.paths = paths
        self.ignoresCase = ignoresCase
    }

    /// The search for every item that can match; it omits the name if letter case is ignored, since the service
    /// compares bytewise.
    package var search: ItemAttributes {
        var search = exactSearch
        if ignoresCase { search.user = nil }
        return search
    }

    /// The search for the name as written; it omits the path if items without one can match as well.
    package var exactSearch: ItemAttributes {
        var search = attributes
        if paths != .wildcard { search.object = nil }
        return search
    }

    /// The matching items in the same order, locked ones included.
    ///
    /// Only the secret tells whether an item without a path matches a request with one (`isServed`).
    package func matching(_ found: [Item]) -> [Item] {
        let matching = found.filter(matches)
        guard paths != .wildcard, attributes.object == nil else { return matching }
        let ofWholeHost = matching.filter { $0.attributes.object == nil }
        return ofWholeHost.isEmpty && fallsBackToPaths ? matching : ofWholeHost
    }

    private func matches(_ item: Item) -> Bool {
        let found = item.attributes
        // An item without one of these attributes could belong to any host.
        guard let foundUser = found.user, let foundServer = found.server, let foundProtocol = found.protocol else {
            return false
        }
        // No request can contain such a name, so the item was planted.
        guard !foundUser.contains(where: ASCII.isControl) else { return false }
        return foundProtocol == attributes.protocol && foundServer == attributes.server
            && found.port == attributes.port && mayBelongToPerson(foundUser) && selects(foundUser, item)
            && matchesPath(item)
    }

    private func selects(_ name: [UInt8], _ item: Item) -> Bool {
        guard let asked = attributes.user, asked != name else { return true }
        return ignoresCase && (ASCII.equalsIgnoringCase(asked, name) || item.hides(name))
    }

    private func mayBelongToPerson(_ name: [UInt8]) -> Bool {
        nobodysName.map { $0 == name || name.contains(UInt8(ascii: "@")) } ?? true
    }

    private func matchesPath(_ item: Item) -> Bool {
        guard let asked = attributes.object, item.attributes.object != asked else { return true }
        if let scope = item.attributes.object { return PathScope.contains(asked, in: scope) || item.hides(scope) }
        return switch paths {
        case .wildcard: false
        case .wholeHostServesPath: true
        // Do not ask a person to unlock an item that most likely does not match.
        case .exact: !item.isLocked
        }
    }

    /// Whether a match serves the request, now that its secret is known.
    ///
    /// An app's installation token is for the repositories of one owner, whatever the item's path. Its item has no path
    /// if the app has one installation, and only then serves a request without a path.
    fileprivate func isServed(by match: StoredMatch) -> Bool {
        if isForPasswordsAlone, match.credential.authtype != nil { return false }
        let scope = match.item.attributes.object
        guard let asked = attributes.object else {
            return paths == .wildcard || scope == nil || match.credential.grant?.installation == nil
        }
        if let owner = match.credential.grant?.installation {
            return PathScope.contains(asked, in: scope ?? Array(owner.utf8))
        }
        guard scope != asked else { return true }
        return scope == nil && (paths != .exact || match.credential.grant != nil)
    }

    fileprivate func prefers(_ username: [UInt8]) -> Bool {
        preferredSuffixes.contains {
            username.count > $0.count && ASCII.equalsIgnoringCase(username.suffix($0.count), $0)
        }
    }
}

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

    /// The distance is 0 for an item of the requested path, 1 for a part of the path, 2 for any other.
    fileprivate func age(_ query: ItemQuery) -> (distance: Int, since: Int64) {
        let (scope, asked) = (item.attributes.object, query.attributes.object)
        return (scope == asked ? 0 : scope == nil || asked == nil ? 2 : 1, since ?? 0)
    }

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
