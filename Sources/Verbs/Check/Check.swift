internal import CredentialCore
package import Helper
internal import Messages
package import Providers

/// The verb `check`: whether the stored account reaches a repository, and if not, why not.
///
/// It uses the token as `get` would, refreshed if needed, and never starts a sign-in.
package struct Check: Command {
    private let address: RepositoryAddress
    private let files: (any ConfigurationFiles)?
    private let dependencies: Dependencies

    /// More accounts than anybody has; each costs a request.
    private static let mostOthers = 8

    /// A check.
    ///
    /// - Parameters:
    ///   - address: the repository as the person named it.
    ///   - files: git's configuration, by its lines; nil if only the person's own counts.
    ///   - dependencies: everything outside.
    package init(
        _ address: RepositoryAddress, files: (any ConfigurationFiles)? = nil, with dependencies: Dependencies
    ) {
        self.address = address
        self.files = files
        self.dependencies = dependencies
    }

    /// Asks the repository's host; every failure is a finding as well.
    package func run(_ tell: (Finding) -> Void) -> ExitStatus {
        let finding = finding()
        // The findings of an interrupted check are not reliable.
        if case .cancelled = dependencies.ui.wait(milliseconds: 0, until: nil) { return .cancelled }
        tell(finding)
        return finding.canRead ? .done : .failed
    }

    private func finding() -> Finding {
        let host = DisplayText(address.host.text)
        let repository = address.segments.joined(separator: "/")
        let subject: Subject
        do {
            guard let known = try self.subject(address) else {
                return Finding(try unknownHost(host), host: host, repository: repository)
            }
            subject = known
        } catch {
            return Finding(.configurationUnreadable(error), host: host, repository: repository)
        }
        do throws(OperationFailure) {
            return try examine(subject)
        } catch {
            let failure = error.error ?? .keyring(.interrupted)
            return Finding(failure, host: subject.host.displayName, repository: subject.repository)
        }
    }

    /// Why there is nothing to check; the host's own challenge may tell what kind of host it is.
    private func unknownHost(_ host: DisplayText) throws(ConfigurationError) -> UserFacingError {
        let (settings, transport) = try ContextResolver(with: dependencies).storeSettings(of: address.host)
        let name = String(decoding: address.host.text, as: UTF8.self)
        guard !settings.isPlainStore, TokenHost(known: address.host) == nil,
            let origin = HTTPSAddress(parsing: "https://" + name),
            let recognized = RecognizedHost(asking: origin, over: dependencies.transport(transport))
        else { return .notForSignIn(host: host) }
        return .hostRecognized(recognized, host: host)
    }

    /// Everything that stays the same while accounts are tried.
    private struct Subject {
        let context: SignInContext
        let repository: String
        let username: String?
        /// How to tell git to use another account.
        let choices: [AccountChoice]
        let transport: any Transport

        var host: SignInHost { context.host }
    }

    private func subject(_ address: RepositoryAddress) throws(ConfigurationError) -> Subject? {
        let path = Array(address.segments.joined(separator: "/").utf8)
        guard let context = try ContextResolver(with: dependencies).signInContext(of: address.host, path: path),
            let repository = context.host.provider.repositoryName(address.segments)
        else { return nil }
        let choices = AccountChoices(address, try lines())
        return Subject(
            context: context, repository: repository, username: choices.username, choices: choices.all,
            transport: dependencies.transport(context.transport))
    }

    /// git's configuration, a repository's own included: git takes the account from there as well.
    private func lines() throws(ConfigurationError) -> [OriginatedEntry] {
        if let lines = try? files?.entries() { return lines }
        return try dependencies.configuration().map { OriginatedEntry(scope: "global", origin: "", entry: $0) }
    }

    private func examine(_ subject: Subject) throws(OperationFailure) -> Finding {
        let stored = try stored(subject)
        let username = subject.username.map { Array($0.utf8) }
        let wanted = stored.filter { username == nil || $0.credential.username == username }
        let now = dependencies.clock.now
        let margin = Lookup(with: dependencies).margin
        let chosen =
            wanted.first { $0.credential.isFresh(at: now, margin: margin) || $0.credential.isRenewable }
            ?? wanted.first
        var finding = try first(chosen, subject)
        guard finding.mayBeBetterWithAnother else { return finding }
        let others = stored.filter { $0.credential.username != chosen?.credential.username }
        for other in others.prefix(Self.mostOthers) {
            guard let rights = rights(of: other, subject), finding.isSurpassed(by: rights) else { continue }
            finding.name(DisplayText(other.credential.username), chosenBy: subject.choices)
            break
        }
        return finding
    }

    private func stored(_ subject: Subject) throws(OperationFailure) -> [StoredMatch] {
        do {
            return try Lookup(with: dependencies).all(
                subject.context.query(path: subject.context.needsNoPerson ? subject.context.path : nil))
        } catch {
            throw .failed(.keyring(error))
        }
    }

    /// The finding for the account that git would use or, without one, without a token.
    private func first(_ chosen: StoredMatch?, _ subject: Subject) throws(OperationFailure) -> Finding {
        let again = subject.context.signInAgain(
            as: chosen?.credential.username ?? subject.username.map { Array($0.utf8) })
        func finding(_ reason: Finding.Reason, _ account: DisplayText?) -> Finding {
            Finding(reason, repository: subject.repository, account: account, again, on: subject.host)
        }
        guard chosen != nil || subject.context.needsNoPerson else {
            if let absence = dependencies.keyring.absence {
                throw .failed(.keyringAbsent(absence, host: subject.host.displayName))
            }
            let asked = subject.username.map { DisplayText($0.utf8) }
            guard case .reached(let rights)? = try? ask(subject, token: nil) else {
                return finding(.notSignedIn(nil), asked)
            }
            return finding(.notSignedIn(rights), asked)
        }
        let account =
            chosen.map { DisplayText($0.credential.username) } ?? DisplayText(own: subject.host.provider.anyUsername)
        guard let credential = try usable(chosen, subject) else { return finding(.tokenEnded, account) }
        switch standing(of: credential, subject) {
        case .otherAccount(let owner): return finding(.otherAccount(owner: owner), account)
        case .rejected: return finding(.tokenRejected, account)
        // Where the host does not say whose a token is, its name has to do.
        case .accepted, .unclaimed, .unknown, .interrupted: break
        }
        do throws(TransportError) {
            let answer = try ask(subject, token: credential.password)
            return finding(Finding.Reason(answer, now: dependencies.clock.now), account)
        } catch {
            return finding(.offline(error), account)
        }
    }

    /// The credential, refreshed if about to expire; nil if expired and not refreshable.
    private func usable(_ found: StoredMatch?, _ subject: Subject) throws(OperationFailure) -> StoredCredential? {
        if let found, Lookup(with: dependencies).isFresh(found) { return found.credential }
        let context = subject.context.with(username: found?.credential.username)
        switch try context.renewal(with: dependencies).run(found) {
        case .usable(let credential): return credential
        case .unrenewable, .refused, .issuedElsewhere: return nil
        }
    }

    /// What another account may do; nil if nothing, or if anything fails.
    private func rights(of other: StoredMatch, _ subject: Subject) -> RepositoryRights? {
        guard let credential = try? usable(other, subject), isTheAccounts(credential, subject),
            case .reached(let rights)? = try? ask(subject, token: credential.password)
        else { return nil }
        return rights
    }

    private func standing(of credential: StoredCredential, _ subject: Subject) -> TokenStanding {
        subject.context.standing(
            of: credential, at: try? subject.context.server(with: dependencies), with: dependencies)
    }

    private func isTheAccounts(_ credential: StoredCredential, _ subject: Subject) -> Bool {
        if case .otherAccount = standing(of: credential, subject) { false } else { true }
    }

    private func ask(_ subject: Subject, token: Secret?) throws(TransportError) -> RepositoryAnswer {
        try subject.host.provider.repository(
            subject.repository, on: subject.host, token: token, over: subject.transport)
    }
}
