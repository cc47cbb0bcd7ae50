internal import ArgumentParser
package import CredentialCore
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
        let question =
            isThere
            ? Message("Password of the keyring (not shown): ") : Message("Password for a new keyring (not shown): ")
        guard let password = questions.ask(question, for: .password) else { return nil }
        // Without a password, a new keyring would not be encrypted.
        guard isThere || !password.isEmpty else { throw .noKeyringPassword }
        // A password mistyped unseen would lock the person out.
        if !isThere, questions.areSecretsTyped {
            let again = Message("The same password again: ")
            guard let repeated = questions.ask(again, for: .password) else { return nil }
            guard repeated == password else { throw .passwordsDiffer }
        }
        var isRight = true
        do throws(KeyringError) {
            if isThere {
                isRight = try keyring.unlockCollection(with: password)
            } else {
                try keyring.createCollection(with: password)
            }
        } catch {
            throw .keyring(error)
        }
        // The empty password is that of some keyrings, so it is tried.
        guard isRight else { throw password.isEmpty ? .noKeyringPassword : .wrongKeyringPassword }
        return isThere ? Self.unlocked : Message("Created a keyring and unlocked it.")
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

/// A keyring that can be unlocked with a password typed here, and not in its own prompt.
package protocol KeyringUnlocking: KeyringInspection {
    /// Unlocks the collection that new items go to.
    ///
    /// - Returns: whether it is unlocked now; false for a wrong password.
    func unlockCollection(with password: Secret) throws(KeyringError) -> Bool

    /// Makes a default collection, unlocked until the keyring's program ends or locks it.
    func createCollection(with password: Secret) throws(KeyringError)
}
