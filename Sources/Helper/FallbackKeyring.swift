package import CredentialCore

/// git's in-memory cache is the substitute, by the person's choice or because there is no keyring.
///
/// Without a choice, the cache is used only if there is no keyring at all. If the keyring is locked, slow or refuses,
/// it is still the place where the tokens are; another place would look as if they were lost. If the choice cannot be
/// read, existing credentials are found, replaced and removed in either place, and new ones cannot be saved.
package final class FallbackKeyring: Keyring {
    private let keyring: any Keyring
    private let cache: any Keyring
    private let choice: () throws(ConfigurationError) -> SignInSettings.CredentialStore
    /// Nil until it is known that there is no keyring.
    package private(set) var absence: KeyringError?
    private var isAbsent: Bool { absence != nil }

    /// `choice` is `gitspaceStore`, read only if the keyring contains nothing, or something has to be saved.
    package init(
        _ keyring: any Keyring, else cache: any Keyring,
        choice: @escaping () throws(ConfigurationError) -> SignInSettings.CredentialStore
    ) {
        self.keyring = keyring
        self.cache = cache
        self.choice = choice
    }

    package var storage: CredentialStorage { writable.storage }

    package var lockedCollections: [DisplayText] { isAbsent ? [] : keyring.lockedCollections }

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

    package func replace(_ item: Item, with secret: Secret) throws(KeyringError) -> Bool {
        let choice = try knownChoice()
        guard item.storage != .memory else { return try cache.replace(item, with: secret) }
        if choice == .cache { try cache.checkWritable(mayPrompt: false) }
        return try either { keyring throws(KeyringError) in try keyring.replace(item, with: secret) }
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

    /// Although there is a keyring.
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

    /// By the person's choice or, if that cannot be read, where it already is.
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
                absence = error
            }
        }
        do {
            return try body(cache)
        } catch .noProvider {
            // Where the cache cannot be used either, a keyring is what helps.
            throw absence ?? .noProvider
        }
    }
}

/// The terminal or, if there is none, the desktop.
package final class FallbackUI: SignInUI {
    private let terminal: any SignInUI
    private let desktop: any SignInUI
    /// The terminal until the desktop is needed, because asking the desktop is expensive.
    private var found: any SignInUI

    /// Chosen when a sign-in would begin.
    package init(_ terminal: any SignInUI, else desktop: any SignInUI) {
        self.terminal = terminal
        self.desktop = desktop
        found = terminal
    }

    package var hasTerminal: Bool { terminal.hasTerminal }

    package var canBeReached: Bool {
        guard !terminal.canBeReached else { return true }
        guard desktop.canBeReached else { return false }
        found = desktop
        return true
    }

    package var opensBrowser: Bool { found.opensBrowser }

    package func acquirePromptSlot() -> Bool { found.acquirePromptSlot() }

    package func show(_ prompt: SignInPrompt) { found.show(prompt) }

    package func dismissPrompt() { found.dismissPrompt() }

    package func wait(milliseconds: Int64, until end: Int64?, watching descriptors: [Int32]) -> WaitOutcome {
        found.wait(milliseconds: milliseconds, until: end, watching: descriptors)
    }

    package func takePasted() -> Secret? { found.takePasted() }

    package func say(_ notice: Notice) { found.say(notice) }

    package func withdraw() { found.withdraw() }
}
