internal import CredentialCore
package import Helper
package import Messages

/// The verb `unlock`: unlocks the keyring where its own prompt cannot be shown.
package struct Unlock: Command {
    private let keyring: any KeyringUnlocking
    private let questions: any Questions
    private let dependencies: Dependencies

    /// An unlocking.
    ///
    /// - Parameters:
    ///   - keyring: the keyring, as far as it takes a password from us.
    ///   - questions: asks for the password.
    ///   - dependencies: everything else outside.
    package init(_ keyring: any KeyringUnlocking, questions: any Questions, with dependencies: Dependencies) {
        self.keyring = keyring
        self.questions = questions
        self.dependencies = dependencies
    }

    /// What it reports.
    package enum Report: Equatable {
        /// Nothing had to be done.
        case alreadyUnlocked
        /// It is open now.
        case unlocked
        /// There was none; one has been made, and it is open.
        case created
        /// Credentials are kept in memory, by the person's choice.
        case unused
        /// The person cancelled.
        case cancelled
    }

    /// Checks who offers the keyring, and unlocks it.
    package func run(_ tell: (Report) -> Void) throws(UserFacingError) -> ExitStatus {
        let settings: SignInSettings
        do {
            settings = try ContextResolver(with: dependencies).generalSettings
        } catch {
            throw .configurationUnreadable(error)
        }
        guard settings.store != .cache else {
            tell(.unused)
            return .done
        }
        let program: KeyringProgram
        do throws(KeyringError) {
            try keyring.checkBus()
            program = KeyringProgram(try keyring.provider())
        } catch {
            throw .keyring(error)
        }
        let report = try program == .gnomeKeyring ? openHere() : open(by: program)
        tell(report)
        return report == .cancelled ? .cancelled : .done
    }

    private func openHere() throws(UserFacingError) -> Report {
        var isThere = true
        do throws(KeyringError) {
            guard try keyring.isCollectionLocked() else { return .alreadyUnlocked }
        } catch {
            guard error == .noCollection else { throw .keyring(error) }
            isThere = false
        }
        guard case .secret(let password) = questions.askSecret(.keyringPassword(isNew: !isThere)) else {
            return .cancelled
        }
        // Without a password, a new keyring would not be encrypted.
        guard isThere || !password.isEmpty else { throw .noKeyringPassword }
        // A password mistyped unseen would lock the person out.
        if !isThere, questions.areSecretsTyped {
            guard case .secret(let repeated) = questions.askSecret(.repeatedPassword) else { return .cancelled }
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
        return isThere ? .unlocked : .created
    }

    /// Such a program shows its own prompt, if it can.
    private func open(by program: KeyringProgram) throws(UserFacingError) -> Report {
        do throws(KeyringError) {
            guard try keyring.isCollectionLocked() else { return .alreadyUnlocked }
            try dependencies.keyring.checkWritable(mayPrompt: true)
            return .unlocked
        } catch {
            // KeePassXC shows no collection at all before its database is open.
            throw error == .locked || error == .noCollection ? .unlockElsewhere(program) : .keyring(error)
        }
    }
}
