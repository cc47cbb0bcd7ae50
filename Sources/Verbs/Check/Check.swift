internal import ArgumentParser
internal import CredentialCore
package import Helper
internal import Providers

/// The verb `check`: whether the stored account reaches a repository, and if not, why not.
struct Check: Verb {
    static let configuration = CommandConfiguration(
        "check", Message("Check whether you can access a repository and, if not, why."),
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
            RepositoryCheck.finding(of: address, outside.files, outside.dependencies(address.host))
        }
        let others = OtherCredentials(lines: lines, outside: outside, dependencies: dependencies)
        var finding =
            if address.isSSH, let name = remote.name.map({ DisplayText(untrusted: $0.utf8) }) {
                Finding(
                    "ssh", of: address, Message("the remote %1$s uses SSH, for which git asks no helper", name),
                    [
                        Message("to use https:"),
                        .command("git remote set-url \(word: name) \(word: DisplayText(trusted: address.url))"),
                    ])
            } else if let credential = others.first(for: address, at: remote) {
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
    let dependencies: Dependencies
    let context: SignInContext
    let repository: String
    let choices: AccountChoices
    let transport: any Transport

    /// The most other accounts to try, each of which costs a request.
    private static let mostOthers = 8

    static func finding(
        of address: RepositoryAddress, _ files: any ConfigurationFiles, _ dependencies: Dependencies
    ) -> Finding {
        let error: UserFacingError
        do {
            let context = try ContextResolver(with: dependencies).signInContext(
                of: address.host, path: Array(address.name.utf8), withoutClient: true)
            if let context, let repository = context.host.provider.repositoryName(address.segments) {
                // The repository's own configuration may name the account, too.
                let lines =
                    if let read = try? files.entries() {
                        read
                    } else {
                        try dependencies.configuration().map { OriginatedEntry(scope: "global", origin: "", entry: $0) }
                    }
                return RepositoryCheck(
                    address: address, dependencies: dependencies, context: context, repository: repository,
                    choices: AccountChoices(address, lines), transport: dependencies.transport(context.transport)
                ).finding
            }
            error = try unknownHost(address, dependencies)
        } catch let unread {
            error = .configurationUnreadable(unread)
        }
        return Finding("unknown", of: address, error.text, error.hints)
    }

    /// The error for a host without a check, whose own challenge may reveal its kind.
    private static func unknownHost(
        _ address: RepositoryAddress, _ dependencies: Dependencies
    ) throws(ConfigurationError) -> UserFacingError {
        let host = DisplayText(untrusted: address.host.text)
        let resolver = ContextResolver(with: dependencies)
        let (settings, transport) = try resolver.storeSettings(of: address.host)
        if let meant = dependencies.meant(by: address.host) {
            let url: DisplayText = "https://\(meant)/\(DisplayText(untrusted: address.name.utf8))"
            return .mistypedHost(host, meant: meant, command: "check \(word: url)")
        }
        let isKnown = try resolver.signInContext(of: address.host, withoutClient: true) != nil
        guard !isKnown else { return .notARepository }
        guard !settings.isPlainStore, SignInHost(tokenHost: address.host) == nil else {
            return UserFacingError(
                .finding, Message("gitspace only stores tokens for %1$s, and cannot check repositories there", host),
                Message("see whether git can read it:"),
                .command("git ls-remote \(word: DisplayText(trusted: address.url))"),
                Message("if it is \"not found\" because the host hides it from strangers, send your token at once:"),
                .command("git credential-gitspace configure \(word: host) --proactive"))
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

    private var username: [UInt8]? { choices.username.map { Array($0.utf8) } }

    private func words(_ account: DisplayText?, _ signInAgain: SignInAgain) -> RepositoryWords {
        RepositoryWords(host: context.host, name: repository, account: account, signInAgain: signInAgain)
    }

    private var finding: Finding {
        do {
            return try examined()
        } catch {
            return words(nil, SignInAgain(account: nil)).failed(error.error ?? .keyring(.interrupted))
        }
    }

    private func examined() throws(OperationFailure) -> Finding {
        let stored = try context.stored(path: address.requestPath, with: dependencies)
        let account = context.credentialContext
        let wanted = stored.filter { match in
            username.map { account.isSameAccount($0, match.credential.username) } ?? true
        }
        let lookup = Lookup(with: dependencies)
        let chosen = wanted.first { lookup.isFresh($0) || $0.credential.isRefreshable } ?? wanted.first
        // A token that is stored under such a name is used all the same.
        if chosen == nil, let error = context.with(username: username).nobodysAccount(choices.request) {
            throw .failed(error)
        }
        var finding = try first(chosen)
        guard finding.another != .cannotHelp else { return finding }
        let others = stored.filter { other in
            chosen.map { !account.isSameAccount($0.credential.username, other.credential.username) } ?? true
        }
        for other in others.prefix(Self.mostOthers) {
            guard let rights = rights(of: other), finding.isSurpassed(by: rights) else { continue }
            finding.name(DisplayText(account: other.credential.username), choices)
            break
        }
        return finding
    }

    /// Returns the finding for the account that git would use; without an account, none gets a token.
    private func first(_ chosen: StoredMatch?) throws(OperationFailure) -> Finding {
        let host = context.host
        let again = context.signInAgain(as: chosen?.credential.username ?? username)
        guard chosen != nil || context.needsNoPerson else {
            if let absence = dependencies.keyring.absence {
                throw .failed(.keyringAbsent(absence, host: host.displayName))
            }
            return words(username.flatMap(context.credentialContext.shown), again).notSignedIn(rights(nil))
        }
        var words = words(
            chosen.map { DisplayText(account: $0.credential.username) }
                ?? DisplayText(trusted: host.provider.facts.anyUsername), again)
        let credential: StoredCredential
        var (isAccepted, issuer) = (false, DisplayText?.none)
        if let chosen {
            let account = try context.account(refreshing: chosen, with: dependencies)
            words = self.words(account.username, again)
            if let fault = words.fault(of: account) { return fault }
            (credential, isAccepted, issuer) = (account.credential, account.state == .authorized, account.issuer)
        } else {
            guard case .usable(let new) = try context.refreshed(nil, with: dependencies) else {
                return words.tokenEnded
            }
            credential = new
        }
        do throws(TransportError) {
            let answer = try ask(with: credential)
            if answer == .tokenRejected, isAccepted, host.provider.facts.takesBearer {
                return words.tokenRejected(although: issuer, wasBearer: credential.isBearer)
            }
            return words.finding(answer, now: dependencies.clock.now)
        } catch {
            return words.failed(error.words(host: host.displayName), as: "offline")
        }
    }

    /// `nil` if another account has no rights, or anything fails.
    private func rights(of other: StoredMatch) -> RepositoryRights? {
        let account: Account
        do {
            account = try context.account(refreshing: other, with: dependencies)
        } catch {
            // The loss of a new token concerns more than this repository.
            if let failure = error.error, failure.code == .notSaved { dependencies.report(failure) }
            return nil
        }
        return account.isSignedIn || account.isUnclaimed ? rights(account.credential) : nil
    }

    private func rights(_ credential: StoredCredential?) -> RepositoryRights? {
        guard case .reached(let rights)? = try? ask(with: credential) else { return nil }
        return rights
    }

    private func ask(with credential: StoredCredential?) throws(TransportError) -> RepositoryAnswer {
        try context.host.provider.repository(repository, as: credential, over: transport)
    }
}

extension UserFacingError {
    package static let noRepositoryHere = UserFacingError(
        .noRepository, Message("no repository given, and the current folder has none with a remote"), anyRepository)

    package static let notARepository = UserFacingError(
        .noRepository, Message("this is not a repository address"), anyRepository)

    private static let anyRepository = [
        Message("for example:"), Message.command("git credential-gitspace check https://github.com/OWNER/NAME"),
    ]
}
