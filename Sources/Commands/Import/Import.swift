package import CredentialCore
package import Helper

/// The verb `import`: copies what other tools have stored into our form, and removes nothing.
package struct Import {
    private let sources: [ImportSource]
    private let keyring: any ForeignKeyring
    private let files: any ForeignFiles
    private let dependencies: Dependencies

    /// An import.
    ///
    /// - Parameters:
    ///   - sources: whose credentials.
    ///   - keyring: the Secret Service, where other programs' items are.
    ///   - files: files of other tools.
    ///   - dependencies: everything else outside.
    package init(
        from sources: [ImportSource], keyring: any ForeignKeyring, files: any ForeignFiles,
        with dependencies: Dependencies
    ) {
        self.sources = sources
        self.keyring = keyring
        self.files = files
        self.dependencies = dependencies
    }

    /// What became of a credential.
    package enum Outcome: Equatable {
        /// It is in our form now, or would be.
        case imported
        /// It was there already.
        case alreadyThere
        /// Another one is there for this account, which is as good or newer.
        case kept
        /// It cannot be kept: its address or its bytes are none that git could ask for.
        case unstorable
        /// The keyring did not save it, or gave something else back.
        case failed
    }

    /// A credential that was found.
    package struct Account: Equatable {
        /// Where it was found.
        package let source: ImportSource
        /// Host and path, fit to be shown.
        package let place: String
        /// The account, fit to be shown.
        package let username: String
        /// The password, masked.
        package let masked: String
        /// What became of it.
        package let outcome: Outcome
    }

    /// A copy that stays where it was.
    package enum OldCopy: Equatable {
        /// In the keyring; the command that removes it.
        case keyring(ImportSource, removal: String)
        /// In a file, in plain text; the command that removes it, nil if it holds more than was taken over.
        case file(String, removal: String?)
    }

    /// What was done, or would be.
    package struct Report {
        /// The credentials that were found, in the order of the sources.
        package let accounts: [Account]
        /// What was not taken over, and why.
        package let leftOut: [ImportLeftOut]
        /// What stays where it was.
        package let oldCopies: [OldCopy]
    }

    /// Copies what is not there yet.
    ///
    /// - Parameter isDryRun: whether to store nothing.
    /// - Returns: what was done; nil if the keyring cannot be used, after a complaint.
    package func run(isDryRun: Bool) -> Report? {
        do throws(KeyringError) {
            if !isDryRun { try checkKeyring() }
            var found = ForeignCredentials()
            let search = ForeignSearch(keyring: keyring, files: files, with: dependencies)
            for source in sources { found += try search.credentials(of: source) }
            var taking = ImportStep(isDryRun: isDryRun, with: dependencies)
            var outcomes: [Outcome] = []
            for credential in found.credentials { outcomes.append(try taking.take(credential)) }
            let accounts = zip(found.credentials, outcomes).map(Self.account)
            return Report(
                accounts: accounts, leftOut: found.leftOut, oldCopies: Self.oldCopies(found, outcomes))
        } catch {
            dependencies.report(.keyring(error))
            return nil
        }
    }

    /// git's in-memory cache would forget within hours what is entrusted to it; that is no place to move to.
    private func checkKeyring() throws(KeyringError) {
        try dependencies.keyring.checkWritable(mayPrompt: true)
        if case .memory = dependencies.keyring.storage { throw .noProvider }
    }

    private static func account(_ credential: ForeignCredential, _ outcome: Outcome) -> Account {
        let path = credential.path.map { Array("/".utf8) + $0 } ?? []
        let scheme = credential.protocol == CredentialContext.https ? [] : credential.protocol + Array("://".utf8)
        return Account(
            source: credential.source, place: ForeignText.shown(scheme + credential.host + path),
            username: ForeignText.shown(credential.user), masked: ForeignText.masked(credential.password),
            outcome: outcome)
    }

    /// Where copies stay of what is in our form now, and of whatever is in plain text.
    private static func oldCopies(_ found: ForeignCredentials, _ outcomes: [Outcome]) -> [OldCopy] {
        var copies: [OldCopy] = []
        for (credential, outcome) in zip(found.credentials, outcomes) {
            let isSafe = [.imported, .alreadyThere].contains(outcome)
            let copy: OldCopy
            switch credential.copy {
            case .keyring(let removal):
                guard isSafe else { continue }
                copy = .keyring(credential.source, removal: removal)
            case .file(let path, let removal?): copy = .file(path, removal: isSafe ? removal : nil)
            case .file(let path, nil):
                let isWhole = isWhole(path, credential.copy, found, outcomes)
                copy = .file(path, removal: isWhole ? "rm \(ShellWord.quoted(path))" : nil)
            }
            if !copies.contains(copy) { copies.append(copy) }
        }
        return copies
    }

    private static func isWhole(
        _ path: String, _ copy: ForeignCredential.Copy, _ found: ForeignCredentials, _ outcomes: [Outcome]
    ) -> Bool {
        let hasBadLines = found.leftOut.contains { leftOut in
            if case .badLines(path, _) = leftOut { true } else { false }
        }
        return !hasBadLines
            && zip(found.credentials, outcomes).allSatisfy { other, outcome in
                other.copy != copy || [.imported, .alreadyThere].contains(outcome)
            }
    }
}
