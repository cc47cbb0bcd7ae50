internal import ArgumentParser
internal import CredentialCore
package import Helper
internal import Providers

/// The verb `check`: whether the stored account reaches a repository, and if not, why not.
struct Check: Verb {
    static let configuration = CommandConfiguration(
        "check",
        Message("Check whether you can access a repository and, if not, why."),
        Message("Accepts an address from a browser or \"git remote -v\", or OWNER/NAME for github.com."),
        Message("Exits with 1 if you cannot read the repository. Never starts a sign-in."),
        examples: ["check", "check https://github.com/acme/private", "check acme/private --json"])

    @Argument(help: ArgumentHelp(Message("The repository. Default: the remote of the current repository.")))
    var url: String?

    @Flag(help: ArgumentHelp(Message("Print a JSON object for programs.")))
    var json = false

    func run(with outside: VerbDependencies) throws(UserFacingError) -> ExitStatus {
        guard let typed = url ?? outside.remote() else { throw .noRepositoryHere }
        let lines = (try? outside.files.entries()) ?? []
        let remote = RemoteAddress(
            typed, lines, pushedTo: url == nil ? RemoteAddress.pushRemote(of: outside.branch(), lines) : nil)
        // Gists have neither an owner in their address nor members, so there is nothing to explain.
        guard let address = RepositoryAddress(remote.fetch), address.host != HostName(name: "gist.github.com") else {
            throw .notARepository
        }
        let dependencies = outside.dependencies(address.host)
        func check(_ address: RepositoryAddress) -> Finding {
            RepositoryCheck(address: address, files: outside.files, dependencies: outside.dependencies(address.host))
                .finding
        }
        let earlier = EarlierCredentials(lines, outside, dependencies)
        var finding =
            if address.isSSH, remote.name != nil {
                Finding(bySSH: address, remote)
            } else if let credential = earlier.first(for: address, at: remote) {
                Finding("other_credential", of: address, credential.text, credential.hints)
            } else {
                check(address)
            }
        if finding.canRead, remote.push != remote.fetch {
            let target = RepositoryAddress(remote.push)
            if let target, !target.isSSH {
                if !target.isSame(as: address) { finding.push(to: remote, target, check(target)) }
            } else {
                finding.push(to: remote, target, nil)
            }
        }
        // The findings of an interrupted check are not reliable.
        if case .cancelled = dependencies.ui.wait(milliseconds: 0, until: nil) { return .cancelled }
        if json {
            outside.print(finding.json + "\n")
        } else if finding.canRead {
            outside.say(finding.lines)
        } else {
            dependencies.report(UserFacingError(.finding, finding.text, finding.hints))
        }
        return finding.canRead ? .done : .failed
    }
}

/// The check of a repository, which uses and refreshes the token as `get` would, but never starts a sign-in.
private struct RepositoryCheck {
    let address: RepositoryAddress
    let files: any ConfigurationFiles
    let dependencies: Dependencies

    /// The most other accounts to try, each of which costs a request.
    private static let mostOthers = 8

    /// Failures become findings, too.
    var finding: Finding {
        let error: UserFacingError
        do {
            if let subject = try subject {
                do throws(OperationFailure) {
                    return try examine(subject)
                } catch {
                    let failure = error.error ?? .keyring(.interrupted)
                    return subject.words(nil, SignInAgain(account: nil)).failed(failure)
                }
            }
            error = try unknownHost(DisplayText(untrusted: address.host.text))
        } catch let unread {
            error = .configurationUnreadable(unread)
        }
        return Finding("unknown", of: address, error.text, error.hints)
    }

    /// The error for a host without a check, whose own challenge may reveal its kind.
    private func unknownHost(_ host: DisplayText) throws(ConfigurationError) -> UserFacingError {
        let resolver = ContextResolver(with: dependencies)
        let (settings, transport) = try resolver.storeSettings(of: address.host)
        if let meant = dependencies.meant(by: address.host) {
            let url: DisplayText = "https://\(meant)/\(DisplayText(untrusted: address.name.utf8))"
            return .mistypedHost(host, meant: meant, command: "check \(word: url)")
        }
        let isKnown = try resolver.signInContext(of: address.host, withoutClient: true) != nil
        guard !isKnown else { return .notARepository }
        guard !settings.isPlainStore, SignInHost(tokenHost: address.host) == nil else {
            return .notCheckable(host: host, url: DisplayText(trusted: address.url))
        }
        if let origin = HTTPSAddress(parsing: address.host.url) {
            do throws(SignInError) {
                let recognized = try RecognizedHost(asking: origin, over: dependencies.transport(transport))
                if let recognized { return .hostRecognized(recognized, host: host) }
            } catch {
                return .notForSignIn(host: host, because: error)
            }
        }
        guard let context = try? CredentialContext(protocol: CredentialContext.https, host: address.host) else {
            return .notForSignIn(host: host)
        }
        return resolver.withoutSignIn(context)
    }

    private struct Subject {
        let context: SignInContext
        let repository: String
        let choices: AccountChoices
        let transport: any Transport

        var username: [UInt8]? { choices.username.map { Array($0.utf8) } }

        func words(_ account: DisplayText?, _ signInAgain: SignInAgain) -> RepositoryWords {
            RepositoryWords(host: context.host, name: repository, account: account, signInAgain: signInAgain)
        }
    }

    private var subject: Subject? {
        get throws(ConfigurationError) {
            guard
                let context = try ContextResolver(with: dependencies).signInContext(
                    of: address.host, path: Array(address.name.utf8), withoutClient: true),
                let repository = context.host.provider.repositoryName(address.segments)
            else { return nil }
            return Subject(
                context: context, repository: repository, choices: AccountChoices(address, try lines),
                transport: dependencies.transport(context.transport))
        }
    }

