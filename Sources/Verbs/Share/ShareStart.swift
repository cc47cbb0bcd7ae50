internal import CredentialCore
internal import Helper
internal import Language
internal import Messages

/// Shares one place, from what is printed for it to its end.
struct ShareStart {
    private let outside: VerbDependencies
    private let sharing: ShareDependencies

    init(_ outside: VerbDependencies, _ sharing: ShareDependencies) {
        self.outside = outside
        self.sharing = sharing
    }

    /// As it was typed; the lifetime in milliseconds, nil until it is stopped.
    func run(
        _ name: PlaceName, _ kind: ShareTarget.Kind, _ typed: ShareSettings, lifetime: Int64?
    ) throws(UserFacingError) -> ExitStatus {
        var place = try resolver.place(name, kind, typed: typed)
        if place.limit == nil { try checkBeginning(place) }
        let open = try sharing.places.open(name, kind, isActivated: false)
        defer { open.close() }
        if let limit = place.limit {
            guard let target = try ShareRepository(place: place, limit: limit, outside: outside).target() else {
                return .cancelled
            }
            place = target
        }
        // However it ends; before the place can be opened again.
        defer { end(place, open) }
        if place.limit != nil { try checkBeginning(place) }
        switch kind {
        case .directory:
            sayBeginning(place)
            sayWays(
                ShareLines(
                    place, directory: open.directory, confinesContainers: sharing.places.confinesContainers))
            return serve(place, open, nil, lifetime: lifetime)
        case .ssh(let destination):
            let hold = try sharing.connect(destination, open)
            defer { hold.end() }
            sayBeginning(place)
            outside.say(Message("For git on %1$s, run this there once:", DisplayText(trusted: destination)))
            let lines = ShareLines(
                place, directory: hold.directory, mountPoint: DisplayText(trusted: hold.directory))
            for line in lines.inside { outside.say(.command(line)) }
            outside.say(Self.howToStop)
            return serve(place, open, hold, lifetime: lifetime)
        }
    }

    /// After this many milliseconds without a request, systemd gets the socket back.
    ///
    /// Not at once: systemd does not allow twenty starts in two seconds (systemd.socket(5), TriggerLimitBurst), and a
    /// place that asks in a loop would lose its socket.
    private static let usualIdle: Int64 = 600_000

    /// As systemd starts it, with nothing typed.
    func run(activated name: PlaceName, idle: Int64?) throws(UserFacingError) -> ExitStatus {
        let place = try resolver.place(name, .directory, typed: nil)
        let open = try sharing.places.open(name, .directory, isActivated: true)
        defer { open.close() }
        sayBeginning(place)
        return serve(place, open, nil, idle: idle ?? Self.usualIdle)
    }

    private var resolver: ShareTargetResolver {
        ShareTargetResolver(files: outside.files, with: outside.dependencies(nil))
    }

    // MARK: The beginning

    /// Refuses now what every request would be refused later, while the person is here.
    private func checkBeginning(_ place: ShareTarget) throws(UserFacingError) {
        let responder = ShareResponder(
            for: place, screen: sharing.screen, clock: sharing.clock, dependencies: sharing.dependencies
        ) { _, _ in }
        for host in place.hosts {
            let name = DisplayText(untrusted: host.name)
            switch responder.refusalAtStart(on: host) {
            case .doesNotExpire: throw .endless(host: name, place)
            case .notSignedIn:
                throw UserFacingError(
                    .share, Message("you are not signed in to %1$s, so there is nothing to share", name),
                    [Message("sign in with:"), .login(name)])
            case .notAPassword:
                throw UserFacingError(
                    .share, Message("the token for %1$s cannot be shared: git inside could not send it", name))
            case let refusal? where place.limit != nil:
                throw UserFacingError(.share, Message("the token for %1$s cannot be shared: %2$s", name, refusal.text))
            default: continue
            }
        }
    }

    private func sayBeginning(_ place: ShareTarget) {
        let hosts = place.hosts.map { DisplayText(untrusted: $0.name) }.joined(separator: ", ")
        let name = DisplayText(trusted: place.name.text)
        if let limit = place.limit {
            outside.say(
                Message(
                    "Sharing %1$s on %2$s as \"%3$s\": %4$s.", DisplayText(untrusted: limit.repository.utf8), hosts,
                    name,
                    limit.right))
        } else {
            outside.say(Message("Sharing your sign-in to %1$s as \"%2$s\".", hosts, name))
        }
        let there =
            switch place.kind {
            case .directory: Message("the container")
            case .ssh(let destination): Message(verbatim: DisplayText(trusted: destination))
            }
        outside.say(
            place.limit != nil
                ? Message("Root in %1$s gets a token for this repository alone, which ends with this share.", there)
                : place.isLongLived
                    ? Message("Root in %1$s gets your token and can keep it, even if it does not expire.", there)
                    : Message("Root in %1$s gets your token and can use it until it expires.", there))
        switch place.confirmation {
        case .never: outside.say(Message("You are not asked when it is used."))
        case .once: outside.say(Message("You are asked once, until you lock the screen, and again after 8 hours."))
        case .each: outside.say(Message("You are asked each time it is used."))
        }
    }

    private func sayWays(_ lines: ShareLines) {
        outside.say(Message("For podman, replace IMAGE:"))
        outside.say(.command(lines.podman))
        outside.say(Message("For docker, replace IMAGE:"))
        outside.say(.command(lines.docker))
        outside.say(Message("For a dev container, in your project's folder:"))
        for line in lines.devcontainer { outside.say(.command(line)) }
        outside.say(Message("For an SSH host, instead of this command:"))
        outside.say(.command(lines.ssh))
        outside.say(Self.howToStop)
    }

