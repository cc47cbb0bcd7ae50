internal import CredentialCore
internal import Helper
package import Messages
internal import Providers

/// A share of one target, from what is printed for it to its end.
package struct ShareStart {
    private let sharing: ShareDependencies

    package init(_ sharing: ShareDependencies) { self.sharing = sharing }

    /// As it was typed; the lifetime in milliseconds, nil until it is stopped.
    ///
    /// - Returns: why it ended.
    package func run(
        _ name: ShareName, _ kind: ShareTarget.Kind, _ typed: ShareSettings, lifetime: Int64?
    ) throws(UserFacingError) -> ShareEnd {
        let target = named(try resolver.target(name, kind, typed: typed))
        try checkBeginning(target)
        let end = lifetime.map { sharing.clock.now + $0 / 1_000 }
        let open = try sharing.targets.open(name, kind, isActivated: false)
        defer { open.close() }
        switch kind {
        case .directory:
            try provide(target)
            sayBeginning(target, until: end)
            sayWays(
                ShareLines(
                    target, directory: open.directory, confinesContainers: sharing.targets.confinesContainers))
            return serve(target, open, nil, lifetime: lifetime)
        case .ssh(let destination):
            let hold = try sharing.connect(destination, open) { folder in
                target.access.gateway == nil ? [] : GatewayConfiguration.lines(for: target, in: folder)
            }
            defer { hold.end() }
            sayBeginning(target, until: end)
            sharing.say(Message("For git on %1$s, run this there once:", DisplayText(trusted: destination)))
            let lines = ShareLines(
                target, directory: hold.directory, mountPoint: DisplayText(trusted: hold.directory))
            for line in lines.inside { sharing.say(.command(line)) }
            sharing.say(Self.howToStop)
            return serve(target, open, hold, lifetime: lifetime)
        }
    }

    /// After this many milliseconds without a request, systemd gets the socket back.
    ///
    /// Not at once: systemd does not allow twenty starts in two seconds (systemd.socket(5), TriggerLimitBurst), and a
    /// target that asks in a loop would lose its socket.
    private static let usualIdle: Int64 = 600_000

    /// As systemd starts it, with nothing typed.
    package func run(activated name: ShareName, idle: Int64?) throws(UserFacingError) -> ShareEnd {
        let target = named(try resolver.target(name, .directory, typed: nil))
        let open = try sharing.targets.open(name, .directory, isActivated: true)
        defer { open.close() }
        try provide(target)
        sayBeginning(target, until: nil)
        return serve(target, open, nil, idle: idle ?? Self.usualIdle)
    }

    /// Beside the socket that systemd has created, what git inside needs to find it.
    package func prepare(_ name: ShareName) throws(UserFacingError) {
        try provide(named(try resolver.target(name, .directory, typed: nil)))
    }

    private var resolver: ShareTargetResolver { ShareTargetResolver(with: sharing.own(nil)) }

    private func provide(_ target: ShareTarget) throws(UserFacingError) {
        try sharing.targets.provide(
            target.access.gateway == nil ? [] : GatewayConfiguration.lines(for: target, in: ShareLines.mountPoint.text),
            to: target.name)
    }

    // MARK: The beginning

    /// The target with the account that git would use on each host now, where that is known.
    private func named(_ target: ShareTarget) -> ShareTarget {
        target.with(accounts: target.hosts.map { found(on: $0, target)?.credential.username })
    }

    private func found(on host: ShareTarget.Host, _ target: ShareTarget) -> StoredMatch? {
        try? ShareLookup(for: host, under: SharePolicy(target), with: sharing.dependencies()).find()
    }

    /// Refuses now what every request would be refused later, while the person is here.
    private func checkBeginning(_ target: ShareTarget) throws(UserFacingError) {
        let responder = ShareResponder(
            for: target, screen: sharing.screen, clock: sharing.clock, dependencies: sharing.dependencies
        ) { _, _ in }
        for host in target.hosts {
            let name = DisplayText(untrusted: host.name)
            switch responder.refusalAtStart(on: host) {
            case .doesNotExpire: throw target.refusingEndless(host: name, takesGitHubApp: takesGitHubApp(host))
            case .notSignedIn:
                let account = host.username.map { DisplayText(untrusted: $0) }
                throw UserFacingError(
                    .share,
                    account.map { Message("you are not signed in to %1$s as %2$s", name, $0) }
                        ?? Message("you are not signed in to %1$s, so there is nothing to share", name),
                    [
                        Message("sign in with:"),
                        account.map { .command("git credential-gitspace login \(word: name) \(word: $0)") }
                            ?? .login(name),
                    ])
            case let refusal? where refusal == .notAPassword:
                throw UserFacingError(.share, Message("the token for %1$s cannot be shared: %2$s", name, refusal.text))
            default: continue
            }
        }
        guard case .repositories(let repositories)? = target.access.gateway?.scope else { return }
        for repository in repositories { try checkExistence(of: repository, target) }
    }

    /// Asks the host as git would: a name that it does not know is mistyped.
    ///
    /// Anything but a clear no, such as an expired token or no network, is for the first request.
    private func checkExistence(of repository: RepositoryName, _ target: ShareTarget) throws(UserFacingError) {
        let dependencies = sharing.dependencies()
        guard let host = target.host(named: repository.host.text), let credential = found(on: host, target)?.credential,
            let settings = try? ContextResolver(with: dependencies).storeSettings(of: repository.host),
            let provider = SignInHost(configured: repository.host, provider: .git)?.provider,
            case .notFound? = try? provider.fetch(
                repository.path, as: credential, over: dependencies.transport(settings.transport)
            ).answer
        else { return }
        let address: DisplayText = "https://\(DisplayText(untrusted: repository.host.text))/\(repository.displayName)"
        throw UserFacingError(
            .share,
            Message(
                "%1$s does not exist, or %2$s has no access to it", repository.displayName,
                DisplayText(untrusted: credential.username)),
            [Message("find out with:"), .command("git credential-gitspace check \(word: address)")])
    }

    private func takesGitHubApp(_ host: ShareTarget.Host) -> Bool {
        guard let name = HostName(host.name),
            let context = try? ContextResolver(with: sharing.dependencies()).signInContext(of: name)
        else { return false }
        return context.host.provider.registration(of: .gitHubApp) != nil
    }

    private func sayBeginning(_ target: ShareTarget, until end: Int64?) {
        let name = DisplayText(trusted: target.name.text)
        let subject = subject(of: target)
        let end = end.map { LocalTime.soon($0, now: sharing.clock.now) }
        let terms: TokenTerms
        switch target.access {
        case .token(let given): terms = given
        case .gateway(let gateway):
            sharing.say(
                end.map {
                    Message(
                        "Sharing %1$s as \"%2$s\" until %4$s: %3$s. No token is given away.", subject, name,
                        gateway.right, $0)
                } ?? Message("Sharing %1$s as \"%2$s\": %3$s. No token is given away.", subject, name, gateway.right))
            if !sharing.targets.confinesConnections {
                sharing.say(
                    Message(
                        "This kernel has no Landlock, which would keep what reads the place's requests away from your files."
                    ))
            }
            return sayConfirmation(target)
        }
        sharing.say(
            end.map { Message("Sharing your sign-in to %1$s as \"%2$s\" until %3$s.", subject, name, $0) }
                ?? Message("Sharing your sign-in to %1$s as \"%2$s\".", subject, name))
        let there =
            switch target.kind {
            case .directory: Message("the container")
            case .ssh(let destination): Message(verbatim: DisplayText(trusted: destination))
            }
        sharing.say(
            terms.isLongLived
                ? Message("Root in %1$s gets your credentials and can keep them, even if they do not expire.", there)
                : Message("Root in %1$s gets your token and can use it until it expires.", there))
        sayConfirmation(target)
    }

    /// What is shared, and as whom.
    private func subject(of target: ShareTarget) -> Message {
        let hosts = target.hosts.map { DisplayText(untrusted: $0.name) }.joined(separator: ", ")
        let subject = target.access.gateway?.subject ?? Message(verbatim: hosts)
        let accounts = target.hosts.compactMap(\.username).reduce(into: [[UInt8]]()) {
            if !$0.contains($1) { $0.append($1) }
        }
        guard !accounts.isEmpty else { return subject }
        return Message(
            "%1$s (as %2$s)", subject, accounts.map { DisplayText(untrusted: $0) }.joined(separator: ", "))
    }

    private func sayConfirmation(_ target: ShareTarget) {
        let asks =
            target.confirmation == .once || target.confirmation == .each && target.access.gateway?.isReadOnly != true
        guard !asks || sharing.screen.canAsk else {
            sharing.say(
                Message(
                    "Nobody can be asked here, since no notification service with buttons runs, so nothing is allowed. To allow everything:"
                ))
            return sharing.say(.command(target.command(confirming: .never)))
        }
        switch target.confirmation {
        case .never: sharing.say(Message("You are not asked when it is used."))
        case .once: sharing.say(Message("You are asked once, and again after 8 hours or a screen lock."))
        case .each where target.access.gateway?.isReadOnly == true:
            sharing.say(Message("You are not asked when it is used."))
        case .each where target.access.gateway != nil: sharing.say(Message("You are asked before each push."))
        case .each: sharing.say(Message("You are asked each time it is used."))
        }
    }

    private func sayWays(_ lines: ShareLines) {
        sharing.say(
            lines.isGateway
                ? Message("For podman, replace IMAGE (no network is needed):") : Message("For podman, replace IMAGE:"))
        sharing.say(.command(lines.podman))
        if lines.isGateway {
            sharing.say(
                Message(
                    "For bubblewrap, with %1$s as its home, where it clones; you get the work by its pushes:",
                    lines.folder))
            for line in lines.bubblewrap { sharing.say(.command(line)) }
        }
        sharing.say(Message("For docker, replace IMAGE:"))
        sharing.say(.command(lines.docker))
        sharing.say(Message("The user inside must be you or root; for any other, each git command fails."))
        sharing.say(
            Message(
                "For a dev container, in your project's folder; what it writes there, such as a hook, can run on your machine:"
            ))
        for line in lines.devcontainer { sharing.say(.command(line)) }
        if let clone = lines.clone {
            sharing.say(Message("Inside, git clones and pushes as usual:"))
            sharing.say(.command(clone))
        }
        if lines.isGateway { sharing.say(Message("Files in Git LFS stay pointers inside; --token can fetch them.")) }
        sharing.say(Message("For an SSH host, instead of this command:"))
        sharing.say(.command(lines.ssh))
        sharing.say(Self.howToStop)
    }

    private static let howToStop = Message("To stop, press Ctrl-C.")

    // MARK: While it is shared

    private func serve(
        _ target: ShareTarget, _ open: any OpenShare, _ hold: (any ShareHold)?, lifetime: Int64? = nil,
        idle: Int64? = nil
    ) -> ShareEnd {
        let (say, clock) = (sharing.say, sharing.clock)
        var record = ShareRecord()
        record.kind = target.kind
        record.confirmation = target.confirmation
        record.hosts = target.hosts.map(\.name)
        record.gateway = target.access.gateway
        let now = clock.now
        record.since = now
        record.end = lifetime.map { now + $0 / 1_000 }
        if let last = open.lastRecord { record.follow(last) }
        open.write(record)
        var log = ShareLog(of: target)
        let end = lifetime.map { clock.uptimeMilliseconds + $0 }
        let responder = ShareResponder(
            for: target, until: end, screen: sharing.screen, clock: clock, dependencies: sharing.dependencies
        ) { event, account in
            record.note(event, account, now: clock.now)
            let lines = log.lines(of: event, at: clock.uptimeMilliseconds)
            // What a target repeats must not write to the disk as often.
            if account != nil || !lines.isEmpty { open.write(record) }
            lines.forEach(say)
        }
        let reason = open.serve(until: end, idle: idle, holding: hold, responder)
        sayEnd(reason, DisplayText(trusted: target.name.text))
        return reason
    }

    private func sayEnd(_ end: ShareEnd, _ target: DisplayText) {
        switch end {
        case .stopped: sharing.say(Message("\"%1$s\" is no longer shared.", target))
        // The terminal has shown `^C` on the line.
        case .interrupted: [.blank, Message("\"%1$s\" is no longer shared.", target)].forEach(sharing.say)
        case .elapsed: sharing.say(Message("\"%1$s\" is no longer shared: its time is up.", target))
        case .idle:
            sharing.say(Message("\"%1$s\" was not used for 10 minutes. systemd starts it again when it is.", target))
        case .disconnected: sharing.say(Message("\"%1$s\" is no longer shared: ssh has ended.", target))
        }
    }
}
