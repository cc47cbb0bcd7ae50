package import CredentialCore

/// The question for the keyring's password at the terminal, where no desktop shows the keyring's own prompt.
package struct KeyringPassword {
    private let keyring: any KeyringUnlocking
    private let questions: any Questions

    package enum Outcome {
        /// The collections that were unlocked, at least one.
        case unlocked([LockedCollection])
        case created
        case cancelled
        case wrong
        case empty
        /// The two typed passwords never matched.
        case different
    }

    private static let mostAttempts = 3

    package init(_ keyring: any KeyringUnlocking, _ questions: any Questions) {
        self.keyring = keyring
        self.questions = questions
    }

    /// Unlocks one collection after the other, until the person cancels; a password from a pipe is tried at each.
    package func unlock(
        _ collections: [LockedCollection], by secret: AskedSecret = .password
    ) throws(KeyringError) -> Outcome {
        var unlocked: [LockedCollection] = []
        var outcome = Outcome.cancelled
        let isTyped = secret.isTyped || questions.isInputTyped
        let given = isTyped ? nil : questions.ask(Message("Password of the keyring (not shown): "), for: secret)
        for collection in collections {
            if let given { outcome = try tried(given, at: collection) }
            if isTyped { outcome = try ask(collection, secret) }
            if case .unlocked(let opened) = outcome { unlocked += opened } else if isTyped { break }
        }
        return unlocked.isEmpty ? outcome : .unlocked(unlocked)
    }

    private func ask(_ collection: LockedCollection, _ secret: AskedSecret) throws(KeyringError) -> Outcome {
        var question =
            collection.name.map { name in
                collection.hasLoginPassword
                    ? Message("Password of the keyring \"%1$s\", usually your login password (not shown): ", name)
                    : Message("Password of the keyring \"%1$s\" (not shown): ", name)
            } ?? Message("Password of the keyring (not shown): ")
        var outcome = Outcome.cancelled
        for _ in 1...Self.mostAttempts {
            guard let password = questions.ask(question, for: secret) else { return .cancelled }
            outcome = try tried(password, at: collection)
            if case .unlocked = outcome { return outcome }
            question = Message("Wrong password. Try again (not shown): ")
        }
        return outcome
    }

    /// Tries any password, since some keyrings have an empty one.
    private func tried(_ password: Secret, at collection: LockedCollection) throws(KeyringError) -> Outcome {
        try keyring.unlock(collection, with: password) ? .unlocked([collection]) : password.isEmpty ? .empty : .wrong
    }

    /// Creates a collection if there is none.
    ///
    /// A typed password is asked for twice, since an unseen mistake would lock the person out.
    package func create(asking question: Message, by secret: AskedSecret = .password) throws(KeyringError) -> Outcome {
        let isTyped = secret.isTyped || questions.isInputTyped
        var question = question
        for _ in 1...Self.mostAttempts {
            guard let password = questions.ask(question, for: secret) else { return .cancelled }
            // A keyring with an empty password would not be encrypted.
            guard !password.isEmpty else { return .empty }
            if isTyped {
                let again = Message("The same password again: ")
                guard let repeated = questions.ask(again, for: secret) else { return .cancelled }
                guard repeated == password else {
                    question = Message("The passwords do not match. Password for a new keyring (not shown): ")
                    continue
                }
            }
            try keyring.createCollection(with: password)
            return .created
        }
        return .different
    }
}

