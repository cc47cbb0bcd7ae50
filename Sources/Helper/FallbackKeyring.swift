package import CredentialCore

/// The keyring, or what takes its place by the person's choice or for want of one: git's in-memory cache.
///
/// Left to itself, only the plain absence of a keyring leads to the cache. A keyring that is locked, slow or unwilling
/// stays the place where the tokens are, for a second place would seem to have lost them.
package final class FallbackKeyring: Keyring {
    private let keyring: any Keyring
    private let cache: any Keyring
    private let choice: () -> SignInSettings.CredentialStore
    private var isAbsent = false

    /// A keyring and its substitute.
    ///
    /// - Parameters:
    ///   - keyring: the Secret Service.
    ///   - cache: git's in-memory cache.
    ///   - choice: `gitspaceStore`; asked for only when the keyring had nothing, or something is to be saved.
    package init(
        _ keyring: any Keyring, else cache: any Keyring, choice: @escaping () -> SignInSettings.CredentialStore
    ) {
        self.keyring = keyring
        self.cache = cache
        self.choice = choice
    }

    package var storage: CredentialStorage { writable.storage }

    package func items(having attributes: ItemAttributes) throws(KeyringError) -> [Item] {
        let found = try either { keyring throws(KeyringError) in try keyring.items(having: attributes) }
        guard found.isEmpty, !isAbsent, choice() == .cache else { return found }
        return try cache.items(having: attributes)
    }

    package func unlock(_ items: [Item]) throws(KeyringError) -> [Item] {
        try either { keyring throws(KeyringError) in try keyring.unlock(items) }
    }

    package func checkWritable(mayPrompt: Bool) throws(KeyringError) {
        guard choice() != .cache else { return try cache.checkWritable(mayPrompt: mayPrompt) }
        try either { keyring throws(KeyringError) in try keyring.checkWritable(mayPrompt: mayPrompt) }
    }

    package func checkWritable(replacing item: Item) throws(KeyringError) {
        guard choice() != .cache else { return try cache.checkWritable(replacing: item) }
        try either { keyring throws(KeyringError) in try keyring.checkWritable(replacing: item) }
    }

    package func save(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError) {
        guard choice() != .cache else { return try cache.save(secret, under: attributes) }
        try either { keyring throws(KeyringError) in try keyring.save(secret, under: attributes) }
    }

    package func remove(_ item: Item) throws(KeyringError) {
        if choice() == .cache { try cache.remove(item) }
        try either { keyring throws(KeyringError) in try keyring.remove(item) }
    }

    private var writable: any Keyring { isAbsent || choice() == .cache ? cache : keyring }

    private func either<Result>(
        _ body: (any Keyring) throws(KeyringError) -> Result
    ) throws(KeyringError) -> Result {
        if !isAbsent {
            do {
                return try body(keyring)
            } catch {
                guard error.isAbsence, choice() != .secretservice else { throw error }
                isAbsent = true
            }
        }
        return try body(cache)
    }
}
