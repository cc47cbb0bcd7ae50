internal import ArgumentParser
package import CredentialCore
package import Helper

/// The verb `unlock`: unlocks the keyring if its own prompt cannot be shown.
struct Unlock: Verb {
    static let configuration = CommandConfiguration(
        "unlock", Message("Unlock the keyring in a terminal."),
        Message("Asks for the keyring's password without showing it, or reads it from standard input."),
        Message("This works with gnome-keyring. For KeePassXC and KWallet, it tells you how to unlock them."),
        examples: ["unlock", "unlock <password.txt"])

    func run(with outside: VerbDependencies) throws(UserFacingError) -> ExitStatus {
        let dependencies = outside.dependencies(nil)
        let settings = try rethrowing(
            as: UserFacingError.configurationUnreadable, try ContextResolver(with: dependencies).generalSettings)
        guard settings.store != .cache else {
            outside.say(
                Message(
                    "Nothing to unlock: %1$s is cache, so credentials are kept in memory.",
                    SettingKey.gitspaceStore.name))
            return .done
        }
        let keyring = outside.unlockableKeyring()
        let program: KeyringProgram
        let locked: [LockedCollection]
        do throws(KeyringError) {
            try keyring.checkBus()
            program = KeyringProgram(try keyring.provider())
            locked = try keyring.locked(.all)
        } catch {
            throw .keyring(error)
        }
        guard let done = try open(locked, in: keyring, of: program, outside.questions) else {
            outside.say(Message("Cancelled. Nothing was changed."))
            return .cancelled
        }
        done.forEach(outside.say)
        return .done
    }

    private static let created = Message("Created a keyring and unlocked it.")

    private func words(_ locked: [LockedCollection], opened: [LockedCollection]) -> [Message] {
        locked.map { collection in
            switch (collection.name, opened.contains(collection)) {
            case (nil, true): Message("The keyring is unlocked.")
            case (nil, false): Message("The keyring is still locked.")
            case (let name?, true): Message("The keyring \"%1$s\" is unlocked.", name)
            case (let name?, false): Message("The keyring \"%1$s\" is still locked.", name)
            }
        }
    }

    /// Asks for the password here, if gnome-keyring needs it; `nil` if the person cancels.
    private func open(
        _ locked: [LockedCollection], in keyring: any KeyringUnlocking, of program: KeyringProgram,
        _ questions: any Questions
    ) throws(UserFacingError) -> [Message]? {
        let outcome: KeyringPassword.Outcome
        do throws(KeyringError) {
            if locked.isEmpty {
                do throws(KeyringError) {
                    _ = try keyring.locked(.forNewItems)
                    return [Message("The keyring is already unlocked.")]
                } catch .noCollection {}
            }
            guard program == .gnomeKeyring else { return try openByPrompt(locked, in: keyring) }
            let password = KeyringPassword(keyring, questions)
            outcome =
                try locked.isEmpty
                ? password.create(asking: Message("Password for a new keyring (not shown): ")) : password.unlock(locked)
        } catch {
            throw error == .locked && program != .gnomeKeyring ? .unlockElsewhere(program) : .keyring(error)
        }
        switch outcome {
        case .created: return [Self.created]
        case .unlocked(let opened): return words(locked, opened: opened)
        case .cancelled: return nil
        case .wrong: throw .wrongKeyringPassword
        case .empty: throw .noKeyringPassword
        case .different: throw .passwordsDiffer
        }
    }

    private func openByPrompt(
        _ locked: [LockedCollection], in keyring: any KeyringUnlocking
    ) throws(KeyringError) -> [Message] {
        guard !locked.isEmpty else {
            try keyring.createCollection()
            return [Self.created]
        }
        var opened: [LockedCollection] = []
        for collection in locked {
            do throws(KeyringError) {
                try keyring.unlock(collection)
            } catch .dismissed where !opened.isEmpty {
                // One open keyring may be enough for the person.
                break
            }
            opened.append(collection)
        }
        return words(locked, opened: opened)
    }
}

extension UserFacingError {
    package static let wrongKeyringPassword = UserFacingError(
        .keyringPassword, Message("wrong password for the keyring"), [Message("try again:")] + unlock)

    package static let noKeyringPassword = UserFacingError(
        .keyringPassword, Message("no password was given for the keyring"),
        [Message("enter it in a terminal, or pass it on standard input:")] + unlock)

    package static let passwordsDiffer = UserFacingError(
        .keyringPassword, Message("the passwords do not match; no keyring was created"),
        [Message("try again:")] + unlock)

    /// The error for a keyring that only its own window can unlock, with a hint for a machine without a desktop.
    package static func unlockElsewhere(_ program: KeyringProgram) -> UserFacingError {
        let hint =
            switch program {
            case .keePassXC:
                Message("unlock the database in KeePassXC, or, without a desktop, keep credentials in memory:")
            case .kwallet: Message("open the wallet on the desktop, or, without one, keep credentials in memory:")
            case .gnomeKeyring, .other:
                Message("unlock it on the desktop, or, without one, keep credentials in memory:")
            }
        return UserFacingError(
            .keyring, Message("this keyring can only be unlocked in its own window"), [hint, KeyringProgram.inMemory])
    }

    private static let unlock = [Message.command("git credential-gitspace unlock")]
}