/// The question at the terminal if a call to the keyring needs the password, or one for a new keyring.
package final class KeyringHelp {
    private let questions: any Questions
    private let locks: any Locks
    private let mayAsk: () -> Bool
    /// Whether the person has refused.
    private var hasGivenUp = false

    /// Milliseconds in which another process may ask for the password.
    private static let patience: Int64 = 120_000

    /// `mayAsk` returns whether no setting forbids a prompt; called only for a locked or missing keyring.
    package init(_ questions: any Questions, locks: any Locks, mayAsk: @escaping () -> Bool) {
        self.questions = questions
        self.locks = locks
        self.mayAsk = mayAsk
    }

    /// Unlocks or creates the keyring, unless it shows its own prompt.
    ///
    /// One process asks at a time, and a refusal counts for all.
    ///
    /// - Throws: `failure` if nobody can be asked; `.noCollection` if the person wants no keyring, `.dismissed` for
    ///   another refusal.
    package func help(
        _ keyring: any KeyringUnlocking, after failure: KeyringError, _ selection: CollectionSelection
    ) throws(KeyringError) {
        guard !hasGivenUp,
            failure == .locked
                ? canAsk(keyring) : failure == .noCollection && (keyring.mayPrompt || canAsk(keyring))
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
        guard let no = try failure == .locked ? unlock(keyring, selection, mayAsk) : create(keyring, mayAsk)
        else { return }
        hasGivenUp = true
        if mayAsk { lock?.giveUp() }
        throw no
    }

    private func canAsk(_ keyring: any KeyringUnlocking) -> Bool {
        questions.canAsk && keyring.offeringProgram == .gnomeKeyring && mayAsk()
    }

    /// Returns the refusal, or `nil` if the keyring is unlocked, perhaps by another process meanwhile.
    private func unlock(
        _ keyring: any KeyringUnlocking, _ selection: CollectionSelection, _ mayAsk: Bool
    ) throws(KeyringError) -> KeyringError? {
        let locked = try keyring.locked(selection)
        guard !locked.isEmpty else { return nil }
        guard mayAsk, case .unlocked = try KeyringPassword(keyring, questions).unlock(locked, by: .terminalPassword)
        else { return .dismissed }
        return nil
    }

    /// Returns the refusal, or `nil` if there is a keyring now; a person who wants none may still sign in.
    private func create(_ keyring: any KeyringUnlocking, _ mayAsk: Bool) throws(KeyringError) -> KeyringError? {
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

/// The step-by-step inspection of the keyring's service, without unlocking, prompting or changing anything.
///
/// Each call ends within the keyring's time limit; after a timeout, the next ones fail at once.
package protocol KeyringInspection: AnyObject {
    func checkBus() throws(KeyringError)

    /// Finds the service, which the bus may have to start.
    ///
    /// - Returns: the name of the program that offers it, of letters and the like only, or `nil` if unknown.
    func provider() throws(KeyringError) -> String?

    /// The program that offers the service, found without a call to the keyring, which may hang.
    var offeringProgram: KeyringProgram { get }
    /// The names of locked collections beside an open one, for the words of an error.
    var namesOfLocked: [DisplayText] { get }

    /// Returns the locked ones among the selected collections.
    ///
    /// - Throws: for new items, `.noCollection` or `.noSuchCollection` if they have no place.
    func locked(_ selection: CollectionSelection) throws(KeyringError) -> [LockedCollection]
}

/// A keyring whose collections can be unlocked or created one by one.
package protocol KeyringUnlocking: KeyringInspection {
    /// Unlocks a collection with its password, without a prompt of the keyring's own.
    ///
    /// - Returns: whether it is unlocked now; false for a wrong password.
    func unlock(_ collection: LockedCollection, with password: Secret) throws(KeyringError) -> Bool

    /// - Throws: `.locked` if no prompt can be shown, `.dismissed` if a person closed it.
    func unlock(_ collection: LockedCollection) throws(KeyringError)
    /// Returns the items that are no longer locked, or throws `.locked` if all still are.
    func readUnlocked(_ items: [Item]) throws(KeyringError) -> [Item]
    /// Creates a default collection, unlocked until the keyring's program ends or locks it.
    func createCollection(with password: Secret) throws(KeyringError)
    /// Whether the keyring's own prompt could be seen here, and is allowed.
    var mayPrompt: Bool { get }

    /// - Throws: `.noCollection` if no prompt can be shown, `.dismissed` if it was closed or did not appear.
    func createCollection() throws(KeyringError)
}