    private static let howToStop = Message("To stop, press Ctrl-C.")

    // MARK: While it is shared

    private func serve(
        _ place: ShareTarget, _ open: any OpenPlace, _ hold: (any ShareHold)?, lifetime: Int64? = nil,
        idle: Int64? = nil
    ) -> ExitStatus {
        let (outside, clock) = (outside, sharing.clock)
        var record = ShareRecord()
        record.kind = place.kind
        record.confirmation = place.confirmation
        record.hosts = place.hosts.map(\.name)
        record.limit = place.limit
        let now = clock.now
        record.since = now
        record.end = lifetime.map { now + $0 / 1_000 }
        // Tokens that an earlier, ended process handed out still exist.
        record.given = open.lastRecord?.given ?? []
        open.write(record)
        var log = ShareLog()
        let responder = ShareResponder(
            for: place, screen: sharing.screen, clock: clock, dependencies: sharing.dependencies
        ) { event, account in
            if let account { record.note(account, now: clock.now) }
            if case .refused(let why, _, _) = event { record.lastRefusal = .init(time: clock.now, why: why) }
            // What a place repeats must not write to the disk as often.
            let isNew = log.isNew(event, at: clock.uptimeMilliseconds)
            if account != nil || isNew { open.write(record) }
            if isNew { outside.say(event.line) }
        }
        let end = open.serve(
            until: lifetime.map { clock.uptimeMilliseconds + $0 }, idle: idle, holding: hold, responder)
        return sayEnd(end, DisplayText(trusted: place.name.text))
    }

    /// Ends the token that is the place's own.
    private func end(_ place: ShareTarget, _ open: any OpenPlace) {
        guard let limit = place.limit, let host = place.hosts.first.flatMap({ HostName($0.name) }) else { return }
        let dependencies = sharing.dependencies()
        guard let signIn = try? ContextResolver(with: dependencies).signInContext(of: host) else { return }
        let end = LimitedToken(limit, signIn, with: dependencies).end()
        if var record = open.lastRecord, end == .none || end == .ended {
            record.limit = nil
            open.write(record)
        }
        ShareRepository.words(of: end, limit).map(outside.say)
    }

    private func sayEnd(_ end: ShareEnd, _ place: DisplayText) -> ExitStatus {
        switch end {
        case .stopped: outside.say(Message("\"%1$s\" is no longer shared.", place))
        case .elapsed: outside.say(Message("\"%1$s\" is no longer shared: its time is up.", place))
        case .idle:
            outside.say(Message("\"%1$s\" was not used for 10 minutes. systemd starts it again when it is.", place))
        case .disconnected:
            outside.say(Message("\"%1$s\" is no longer shared: ssh has ended.", place))
            return .failed
        }
        return .done
    }
}

// MARK: The log

/// What was logged lately: a place that asks in a loop must not fill the log.
private struct ShareLog {
    /// Milliseconds before the same event is logged again.
    private static let interval: Int64 = 60_000

    private var told: [(event: ShareEvent, time: Int64)] = []

    /// Whether an event is worth logging.
    mutating func isNew(_ event: ShareEvent, at now: Int64) -> Bool {
        told.removeAll { now - $0.time >= Self.interval }
        let isKnown = told.contains { $0.event.isSame(as: event) }
        if !isKnown { told.append((event, now)) }
        return !isKnown
    }
}

extension ShareEvent {
    /// Whether both are equal, apart from the process.
    fileprivate func isSame(as other: ShareEvent) -> Bool {
        switch (self, other) {
        case (.given(let host, let name, let peer), .given(let otherHost, let otherName, let otherPeer)):
            host == otherHost && name == otherName && peer.user == otherPeer.user
        case (.refused(let why, let host, let peer), .refused(let otherWhy, let otherHost, let otherPeer)):
            why == otherWhy && host == otherHost && peer.user == otherPeer.user
        default: self == other
        }
    }

    fileprivate var line: Message {
        switch self {
        case .given(let host, let username, let peer):
            Message(
                "%1$s: gave the token of %2$s to process %3$s (user %4$s)", host, username, Int(peer.process),
                Int(peer.user))
        case .refused(let why, let host, let peer):
            Message(
                "%1$s: refused process %2$s (user %3$s): %4$s", host, Int(peer.process), Int(peer.user), why.text)
        case .turnedAway(let user):
            Message("refused user %1$s: only your own user and root may use this share", Int(user))
        case .replaced(let host, let username):
            Message("%1$s: refreshed the token of %2$s, because the server rejects it", host, username)
        }
    }
}

extension RepositoryLimit {
    /// At most: the server may allow less.
    var right: Message { isReadOnly ? Message("read only") : Message("read and push") }
}

extension ShareRefusal {
    var text: Message {
        switch self {
        case .reachesMore: Message("the server no longer limits the token to the repository, so it was dropped")
        case .reachesNothing: Message("the token does not reach the repository any more")
        case .untried: Message("the server did not say whether the token reaches other repositories")
        case .ended: Message("the token has ended; start the share again")
        case .otherAccount: Message("it asked for another account")
        case .notSignedIn: Message("no account is signed in")
        case .doesNotExpire: Message("the token does not expire; --long-lived allows it")
        case .notAPassword: Message("git inside could not send this kind of token")
        case .expired: Message("the token has expired and could not be refreshed")
        case .denied: Message("you denied it")
        case .unanswered: Message("you did not answer")
        case .silenced: Message("you denied it or did not answer less than 10 minutes ago")
        case .locked: Message("the screen is locked")
        case .nobodyToAsk: Message("there is no notification service to ask you")
        case .keyring(let error): error.words.text
        case .configuration: Message("git's configuration cannot be read")
        }
    }
}
