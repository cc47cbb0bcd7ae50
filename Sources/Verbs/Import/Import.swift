package import CredentialCore
package import Helper
package import Messages

/// The verb `import`: copies what other tools have stored into our format, and removes nothing.
package struct Import: Command {
    private let sources: [ImportSource]
    private let isDryRun: Bool
    private let keyring: any ForeignKeyring
    private let files: any ForeignFiles
    private let dependencies: Dependencies

    /// An import.
    ///
    /// - Parameters:
    ///   - sources: the tools.
    ///   - isDryRun: whether to store nothing.
    ///   - keyring: the Secret Service, where other programs' items are.
    ///   - files: files of other tools.
    ///   - dependencies: everything else outside.
    package init(
        from sources: [ImportSource], isDryRun: Bool, keyring: any ForeignKeyring, files: any ForeignFiles,
        with dependencies: Dependencies
    ) {
        self.sources = sources
        self.isDryRun = isDryRun
        self.keyring = keyring
        self.files = files
        self.dependencies = dependencies
    }

    /// What became of a credential.
    package enum Outcome: Equatable {
        /// It was stored, or would be.
        case imported
        /// It was there already.
        case alreadyThere
        /// Another credential, as good or newer, is stored for this account.
        case kept
        /// It cannot be stored: git could not ask for such an address or such bytes.
        case unstorable
        /// The host rejects it; it is left where it was.
        case rejected
        /// The host says that it is another account's; it is left where it was.
        case otherAccount(owner: DisplayText)
        /// It was there already, and the host rejects it.
        case storedRejected
        /// The account's lock was held by another process all the time.
        case busy
        /// There is no safe place for the account's lock.
        case lockImpossible
        /// The keyring did not save it, or returned something else.
        case failed

        /// Whether it is stored.
        var isStored: Bool { [.imported, .alreadyThere, .storedRejected].contains(self) }
        /// Whether it could be imported at another time.
        var isFailure: Bool { [.busy, .lockImpossible, .failed].contains(self) }
    }

    /// A credential that was found.
    package struct Account: Equatable {
        /// Where it was found.
        package let source: ImportSource
        /// Host and path, safe to show.
        package let place: DisplayText
        /// The account, safe to show.
        package let username: DisplayText
        /// The password, masked.
        package let masked: DisplayText
        /// What became of it.
        package let outcome: Outcome
        /// Whether the host has accepted the token; nil if it was not asked, as where nobody signs in.
        package let isVerified: Bool?
    }

    /// A copy that stays where it was.
    package enum OldCopy: Equatable {
        /// In the keyring; what removes it.
        case keyring(ImportSource, removal: ImportRemoval)
        /// In a file, in plain text; what removes it, nil if it contains more than was imported.
        case file(String, removal: ImportRemoval?)
    }

    /// What was done, or would be.
    package struct Report {
        /// The credentials that were found, in the order of the sources.
        package let accounts: [Account]
        /// What was not imported, and why.
        package let leftOut: [ImportLeftOut]
        /// What stays where it was.
        package let oldCopies: [OldCopy]
        /// Where the imported credentials are kept.
        package let storage: CredentialStorage
        /// Whether nothing was stored.
        package let isDryRun: Bool
    }

    /// Copies what is not there yet.
    package func run(_ tell: (Report) -> Void) throws(UserFacingError) -> ExitStatus {
        do throws(KeyringError) {
            if !isDryRun { try dependencies.keyring.checkWritable(mayPrompt: true) }
            var found = ForeignCredentials()
            let search = ForeignSearch(keyring: keyring, files: files, with: dependencies)
            for source in sources { found += try search.credentialsWithoutKeyring(of: source) }
            var taking = ImportStep(isDryRun: isDryRun, with: dependencies)
            var outcomes: [Outcome] = []
            var accounts: [Account] = []
            for credential in found.credentials {
                let outcome = try taking.take(credential)
                outcomes.append(outcome)
                accounts.append(Self.account(credential, outcome, isVerified: taking.isVerified(credential)))
            }
            tell(
                Report(
                    accounts: accounts, leftOut: found.leftOut, oldCopies: Self.oldCopies(found, outcomes),
                    storage: dependencies.keyring.storage, isDryRun: isDryRun))
            return outcomes.contains(where: \.isFailure) ? .failed : .done
        } catch {
            throw .keyring(error)
        }
    }

    private static func account(
        _ credential: ForeignCredential, _ outcome: Outcome, isVerified: Bool?
    ) -> Account {
        let path = credential.path.map { Array("/".utf8) + $0 } ?? []
        let scheme = credential.protocol == CredentialContext.https ? [] : credential.protocol + Array("://".utf8)
        return Account(
            source: credential.source, place: DisplayText(scheme + credential.host + path),
            username: DisplayText(credential.user), masked: masked(credential.password),
            outcome: outcome, isVerified: isVerified)
    }

    /// A password as it may be shown: only what kind of token it is.
    private static func masked(_ password: Secret) -> DisplayText {
        let kinds: [DisplayText] = ["gho_", "ghp_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-"]
        return password.reveal { bytes in
            "\(kinds.first { bytes.starts(with: $0.text.utf8) } ?? "")****"
        }
    }

    /// The remaining copies of what we store now, and of anything in plain text.
    private static func oldCopies(_ found: ForeignCredentials, _ outcomes: [Outcome]) -> [OldCopy] {
        var copies: [OldCopy] = []
        for (credential, outcome) in zip(found.credentials, outcomes) {
            let isSafe = outcome.isStored
            let copy: OldCopy
            switch credential.copy {
            case .keyring(let removal):
                guard isSafe else { continue }
                copy = .keyring(credential.source, removal: removal)
            case .file(let path, let removal?): copy = .file(path, removal: isSafe ? removal : nil)
            case .file(let path, nil):
                let isWhole = isWhole(path, credential.copy, found, outcomes)
                copy = .file(path, removal: isWhole ? .wholeFile : nil)
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
                other.copy != copy || outcome.isStored
            }
    }
}
