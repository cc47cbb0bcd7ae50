internal import CredentialCore
internal import Helper
internal import Language
internal import Messages
internal import Providers

/// The token of a share that is limited to one repository: how it is got, and what is said of its end.
struct ShareRepository {
    let place: ShareTarget
    let limit: RepositoryLimit
    let outside: VerbDependencies

    private var repository: DisplayText { DisplayText(untrusted: limit.repository.utf8) }

    /// Nil if the person has cancelled the sign-in.
    func target() throws(UserFacingError) -> ShareTarget? {
        guard let host = place.hosts.first else { return nil }
        let (request, dependencies) = try outside.request(
            String(decoding: host.name, as: UTF8.self), host.username.map { String(decoding: $0, as: UTF8.self) },
            for: "share")
        let signIn = try ContextResolver(with: dependencies).signInContext(of: request)
        guard let gitHub = signIn.host.provider.gitHub else {
            throw UserFacingError(
                .share,
                Message(
                    "tokens of %1$s cannot be limited to one repository: only GitHub Apps can do that",
                    signIn.host.displayName))
        }
        // What a share of this name has left behind if its process was killed.
        for token in try outside.limitedTokens() where token.limit.place == limit.place { _ = token.end(dependencies) }
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
        return place.with(username: credential.username)
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
        guard place.isLongLived || own.passwordExpiryUTC != nil else {
            throw .failed(.endless(host: signIn.host.displayName, place))
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
        guard case .number(let id) = identity else {
            throw .failed(unreachable(identity, own, signIn, dependencies))
        }
        if let permissions, permissions != .read {
            throw .failed(mayWrite(permissions, signIn.host.displayName))
        }
        outside.say(
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
        let found: StoredMatch?
        do {
            found = try lookup.best(signIn.query(path: nil)) { true }
        } catch {
            throw OperationFailure(error)
        }
        guard let found else { throw .failed(dependencies.notSignedIn(to: signIn.host.displayName)) }
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
            UserFacingError(.share, Message("the app is not installed for %1$s", repository), checking(host))
        case .unknown:
            UserFacingError(.share, Message("%1$s did not say what the app may do in %2$s", host, repository))
        }
    }

    private func unreachable(
        _ identity: RepositoryIdentity, _ own: StoredCredential, _ signIn: SignInContext, _ dependencies: Dependencies
    ) -> UserFacingError {
        guard case .refused(let answer) = identity else { return .notSignedIn(host: signIn.host.displayName) }
        let words = RepositoryWords(
            host: signIn.host, name: limit.repository, account: DisplayText(untrusted: own.username),
            signInAgain: signIn.signInAgain(as: own.username))
        let finding = words.finding(answer, now: dependencies.clock.now)
        return UserFacingError(.finding, finding.text, finding.hints)
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
                .command("git credential-gitspace share stop \(word: limit.place.text)"),
            ]
        }
        return UserFacingError(.share, text, hints)
    }

    /// What has become of the token; nil if there was none.
    static func words(of end: LimitedToken.End, _ limit: RepositoryLimit) -> Message? {
        let repository = DisplayText(untrusted: limit.repository.utf8)
        switch end {
        case .none: return nil
        case .ended: return Message("The token for %1$s is no longer valid.", repository)
        case .expires(let time?):
            return Message(
                "The token for %1$s is removed, but cannot be revoked: valid until %2$s.", repository,
                LocalTime.text(time))
        case .expires(nil): return Message("The token for %1$s is removed, but cannot be revoked.", repository)
        case .kept:
            let command: DisplayText = "git credential-gitspace share stop \(word: limit.place.text)"
            return Message(
                "The token for %1$s could not be revoked. To try again: %2$s", repository, Verbatim(command))
        }
    }
}

extension UserFacingError {
    /// Whoever gets such a token could keep it.
    static func endless(host: DisplayText, _ place: ShareTarget) -> UserFacingError {
        UserFacingError(
            .share, Message("the token for %1$s does not expire, so whoever gets it can keep it", host),
            [Message("to share it all the same:"), .command("\(place.command) --long-lived")])
    }
}

extension ShareTarget {
    /// That shares it, as far as it was typed.
    var command: DisplayText {
        switch kind {
        case .directory: "git credential-gitspace share \(word: name.text)\(limiting)"
        case .ssh(let destination): "git credential-gitspace share ssh \(word: destination)\(limiting)"
        }
    }

    /// The options that limit it, behind a blank; nothing if it is not limited.
    var limiting: DisplayText {
        guard let limit, let host = hosts.first.map({ DisplayText(untrusted: $0.name) }) else { return "" }
        let repository = DisplayText(untrusted: limit.repository.utf8)
        let address: DisplayText = host.text == "github.com" ? repository : "https://\(host)/\(repository)"
        let option: DisplayText = limit.isReadOnly ? " --read-only" : ""
        return " --repository \(word: address)\(option)"
    }
}

/// A token of a share, as it is stored.
struct StoredLimitedToken {
    let limit: RepositoryLimit
    let match: StoredMatch
    let signIn: SignInContext

    func end(_ dependencies: Dependencies) -> LimitedToken.End {
        LimitedToken(limit, signIn, with: dependencies).end()
    }
}

extension VerbDependencies {
    /// Those of all shares, also of those that were killed.
    func limitedTokens(mayUnlock: Bool = true) throws(UserFacingError) -> [StoredLimitedToken] {
        var dependencies = dependencies(nil)
        dependencies.keyring = dependencies.repositoryKeyring()
        let resolver = ContextResolver(with: dependencies)
        do {
            let attributes = ItemAttributes(named: [(ItemAttributes.Name.protocol, CredentialContext.https)])
            let items =
                try mayUnlock
                ? Lookup(with: dependencies).unlocked(attributes).items
                : dependencies.keyring.items(having: attributes)
            return try (items + HelperHosts.itemsInMemory(resolver, dependencies)).compactMap { item in
                guard let limit = item.attributes.object.flatMap(RepositoryLimit.init(object:)),
                    let match = StoredMatch(item), let host = item.attributes.hostName,
                    let signIn = try resolver.signInContext(of: host)
                else { return nil }
                return StoredLimitedToken(limit: limit, match: match, signIn: signIn)
            }
        } catch let error as KeyringError {
            // Without a keyring there are none.
            guard !error.isAbsence else { return [] }
            throw UserFacingError(whileLookingUp: error)
        } catch {
            throw UserFacingError(whileLookingUp: error)
        }
    }
}
