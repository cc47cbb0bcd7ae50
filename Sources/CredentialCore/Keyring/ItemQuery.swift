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
        /// An item must have the path asked for. Asked for none, one without a path wins, else any (`get`).
        case exact
        /// As `exact`, but an item without a path also serves a request with one, after those with that path: a token
        /// is for the whole host.
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
        if case .wholeHostServesPath = paths { search.object = nil }
        return search
    }

    /// Keeps the items that the query means, best first.
    ///
    /// - Parameter found: whatever the service returned, in any order, locked items included.
    /// - Returns: exact matches; those of the path asked for first, then `org.git.Password` before the old schema, then the
    ///   newest, then by path on the bus, so that equal requests get equal answers.
    package func ranked(_ found: [Item]) -> [Item] {
        let matching = found.filter(matches)
        return preferringPath(matching).sorted { left, right in
            let leftKey = (distance(left), rank(left), UInt64.max - left.modified, left.path)
            return leftKey < (distance(right), rank(right), UInt64.max - right.modified, right.path)
        }
    }

    private func matches(_ item: Item) -> Bool {
        let found = item.attributes
        // An item without one of these could be anybody's: it is never used for a host.
        guard let foundUser = found.user, let foundServer = found.server, let foundProtocol = found.protocol else {
            return false
        }
        guard item.schemaName == nil || item.schemaName.flatMap(Schema.init(rawValue:)) != nil else { return false }
        return foundProtocol == attributes.protocol && foundServer == attributes.server
            && found.port == attributes.port && (attributes.user == nil || attributes.user == foundUser)
            && matchesPath(found.object)
    }

    private func matchesPath(_ object: [UInt8]?) -> Bool {
        switch paths {
        case .exact, .wildcard: attributes.object == nil || attributes.object == object
        case .wholeHostServesPath: attributes.object == nil || object == nil || attributes.object == object
        }
    }

    /// Items for another path than the one asked for count only where there is no better one.
    private func preferringPath(_ items: [Item]) -> [Item] {
        switch paths {
        // Both stay: a token for that path that has ended must not hide the one for the whole host.
        case .wholeHostServesPath where attributes.object != nil: return items
        case .wildcard: return items
        case .exact, .wholeHostServesPath:
            let preferred = items.filter { distance($0) == 0 }
            return preferred.isEmpty ? items : preferred
        }
    }

    private func distance(_ item: Item) -> Int { item.attributes.object == attributes.object ? 0 : 1 }

    private func rank(_ item: Item) -> Int { item.schemaName == Schema.networkPassword.rawValue ? 1 : 0 }
}
