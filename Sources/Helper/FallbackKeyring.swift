package import CredentialCore

/// The keyring, or what takes its place by the person's choice or for want of one: git's in-memory cache.
///
/// Left to itself, only the plain absence of a keyring leads to the cache. A keyring that is locked, slow or unwilling
/// stays the place where the tokens are, for a second place would seem to have lost them. Where nobody knows the person's
/// choice, what lies in either place is found, replaced and removed there, and what is new has no place at all.
package final class FallbackKeyring: Keyring {
    private let keyring: any Keyring
    private let cache: any Keyring
    private let choice: () throws(ConfigurationError) -> SignInSettings.CredentialStore
    private var isAbsent = false

    /// A keyring and its substitute.
    ///
    /// - Parameters:
    ///   - keyring: the Secret Service.
    ///   - cache: git's in-memory cache.
    ///   - choice: `gitspaceStore`; asked for only when the keyring had nothing, or something is to be saved.
    package init(
        _ keyring: any Keyring, else cache: any Keyring,
        choice: @escaping () throws(ConfigurationError) -> SignInSettings.CredentialStore
    ) {
        self.keyring = keyring
        self.cache = cache
        self.choice = choice
    }

    package var storage: CredentialStorage { writable.storage }

    package func items(having attributes: ItemAttributes) throws(KeyringError) -> [Item] {
        let found = try either { keyring throws(KeyringError) in try keyring.items(having: attributes) }
        guard found.isEmpty, !isAbsent, mayBeCached else { return found }
        return try cache.items(having: attributes)
    }

    package func unlock(_ items: [Item]) throws(KeyringError) -> [Item] {
        try either { keyring throws(KeyringError) in try keyring.unlock(items) }
    }

    package func checkWritable(mayPrompt: Bool) throws(KeyringError) {
        guard try knownChoice() != .cache else { return try cache.checkWritable(mayPrompt: mayPrompt) }
        try either { keyring throws(KeyringError) in try keyring.checkWritable(mayPrompt: mayPrompt) }
    }

    package func checkWritable(replacing item: Item) throws(KeyringError) {
        guard try knownChoice() != .cache else { return try cache.checkWritable(replacing: item) }
        try either { keyring throws(KeyringError) in try keyring.checkWritable(replacing: item) }
    }

    package func save(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError) {
        guard try place(of: attributes) != .cache else { return try cache.save(secret, under: attributes) }
        try either { keyring throws(KeyringError) in try keyring.save(secret, under: attributes) }
    }

    package func remove(_ item: Item) throws(KeyringError) {
        if mayBeCached { try cache.remove(item) }
        try either { keyring throws(KeyringError) in try keyring.remove(item) }
    }

    private var writable: any Keyring { isAbsent || (try? choice()) == .cache ? cache : keyring }

    /// Whether the cache is a place to look into although there is a keyring.
    private var mayBeCached: Bool {
        do {
            return try choice() == .cache
        } catch {
            switch error {
            // The cache is a part of git, and would not answer either.
            case .noGit, .timedOut: return false
            case .failed, .tooLarge, .notPermitted, .notText: return true
            }
        }
    }

    private func knownChoice() throws(KeyringError) -> SignInSettings.CredentialStore {
        do {
            return try choice()
        } catch {
            throw .unconfigured(error)
        }
    }

    /// Where a credential goes: by the person's choice; if nobody knows that, where it lies already.
    private func place(of attributes: ItemAttributes) throws(KeyringError) -> SignInSettings.CredentialStore {
        do throws(KeyringError) {
            return try knownChoice()
        } catch {
            let isThere = { (items: [Item]) in items.contains { $0.attributes == attributes } }
            let items = try either { keyring throws(KeyringError) in try keyring.items(having: attributes) }
            if isThere(items) { return isAbsent ? .cache : .secretservice }
            guard !isAbsent, mayBeCached, isThere(try cache.items(having: attributes)) else { throw error }
            return .cache
        }
    }

    private func either<Result>(
        _ body: (any Keyring) throws(KeyringError) -> Result
    ) throws(KeyringError) -> Result {
        if !isAbsent {
            do {
                return try body(keyring)
            } catch {
                guard error.isAbsence, (try? choice()) != .secretservice else { throw error }
                isAbsent = true
            }
        }
        return try body(cache)
    }
}
