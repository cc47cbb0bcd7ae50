package import CredentialCore
internal import Messages

/// A keyring that asks a person for its password at the terminal when it is needed.
package final class TerminalKeyring: KeyringDecorator {
    private let keyring: any Keyring & KeyringUnlocking
    package var decorated: any Keyring { keyring }
    private let questions: any Questions
    private let locks: any Locks
    private let mayAsk: () -> Bool
    /// Whether the person has refused.
    private var hasGivenUp = false

    /// The time in milliseconds in which another process of the same command may ask for the password.
    private static let patience: Int64 = 120_000

    /// Creates the keyring.
    ///
    /// `mayAsk` returns whether no setting forbids a prompt; it is called only for a locked or missing keyring.
    package init(
        _ keyring: any Keyring & KeyringUnlocking, _ questions: any Questions, locks: any Locks,
        mayAsk: @escaping () -> Bool
    ) {
        self.keyring = keyring
        self.questions = questions
        self.locks = locks
        self.mayAsk = mayAsk
    }

    package func unlock(_ items: [Item]) throws(KeyringError) -> [Item] {
        do {
            return try keyring.unlock(items)
        } catch {
            try help(after: error, .holding(items))
            return try keyring.readUnlocked(items)
        }
    }

    package func checkWritable(mayPrompt: Bool) throws(KeyringError) {
        do {
            try keyring.checkWritable(mayPrompt: mayPrompt)
        } catch {
            guard mayPrompt else { throw error }
            try help(after: error, .forNewItems)
            try keyring.checkWritable(mayPrompt: false)
        }
    }

    package func save(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError) {
        do {
            try keyring.save(secret, under: attributes)
        } catch {
            try help(after: error, error == .locked ? lockedPlace(of: attributes) : .forNewItems)
            try keyring.save(secret, under: attributes)
        }
    }

    /// Returns the locked place of a stored item, which is replaced there.
    private func lockedPlace(of attributes: ItemAttributes) throws(KeyringError) -> CollectionSelection {
        let stored = try keyring.items(having: attributes).filter { $0.attributes == attributes && $0.isLocked }
        return stored.isEmpty ? .forNewItems : .holding(stored)
    }

    /// Unlocks or creates the keyring, unless it shows its own prompt.
    ///
    /// One process asks at a time, and a refusal counts for all.
    ///
    /// - Throws: the failure if nobody can be asked, or has no keyring created; `.dismissed` for any other refusal.
    private func help(after failure: KeyringError, _ selection: CollectionSelection) throws(KeyringError) {
        guard !hasGivenUp, failure == .locked ? canAsk : failure == .noCollection && (keyring.mayPrompt || canAsk)
        else { throw failure }
        let lock: (any HeldLock)?
        do {
            lock = try locks.acquire(.keyringPassword, within: Self.patience, whileWaiting: { true })
        } catch .impossible, .failed {
            lock = nil
        } catch {
            throw failure
        }
        defer { lock?.release() }
        let mayAsk = lock?.predecessorGaveUp != true
        guard let no = try failure == .locked ? unlock(selection, mayAsk) : create(mayAsk) else { return }
        hasGivenUp = true
        if mayAsk { lock?.giveUp() }
        throw no
    }

    private var canAsk: Bool { questions.canAsk && keyring.offeringProgram == .gnomeKeyring && mayAsk() }

    /// Unlocks the keyring, unless another process has done so meanwhile.
    private func unlock(_ selection: CollectionSelection, _ mayAsk: Bool) throws(KeyringError) -> KeyringError? {
        let locked = try keyring.locked(selection)
        guard !locked.isEmpty else { return nil }
        guard mayAsk, case .unlocked = try KeyringPassword(keyring, questions).unlock(locked, by: .terminalPassword)
        else { return .dismissed }
        return nil
    }

    /// Creates a keyring, unless another process has done so meanwhile; a person who wants none may still sign in.
    private func create(_ mayAsk: Bool) throws(KeyringError) -> KeyringError? {
        do {
            _ = try keyring.locked(.forNewItems)
            return nil
        } catch {
            guard error == .noCollection, mayAsk else { return error }
        }
        guard !keyring.mayPrompt else {
            do {
                try keyring.createCollection()
                return nil
            } catch {
                return error == .dismissed ? .noCollection : error
            }
        }
        let question = Message(
            "There is no keyring yet. Password for a new one (not shown; leave it empty to keep credentials in memory): "
        )
        return switch try KeyringPassword(keyring, questions).create(asking: question, by: .terminalPassword) {
        case .created: nil
        case .empty: .noCollection
        default: .dismissed
        }
    }
}
