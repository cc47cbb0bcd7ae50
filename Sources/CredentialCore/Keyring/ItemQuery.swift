/// Which items a request is about, and which of the items that the keyring returns really match.
///
/// The Secret Service returns every item that has the given attributes, whatever other attributes it has: a search for
/// `ghe.example` also returns `ghe.example:8443`. Therefore the result is filtered. The name of the schema does not count:
/// git's helper finds what `secret-tool` has stored as well (`SECRET_SCHEMA_DONT_MATCH_NAME`).
package struct ItemQuery {
    /// To search by; those that are nil are not part of the search.
    package let attributes: ItemAttributes
    package let paths: Paths
    /// A name selects its account whatever the case of ASCII letters: where we sign in.
    package let ignoresCase: Bool
    /// If nothing is stored for the whole host, an item with a path is for a request without one, as for git's own
    /// helper: in a `get` alone, since the token of a path is no sign-in to its host.
    package var fallsBackToPaths = false
    /// Credentials with a scheme, such as Bearer, are then of no use.
    package var isForPasswordsAlone = false
    /// Where a name without an at sign is an organization's: the only such name that is for nobody; nil for all names.
    package var nobodysName: [UInt8]?
    /// Of the logins that the server would like best; they rank, and leave nothing out.
    package var preferredSuffixes: [[UInt8]] = []

    /// What a missing path means, in the request or in the item.
    package enum Paths {
        /// An item must have the requested path, unless it is a grant of ours, which is for the whole host.
        case exact
        /// As `exact`, but every item without a path also matches a request with one.
        case wholeHostServesPath
        /// A request without a path matches every item (`erase`, as git's `credential_match`).
        case wildcard
    }

    package init(
        protocol: [UInt8], host: HostName, user: [UInt8]?, path: [UInt8]?, paths: Paths, ignoresCase: Bool = false
    ) {
        attributes = ItemAttributes(protocol: `protocol`, host: host, user: user, object: path)
        self.paths = paths
        self.ignoresCase = ignoresCase
    }

    /// Finds every item that can match: the service compares to the byte.
    package var search: ItemAttributes {
        var search = exactSearch
        if ignoresCase { search.user = nil }
        return search
    }

    /// For the very name; without the path, if items without one have to be found as well.
    package var exactSearch: ItemAttributes {
        var search = attributes
        if paths != .wildcard { search.object = nil }
        return search
    }

    /// Exact matches, in the same order; locked items included.
    ///
    /// Whether an item without a path matches a request with one depends on its secret (`isServed`).
    package func matching(_ found: [Item]) -> [Item] {
        let matching = found.filter(matches)
        guard paths != .wildcard, attributes.object == nil else { return matching }
        let ofWholeHost = matching.filter { $0.attributes.object == nil }
        return ofWholeHost.isEmpty && fallsBackToPaths ? matching : ofWholeHost
    }

    private func matches(_ item: Item) -> Bool {
        let found = item.attributes
        // An item without one of these could belong to any host, so it is never used.
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

    /// To be asked once the secret is known.
    ///
    /// The token of an app's installation is for the repositories of one owner, whatever path the item has: without a
    /// path it was stored for an app that is installed once, and only then serves a request without a path.
    func isServed(by match: StoredMatch) -> Bool {
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

    /// Letter case does not matter in a login.
    func prefers(_ username: [UInt8]) -> Bool {
        preferredSuffixes.contains { suffix in
            guard username.count > suffix.count else { return false }
            let start = username.count - suffix.count
            return suffix.indices.allSatisfy { ASCII.folded(username[start + $0]) == ASCII.folded(suffix[$0]) }
        }
    }

    /// 0 for the path asked for, 1 for one that it is a part of, 2 for any other.
    func distance(_ item: Item) -> Int {
        let scope = item.attributes.object
        if scope == attributes.object { return 0 }
        return scope == nil || attributes.object == nil ? 2 : 1
    }
}
