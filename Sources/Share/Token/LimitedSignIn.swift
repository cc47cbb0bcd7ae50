internal import CredentialCore
internal import Helper
internal import Messages
internal import Providers

/// A sign-in by which a target gets a token for one repository: as an app, or once more as the person.
struct LimitedSignIn {
    let target: ShareTarget
    let limit: RepositoryLimit
    let sharing: ShareDependencies

    private var repository: DisplayText { DisplayText(untrusted: limit.repository.utf8) }

    /// The target, with the account whose token it is; nil if the person has cancelled the sign-in.
    func run() throws(UserFacingError) -> ShareTarget? {
        guard let host = target.hosts.first else { return nil }
        let dependencies = sharing.own(HostName(host.name))
        let request = try rethrowing(as: UserFacingError.requestRefused, try host.request)
        let signIn = try ContextResolver(with: dependencies).signInContext(of: request)
        guard let gitHub = signIn.host.provider.gitHub else {
            throw UserFacingError(
                .share,
                Message(
                    "tokens of %1$s cannot be limited to one repository: only GitHub Apps can do that",
                    signIn.host.displayName))
        }
        // What a share of this name has left behind if its process was killed.
        for token in try StoredLimitedToken.all(with: sharing.own(nil)) where token.limit.share == limit.share {
            _ = token.end(dependencies)
        }
        let credential: StoredCredential
        do throws(OperationFailure) {
            credential =
                try signIn.needsNoPerson ? asApp(signIn, dependencies) : asPerson(signIn, gitHub, dependencies)
        } catch {
            if let failure = error.error { throw failure }
            return nil
        }
        let token = LimitedToken(limit, signIn, with: dependencies)
        let reach = token.reach(of: credential)
        guard reach == .only else { throw refused(reach, signIn.host.displayName, token.end()) }
        return target.with(username: credential.username)
    }

    private func asApp(
        _ signIn: SignInContext, _ dependencies: Dependencies
    ) throws(OperationFailure) -> StoredCredential {
        let context = signIn.limited(to: limit)
        let limited = dependencies.limited(to: limit)
        guard case .usable(let credential) = try context.refreshed(nil, with: limited, isForced: true) else {
            throw .failed(.notRefreshable(host: signIn.host.displayName))
        }
        return credential
    }

    /// A sign-in of its own, for the same account.
    private func asPerson(
        _ signIn: SignInContext, _ gitHub: GitHub, _ dependencies: Dependencies
    ) throws(OperationFailure) -> StoredCredential {
        let own = try stored(signIn, dependencies)
        guard gitHub.isLimitable(own.password) else { throw .failed(appNeeded(signIn.host.displayName)) }
        guard target.isLongLived || own.passwordExpiryUTC != nil else {
            throw .failed(target.refusingEndless(host: signIn.host.displayName))
        }
        let transport = dependencies.transport(signIn.transport)
        let identity: RepositoryIdentity
        var permissions: AppPermissions?
        do {
            identity = try gitHub.identity(
                of: limit.repository, token: own.password, over: transport)
            if limit.isReadOnly {
                permissions = try gitHub.permissions(
                    in: limit.repository, token: own.password, over: transport)
            }
        } catch {
            throw .failed(error.words(host: signIn.host.displayName))
        }
        let id: Int64
        switch identity {
        case .number(let number): id = number
        case .refused(let answer):
            throw .failed(
                sharing.explain(
                    answer, limit.repository, signIn.with(username: own.username), dependencies.clock.now))
        }
        if let permissions, permissions != .read {
            throw .failed(mayWrite(permissions, signIn.host.displayName))
        }
        sharing.say(
            Message(
                "Approve one more sign-in as %1$s, for %2$s alone.", DisplayText(untrusted: own.username), repository))
        var context = signIn.with(username: own.username)
        context.repositoryID = id
        return try SignIn(context, with: dependencies.limited(to: limit), isExplicit: true)
            .run(evenIfSignedIn: true)
    }

    /// The person's own.
    private func stored(
        _ signIn: SignInContext, _ dependencies: Dependencies
    ) throws(OperationFailure) -> StoredCredential {
        let lookup = Lookup(with: dependencies)
        guard
            let found = try rethrowing(
                as: OperationFailure.init, try lookup.best(signIn.query(path: nil), isSignInHost: { true }))
        else { throw .failed(dependencies.notSignedIn(to: signIn.host.displayName)) }
        if lookup.isFresh(found) { return found.credential }
        guard case .usable(let credential) = try signIn.refreshed(found, with: dependencies) else {
            throw .failed(dependencies.notSignedIn(to: signIn.host.displayName))
        }
        return credential
    }

    // MARK: Words

    private func appNeeded(_ host: DisplayText) -> UserFacingError {
        UserFacingError(
            .share,
            Message("your token for %1$s cannot be limited to one repository: it is not a GitHub App's", host),
            [
                Message("sign in by a GitHub App that is installed for the repository:"),
                .command("git credential-gitspace setup \(word: host) --github-app"),
                Message("or use a GitHub App's own key (githubAppId, see gitspace-config(5))"),
            ])
    }

    private func mayWrite(_ permissions: AppPermissions, _ host: DisplayText) -> UserFacingError {
        switch permissions {
        case .read, .write:
            UserFacingError(
                .share,
                Message("the app may also write to %1$s, and a person's token has all of its rights", repository),
                [
                    Message("use an app with the permission to read only, or a GitHub App's own key:"),
                    .command(
                        "git config --global \(word: "credential.https://\(host).githubAppId" as DisplayText) ID"),
                    .command(
                        "git config --global \(word: "credential.https://\(host).githubAppKey" as DisplayText) FILE"),
                ])
        case .none:
            UserFacingError(
                .share, Message("the app is not installed for %1$s on %2$s", repository, host), checking(host))
        case .unknown:
            UserFacingError(.share, Message("%1$s did not say what the app may do in %2$s", host, repository))
        }
    }

    private func checking(_ host: DisplayText) -> [Message] {
        [
            Message("see what is missing:"),
            .command("git credential-gitspace check \(word: "https://\(host)/\(repository)" as DisplayText)"),
        ]
    }

    private func refused(_ reach: TokenReach, _ host: DisplayText, _ end: LimitedToken.End) -> UserFacingError {
        let text: Message
        var hints: [Message] = []
        switch reach {
        case .only: text = Message("%1$s did not say what the token reaches", host)
        case .more(let other):
            text = Message("%1$s did not limit the token to %2$s: it reaches %3$s as well", host, repository, other)
        case .writes: text = Message("%1$s did not limit the token to reading %2$s", host, repository)
        case .nothing:
            text = Message("the token that %1$s issued does not reach %2$s", host, repository)
            hints = checking(host)
        case .unknown: text = Message("%1$s did not say what the token reaches", host)
        }
        switch end {
        case .none, .ended: hints.insert(Message("the token was dropped, and no copy of it is valid"), at: 0)
        case .expires: hints.insert(Message("the token was dropped, but it cannot be revoked"), at: 0)
        case .kept:
            hints += [
                Message("the token could not be revoked; to try again:"),
                .command("git credential-gitspace share stop \(word: limit.share.text)"),
            ]
        }
        return UserFacingError(.share, text, hints)
    }
}
