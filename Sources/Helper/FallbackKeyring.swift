package import CredentialCore

/// The keyring with git's in-memory cache as its substitute, by the person's choice or without a keyring.
///
/// Without a choice, new credentials go to the cache only if there is no keyring; those in the cache are found even if
/// there is one now. A locked, slow or refusing keyring is still the place of the tokens. If the choice cannot be read,
/// existing credentials are found, replaced and removed in either place, and new ones cannot be saved.
package final class FallbackKeyring: Keyring {
    private let keyring: any Keyring
    private let cache: any Keyring
    private let locks: (any Locks)?
    private let choice: () throws(ConfigurationError) -> SignInSettings.CredentialStore
    private let mayBeChosen: () -> Bool
    private let hasMemory: () -> Bool
    /// Whether the person has chosen memory alone: then the keyring is never called.
    private lazy var isUnused: Bool = mayBeChosen() && (try? choice()) == .cache
    /// The error of the missing keyring, or `nil` until that is known.
    package private(set) var absence: KeyringError?
    /// A missing collection does not count: unlike a bus or a program, one may be created at any time.
    private var isAbsent: Bool { isUnused || absence?.isMissing == true }

    /// `choice` is `gitspaceStore`, read only when it matters; without `locks`, items in memory stay there; `hasMemory`
    /// is false while the cache does not run.
    package init(
        _ keyring: any Keyring, else cache: any Keyring, locks: (any Locks)? = nil,
        mayBeChosen: @escaping () -> Bool = { true }, hasMemory: @escaping () -> Bool = { true },
        choice: @escaping () throws(ConfigurationError) -> SignInSettings.CredentialStore
    ) {
        self.keyring = keyring
        self.cache = cache
        self.locks = locks
        self.mayBeChosen = mayBeChosen
        self.hasMemory = hasMemory
        self.choice = choice
    }

    package var storage: CredentialStorage { (absence != nil || (try? choice()) == .cache ? cache : keyring).storage }
    package var lockedCollections: [DisplayText] { isAbsent ? [] : keyring.lockedCollections }

    package func items(having attributes: ItemAttributes) throws(KeyringError) -> [Item] {
        let found = try either { keyring throws(KeyringError) in try keyring.items(having: attributes) }
        guard !isAbsent else { return found }
        guard !found.isEmpty else { return mayBeCached ? try cached(cache.items(having: attributes)) ?? [] : [] }
        // Another account may be in the cache; the choice is read only if the cache has something.
        let others = ((try? cache.items(having: attributes)) ?? []).filter { item in
            !found.contains { $0.attributes == item.attributes }
        }
        return others.isEmpty || !mayBeCached ? found : found + others
    }

    package func unlock(_ items: [Item]) throws(KeyringError) -> [Item] {
        try either { keyring throws(KeyringError) in try keyring.unlock(items) }
    }

    package func checkWritable(mayPrompt: Bool) throws(KeyringError) {
        guard try knownChoice() != .cache else { return try cache.checkWritable(mayPrompt: mayPrompt) }
        if !isAbsent { absence = nil }
        try either { keyring throws(KeyringError) in try keyring.checkWritable(mayPrompt: mayPrompt) }
    }

    package func replace(_ item: Item, with secret: Secret) throws(KeyringError) -> Bool {
        let choice = try knownChoice()
        guard item.storage != .memory else { return try cache.replace(item, with: secret) }
        if choice == .cache { try cache.checkWritable(mayPrompt: false) }
        return try either { keyring throws(KeyringError) in try keyring.replace(item, with: secret) }
    }

    package func save(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError) {
        guard try place(of: attributes) != .cache else { return try cache.save(secret, under: attributes) }
        if !isAbsent { absence = nil }
        do {
            try either { keyring throws(KeyringError) in try keyring.save(secret, under: attributes) }
        } catch {
            // The keyring was not checked for an item from memory, whose refresh token is already used.
            guard !isAbsent, mayBeCached, remembered(attributes) != nil else { throw error }
            return try cache.save(secret, under: attributes)
        }
        if absence == nil { bringAlong(attributes) }
    }

    private func remembered(_ attributes: ItemAttributes) -> Item? {
        (try? cache.items(having: attributes))?.first { $0.attributes == attributes }
    }

    /// Moves the host's other items, kept in memory while there was no collection, into the keyring.
    ///
    /// The front door answers from the keyring alone as soon as that has an account.
    private func bringAlong(_ saved: ItemAttributes) {
        guard let locks, mayBeCached, let host = saved.hostName,
            let items = try? cache.items(having: ItemAttributes(protocol: saved.protocol ?? [], host: host))
        else { return }
        // The caller holds the lock of the saved item.
        for item in items {
            if item.attributes == saved { try? cache.remove(item) } else { _ = bring(item.attributes, of: host, locks) }
        }
    }

    package func bringFromMemory(of host: HostName) -> [[UInt8]] {
        let attributes = ItemAttributes(protocol: CredentialContext.https, host: host)
        guard let locks, !isUnused, let items = try? cache.items(having: attributes), !items.isEmpty,
            (try? choice()) == .auto, (try? keyring.checkWritable(mayPrompt: false)) != nil
        else { return [] }
        return items.filter { bring($0.attributes, of: host, locks) }.map { $0.attributes.user ?? [] }
    }

    /// Returns false if the item stays: it is being refreshed, or the keyring has one or does not take it.
    private func bring(_ attributes: ItemAttributes, of host: HostName, _ locks: any Locks) -> Bool {
        let name = LockName.account(attributes.user ?? [], on: host)
        guard let lock = try? locks.acquire(name, within: 0, whileWaiting: { false }) else { return false }
        defer { lock.release() }
        guard let item = remembered(attributes), let secret = item.secret,
            let found = try? keyring.items(having: attributes), !found.contains(where: { $0.attributes == attributes }),
            (try? keyring.save(secret, under: attributes)) != nil
        else { return false }
        try? cache.remove(item)
        return true
    }

    package func remove(_ item: Item) throws(KeyringError) {
        guard item.storage != .memory else { return try cache.remove(item) }
        try either { keyring throws(KeyringError) in try keyring.remove(item) }
        // A copy in memory would be found next.
        if mayBeCached { _ = try cached(cache.remove(item)) }
    }

    /// Whether memory may have items beside a keyring: by the person's choice, or from a time without one.
    private var mayBeCached: Bool {
        guard hasMemory() else { return false }
        do {
            return try choice() != .secretservice
        } catch .noGit, .timedOut {
            // The cache is a part of git, and would not answer either.
            return false
        } catch {
            return true
        }
    }

    /// Returns `nil` if the cache cannot be used and was not chosen.
    private func cached<Result>(
        _ body: @autoclosure () throws(KeyringError) -> Result
    ) throws(KeyringError) -> Result? {
        do {
            return try body()
        } catch {
            guard error == .noProvider, (try? choice()) == .auto else { throw error }
            return nil
        }
    }

    private func knownChoice() throws(KeyringError) -> SignInSettings.CredentialStore {
        try rethrowing(as: KeyringError.unconfigured, try choice())
    }

    /// The place by the person's choice or, if that cannot be read, by the existing item.
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

    private func either<Result>(_ body: (any Keyring) throws(KeyringError) -> Result) throws(KeyringError) -> Result {
        if !isAbsent {
            do {
                return try body(keyring)
            } catch {
                let choice = try? choice()
                guard choice == .cache || error.isAbsence && choice != .secretservice else { throw error }
                absence = choice == .cache ? nil : error
            }
        }
        do {
            return try body(cache)
        } catch .noProvider {
            // If the cache cannot be used either, only a keyring helps.
            throw absence ?? .noProvider
        }
    }
}

extension Dependencies {
    /// The way to another machine's sign-in, in a container without a keyring.
    package var shareInstead: Message? {
        guard isInContainer(), keyring.absence?.isMissing == true else { return nil }
        return Message(
            "To use the sign-in of another machine here instead, run this there, and paste the lines that it prints: %1$s",
            Verbatim(KeyringError.share))
    }
}
