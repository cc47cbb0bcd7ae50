/// Which items a request is about, and which of those that the keyring returns really are.
///
/// The Secret Service returns every item that has the attributes asked for, whatever else it has: asked for
/// `ghe.example` it also returns `ghe.example:8443`. Hence the filter behind the search.
package struct ItemQuery {
    /// The attributes to search by; those that are nil are not part of the search.
    package let attributes: ItemAttributes
    /// How items of another path than the one asked for are looked at.
    package let paths: Paths

    /// What the absence of a path means, on either side.
    package enum Paths {
        /// An item must have the path asked for, unless it is a grant of ours: that is for the whole host. Asked for none, one
        /// without a path wins, else any (`get`).
        case exact
        /// As `exact`, but any item without a path also serves a request with one.
        case wholeHostServesPath
        /// A path that was not asked for matches anything (`erase`, as git's `credential_match`).
        case wildcard
    }

    /// A query for a host, and perhaps an account and a path on it.
    package init(protocol: [UInt8], host: HostName, user: [UInt8]?, path: [UInt8]?, paths: Paths) {
        attributes = ItemAttributes(protocol: `protocol`, host: host, user: user, object: path)
        self.paths = paths
    }

    /// What to ask the service for: no path, if items without one are to be seen as well.
    package var search: ItemAttributes {
        var search = attributes
        if paths != .wildcard { search.object = nil }
        return search
    }

    /// Keeps the items that the query can mean; whether one without a path serves a request with one, its secret says
    /// (`isServed`).
    ///
    /// - Parameter found: whatever the service returned, in any order, locked items included.
    /// - Returns: exact matches, in the same order.
    package func matching(_ found: [Item]) -> [Item] {
        let matching = found.filter(matches)
        // Items for another path than the one asked for count only where there is no better one.
        guard paths != .wildcard, attributes.object == nil else { return matching }
        let preferred = matching.filter { distance($0) == 0 }
        return preferred.isEmpty ? matching : preferred
    }

    private func matches(_ item: Item) -> Bool {
        let found = item.attributes
        // An item without one of these could be anybody's: it is never used for a host.
        guard let foundUser = found.user, let foundServer = found.server, let foundProtocol = found.protocol else {
            return false
        }
        guard item.schemaName == nil || item.schemaName.flatMap(Schema.init(rawValue:)) != nil else { return false }
        // A name that no request can hold was planted: whoever meant it could not be answered.
        guard !foundUser.contains(where: { $0 < 0x20 || $0 == 0x7f }) else { return false }
        return foundProtocol == attributes.protocol && foundServer == attributes.server
            && found.port == attributes.port && (attributes.user == nil || attributes.user == foundUser)
            && matchesPath(item)
    }

    private func matchesPath(_ item: Item) -> Bool {
        guard let asked = attributes.object, item.attributes.object != asked else { return true }
        guard item.attributes.object == nil else { return false }
        return switch paths {
        case .wildcard: false
        case .wholeHostServesPath: true
        // Nobody is asked to unlock what most likely does not serve.
        case .exact: !item.isLocked
        }
    }

    /// Whether the secret, too, makes it an item that the query means.
    func isServed(by match: StoredMatch) -> Bool {
        guard paths == .exact, distance(match.item) > 0, attributes.object != nil else { return true }
        return match.credential.grant != nil
    }

    /// 0 for the path asked for, 1 for any other.
    func distance(_ item: Item) -> Int { item.attributes.object == attributes.object ? 0 : 1 }
}
