package import CredentialCore
internal import Messages

/// Examines the keyring's service step by step, without unlocking, prompting or changing anything.
///
/// Each call ends within the keyring's time limit; after one that times out, the others fail at once.
package protocol KeyringInspection: AnyObject {
    /// Makes sure that there is a session bus that answers.
    func checkBus() throws(KeyringError)

    /// Finds the service, which the bus may have to start.
    ///
    /// - Returns: the name of the program that offers it, letters and the like only; nil if unknown.
    func provider() throws(KeyringError) -> String?

    /// The same program, asked from the bus alone, so that it is known even if the keyring hangs.
    var offeringProgram: KeyringProgram { get }

    /// Whether the collection that new items go to is locked.
    ///
    /// - Throws: `.noCollection` if there is none.
    func isCollectionLocked() throws(KeyringError) -> Bool
}

/// A keyring that can be unlocked with a password typed here, and not in its own prompt.
package protocol KeyringUnlocking: KeyringInspection {
    /// The name of the collection that new items go to; nil if it has none.
    var collectionLabel: DisplayText? { get }

    /// Unlocks the collection that new items go to.
    ///
    /// - Returns: whether it is unlocked now; false for a wrong password.
    func unlockCollection(with password: Secret) throws(KeyringError) -> Bool

    /// Those that are not locked any more; `.locked` if all still are.
    func readUnlocked(_ items: [Item]) throws(KeyringError) -> [Item]

    /// Makes a default collection, unlocked until the keyring's program ends or locks it.
    func createCollection(with password: Secret) throws(KeyringError)
}

/// Asks for the keyring's password at the terminal, where no desktop shows the keyring's own prompt.
package struct KeyringPassword {
    private let keyring: any KeyringUnlocking
    private let questions: any Questions

    package enum Outcome {
        case unlocked
        case cancelled
        case wrong(isEmpty: Bool)
    }

    private static let mostAttempts = 3

    package init(_ keyring: any KeyringUnlocking, _ questions: any Questions) {
        self.keyring = keyring
        self.questions = questions
    }

    /// Unlocks the collection that new items go to; a password that does not come from a terminal has one try.
    package func unlock(by secret: AskedSecret = .password) throws(KeyringError) -> Outcome {
        let name = keyring.collectionLabel
        var question =
            name.map { Message("Password of the keyring \"%1$s\", usually your login password (not shown): ", $0) }
            ?? Message("Password of the keyring, usually your login password (not shown): ")
        var isEmpty = false
        for _ in 1...(secret.isTyped || questions.areSecretsTyped ? Self.mostAttempts : 1) {
            guard let password = questions.ask(question, for: secret) else { return .cancelled }
            // The empty password is that of some keyrings, so it is tried.
            if try keyring.unlockCollection(with: password) { return .unlocked }
            isEmpty = password.isEmpty
            question = Message("Wrong password. Try again (not shown): ")
        }
        return .wrong(isEmpty: isEmpty)
    }
}

/// A keyring for whose password a person is asked at the terminal when it is needed.
package final class TerminalKeyring: Keyring {
    private let keyring: any Keyring & KeyringUnlocking
    private let questions: any Questions
    private let locks: any Locks
    private let mayAsk: () -> Bool
    private var wasAsked = false

    /// In milliseconds: as long as another process of the same command may ask for it.
    private static let patience: Int64 = 120_000

    /// `mayAsk` tells whether nothing forbids a prompt; it is called only where the keyring is locked.
    package init(
        _ keyring: any Keyring & KeyringUnlocking, _ questions: any Questions, locks: any Locks,
        mayAsk: @escaping () -> Bool
    ) {
        self.keyring = keyring
        self.questions = questions
        self.locks = locks
        self.mayAsk = mayAsk
    }

    package var storage: CredentialStorage { keyring.storage }
    package var absence: KeyringError? { keyring.absence }
    package var lockedCollections: [DisplayText] { keyring.lockedCollections }

    package func items(having attributes: ItemAttributes) throws(KeyringError) -> [Item] {
        try keyring.items(having: attributes)
    }

    package func unlock(_ items: [Item]) throws(KeyringError) -> [Item] {
        do {
            return try keyring.unlock(items)
        } catch .locked {
            try ask()
            return try keyring.readUnlocked(items)
        }
    }

    package func checkWritable(mayPrompt: Bool) throws(KeyringError) {
        do {
            try keyring.checkWritable(mayPrompt: mayPrompt)
        } catch .locked where mayPrompt {
            try ask()
            try keyring.checkWritable(mayPrompt: false)
        }
    }

    package func replace(_ item: Item, with secret: Secret) throws(KeyringError) -> Bool {
        try keyring.replace(item, with: secret)
    }

    package func save(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError) {
        try keyring.save(secret, under: attributes)
    }

    package func remove(_ item: Item) throws(KeyringError) { try keyring.remove(item) }

    /// One process at a time, and one no for all of them; a keyring that shows its own prompt is not locked for us.
    private func ask() throws(KeyringError) {
        guard !wasAsked, questions.canAsk, keyring.offeringProgram == .gnomeKeyring, mayAsk() else { throw .locked }
        wasAsked = true
        let lock: (any HeldLock)?
        do {
            lock = try locks.acquire(.keyringPassword, within: Self.patience, whileWaiting: { true })
        } catch .impossible {
            lock = nil
        } catch {
            throw .locked
        }
        defer { lock?.release() }
        guard try keyring.isCollectionLocked() else { return }
        guard lock?.predecessorGaveUp != true else { throw .dismissed }
        guard case .unlocked = try KeyringPassword(keyring, questions).unlock(by: .terminalPassword) else {
            lock?.giveUp()
            throw .dismissed
        }
    }
}