    /// git's configuration, including the repository's own, which may name the account too.
    private var lines: [OriginatedEntry] {
        get throws(ConfigurationError) {
            if let lines = try? files.entries() { return lines }
            return try dependencies.configuration().map { OriginatedEntry(scope: "global", origin: "", entry: $0) }
        }
    }

    private func examine(_ subject: Subject) throws(OperationFailure) -> Finding {
        let stored = try subject.context.stored(path: address.requestPath, with: dependencies)
        let account = subject.context.credentialContext
        let wanted = stored.filter { match in
            subject.username.map { account.isSameAccount($0, match.credential.username) } ?? true
        }
        let lookup = Lookup(with: dependencies)
        let chosen = wanted.first { lookup.isFresh($0) || $0.credential.isRefreshable } ?? wanted.first
        // A token that is stored under such a name is used all the same.
        let asked = subject.context.with(username: subject.username)
        if chosen == nil, let error = asked.nobodysAccount(subject.choices.request) { throw .failed(error) }
        var finding = try first(chosen, subject)
        guard finding.another != .cannotHelp else { return finding }
        let others = stored.filter { other in
            chosen.map { !account.isSameAccount($0.credential.username, other.credential.username) } ?? true
        }
        for other in others.prefix(Self.mostOthers) {
            guard let rights = rights(of: other, subject), finding.isSurpassed(by: rights) else { continue }
            finding.name(DisplayText(account: other.credential.username), subject.choices)
            break
        }
        return finding
    }

    /// Returns the finding for the account that git would use; without an account, none gets a token.
    private func first(_ chosen: StoredMatch?, _ subject: Subject) throws(OperationFailure) -> Finding {
        let host = subject.context.host
        let again = subject.context.signInAgain(as: chosen?.credential.username ?? subject.username)
        guard chosen != nil || subject.context.needsNoPerson else {
            if let absence = dependencies.keyring.absence {
                throw .failed(.keyringAbsent(absence, host: host.displayName))
            }
            let words = subject.words(subject.username.flatMap(subject.context.credentialContext.shown), again)
            return words.notSignedIn(rights(nil, subject))
        }
        var words = subject.words(
            chosen.map { DisplayText(account: $0.credential.username) }
                ?? DisplayText(trusted: host.provider.facts.anyUsername), again)
        let credential: StoredCredential
        var (isAccepted, issuer) = (false, DisplayText?.none)
        if let chosen {
            let account = try subject.context.account(refreshing: chosen, with: dependencies)
            words = subject.words(account.username, again)
            switch account.state {
            case .notFound: return words.tokenLost
            case .expired: return words.tokenEnded
            case .revoked: return words.tokenRejected(by: account.issuer)
            case .otherAccount where !account.isUnclaimed: return words.tokenOf(account)
            // The stored name is used if the host does not return the owner of a token.
            case .authorized, .otherAccount, .unknown: credential = account.credential
            }
            (isAccepted, issuer) = (account.state == .authorized, account.issuer)
        } else {
            guard case .usable(let new) = try subject.context.refreshed(nil, with: dependencies) else {
                return words.tokenEnded
            }
            credential = new
        }
        do throws(TransportError) {
            let answer = try ask(subject, with: credential)
            if answer == .tokenRejected, isAccepted, host.provider.facts.takesBearer {
                return words.tokenRejected(although: issuer, wasBearer: credential.isBearer)
            }
            return words.finding(answer, now: dependencies.clock.now)
        } catch {
            return words.offline(error.words(host: host.displayName))
        }
    }

    /// `nil` if another account has no rights, or anything fails.
    private func rights(of other: StoredMatch, _ subject: Subject) -> RepositoryRights? {
        let account: Account
        do {
            account = try subject.context.account(refreshing: other, with: dependencies)
        } catch {
            // The loss of a new token concerns more than this repository.
            if let failure = error.error, failure.code == .notSaved { dependencies.report(failure) }
            return nil
        }
        return account.isSignedIn || account.isUnclaimed ? rights(account.credential, subject) : nil
    }

    private func rights(_ credential: StoredCredential?, _ subject: Subject) -> RepositoryRights? {
        guard case .reached(let rights)? = try? ask(subject, with: credential) else { return nil }
        return rights
    }

    private func ask(
        _ subject: Subject, with credential: StoredCredential?
    ) throws(TransportError) -> RepositoryAnswer {
        try subject.context.host.provider.repository(
            subject.repository, as: credential, over: subject.transport)
    }
}

extension UserFacingError {
    package static let noRepositoryHere = UserFacingError(
        .noRepository, Message("no repository given, and the current folder has none with a remote"), anyRepository)

    package static let notARepository = UserFacingError(
        .noRepository, Message("this is not a repository address"), anyRepository)

    static func notCheckable(host: DisplayText, url: DisplayText) -> UserFacingError {
        UserFacingError(
            .finding, Message("gitspace only stores tokens for %1$s, and cannot check repositories there", host),
            [
                Message("see whether git can read it:"), .command("git ls-remote \(word: url)"),
                Message("if it is \"not found\" because the host hides it from strangers, send your token at once:"),
                .command("git credential-gitspace configure \(word: host) --proactive"),
            ])
    }

    private static let anyRepository = [
        Message("for example:"), Message.command("git credential-gitspace check https://github.com/OWNER/NAME"),
    ]
}
