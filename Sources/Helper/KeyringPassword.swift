package import CredentialCore
package import Messages

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

    /// Tries a password, even the empty one, which some keyrings have.
    private func tried(_ password: Secret, at collection: LockedCollection) throws(KeyringError) -> Outcome {
        try keyring.unlock(collection, with: password) ? .unlocked([collection]) : password.isEmpty ? .empty : .wrong
    }

    /// Creates a collection if there is none.
    ///
    /// A typed password has to be typed twice, since an unseen mistake would lock the person out.
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
