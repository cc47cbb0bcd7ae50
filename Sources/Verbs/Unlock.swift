internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Messages

/// The verb `unlock`: unlocks the keyring where its own prompt cannot be shown.
struct Unlock: Verb {
    static let configuration = CommandConfiguration(
        "unlock",
        Message("Unlock the keyring in a terminal."),
        Message("Asks for the keyring's password without showing it, or reads it from standard input."),
        Message("This works with gnome-keyring. For KeePassXC and KWallet, it tells you how to unlock them."))

    func run(with outside: VerbDependencies) throws(UserFacingError) -> ExitStatus {
        let dependencies = outside.dependencies(nil)
        let settings: SignInSettings
        do {
            settings = try ContextResolver(with: dependencies).generalSettings
        } catch {
            throw .configurationUnreadable(error)
        }
        guard settings.store != .cache else {
            outside.say(
                Message("Nothing to unlock: credential.gitspaceStore is cache, so credentials are kept in memory."))
            return .done
        }
        let keyring = outside.unlockableKeyring()
        let program: KeyringProgram
        do throws(KeyringError) {
            try keyring.checkBus()
            program = KeyringProgram(try keyring.provider())
        } catch {
            throw .keyring(error)
        }
        guard
            let done = try program == .gnomeKeyring
                ? open(keyring, outside.questions) : open(keyring, of: program, dependencies)
        else {
            outside.say(Message("Cancelled. Nothing was changed."))
            return .cancelled
        }
        outside.say(done)
        return .done
    }

    private static let alreadyUnlocked = Message("The keyring is already unlocked.")
    private static let unlocked = Message("The keyring is unlocked.")

    /// Asks for the password here; nil if the person cancels.
    private func open(
        _ keyring: any KeyringUnlocking, _ questions: any Questions
    ) throws(UserFacingError) -> Message? {
        var isThere = true
        do throws(KeyringError) {
            guard try keyring.isCollectionLocked() else { return Self.alreadyUnlocked }
        } catch {
            guard error == .noCollection else { throw .keyring(error) }
            isThere = false
        }
        guard isThere else { return try create(keyring, questions) }
        let outcome: KeyringPassword.Outcome
        do {
            outcome = try KeyringPassword(keyring, questions).unlock()
        } catch {
            throw .keyring(error)
        }
        switch outcome {
        case .unlocked: return Self.unlocked
        case .cancelled: return nil
        case .wrong(let isEmpty): throw isEmpty ? .noKeyringPassword : .wrongKeyringPassword
        }
    }

    private func create(
        _ keyring: any KeyringUnlocking, _ questions: any Questions
    ) throws(UserFacingError) -> Message? {
        guard let password = questions.ask(Message("Password for a new keyring (not shown): "), for: .password) else {
            return nil
        }
        // Without a password, it would not be encrypted.
        guard !password.isEmpty else { throw .noKeyringPassword }
        // A password mistyped unseen would lock the person out.
        if questions.areSecretsTyped {
            let again = Message("The same password again: ")
            guard let repeated = questions.ask(again, for: .password) else { return nil }
            guard repeated == password else { throw .passwordsDiffer }
        }
        do {
            try keyring.createCollection(with: password)
        } catch {
            throw .keyring(error)
        }
        return Message("Created a keyring and unlocked it.")
    }

    /// Such a program shows its own prompt, if it can.
    private func open(
        _ keyring: any KeyringUnlocking, of program: KeyringProgram, _ dependencies: Dependencies
    ) throws(UserFacingError) -> Message? {
        do throws(KeyringError) {
            guard try keyring.isCollectionLocked() else { return Self.alreadyUnlocked }
            try dependencies.keyring.checkWritable(mayPrompt: true)
            return Self.unlocked
        } catch {
            // KeePassXC shows no collection at all before its database is open.
            throw error == .locked || error == .noCollection ? .unlockElsewhere(program) : .keyring(error)
        }
    }
}
