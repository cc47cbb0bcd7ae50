package import CredentialCore
package import Helper
package import Messages

/// A token of a share, as it is stored.
package struct StoredLimitedToken {
    package let limit: RepositoryLimit
    package let match: StoredMatch
    package let signIn: SignInContext

    func end(_ dependencies: Dependencies) -> LimitedToken.End {
        LimitedToken(limit, signIn, with: dependencies).end()
    }

    /// Those of all shares, also of those that were killed.
    package static func all(
        with dependencies: Dependencies, mayUnlock: Bool = true
    ) throws(UserFacingError) -> [StoredLimitedToken] {
        var dependencies = dependencies
        dependencies.keyring = dependencies.repositoryKeyring()
        let resolver = ContextResolver(with: dependencies)
        do {
            let attributes = ItemAttributes(named: [(ItemAttributes.Name.protocol, CredentialContext.https)])
            let items =
                try mayUnlock
                ? Lookup(with: dependencies).unlocked(attributes).items
                : dependencies.keyring.items(having: attributes)
            return try (items + resolver.itemsInMemory(of: dependencies.keyring)).compactMap { item in
                guard let limit = item.attributes.object.flatMap(RepositoryLimit.init(object:)),
                    let match = StoredMatch(item), let host = item.attributes.hostName,
                    let signIn = try resolver.signInContext(of: host)
                else { return nil }
                return StoredLimitedToken(limit: limit, match: match, signIn: signIn)
            }
        } catch let error as KeyringError {
            // Without a keyring there are none.
            guard !error.isAbsence else { return [] }
            throw UserFacingError(whileLookingUp: error)
        } catch {
            throw UserFacingError(whileLookingUp: error)
        }
    }
}
