package import CredentialCore
package import Helper
internal import Messages
internal import Providers

/// The answers to one target's requests.
///
/// A target has one process, and the process one thread: what comes at the same time waits in line.
///
/// So there is one prompt and one refresh for all of them, and nothing of one target is in the memory of another's
/// process.
package final class ShareResponder {
    private let policy: SharePolicy
    private let dependencies: () -> Dependencies
    private let screen: any ShareScreen
    private let clock: any Clock
    private let tell: (ShareEvent, ShareRecord.Account?) -> Void
    /// The end of the share in milliseconds of uptime; nil for none.
    private let end: Int64?
    private var consent: ShareConsent
    /// Of tokens that the target called rejected.
    private var checks = OncePerMinute()
    /// Those that the target has caused: each ends the person's own token.
    private var refreshes = OncePerMinute()

    /// The dependencies are created again for each request that gets so far.
    ///
    /// The listener lives for hours, and a keyring, a bus or a setting of this morning may be gone. `tell` is told what
    /// has happened, and whose credential has been handed out, if one has.
    package init(
        for target: ShareTarget, until end: Int64? = nil, screen: any ShareScreen, clock: any Clock,
        dependencies: @escaping () -> Dependencies,
        tell: @escaping (ShareEvent, ShareRecord.Account?) -> Void
    ) {
        policy = SharePolicy(target)
        self.end = end
        consent = ShareConsent(for: target)
        self.screen = screen
        self.clock = clock
        self.dependencies = {
            var dependencies = dependencies()
            let environment = dependencies.environment
            let margin = max(SharePolicy.margin, SignInSettings.minValidity(environment: environment))
            // Whoever finds, under the lock, that another process has just refreshed has to ask for as much as we do.
            dependencies.environment = { $0 == "GITSPACE_MIN_VALIDITY" ? String(margin) : environment($0) }
            return dependencies
        }
        self.tell = tell
    }

    /// The person's yes would be lost if the process ended now.
    package var isHolding: Bool { consent.isHeld(at: clock.uptimeMilliseconds) }

    /// If the screen has been locked since, forgets the person's yes; to be called now and then.
    package func watchScreen() {
        if isHolding, screen.isLocked == true { consent.forget() }
    }

    /// The arrival is in milliseconds of uptime, when the connection was made.
    ///
    /// `whileWaiting` is called while the person is waited for. Nothing is sent back for everything that is not the
    /// target's.
    package func answer(
        _ request: Secret, from peer: SharePeer, arrivedAt arrival: Int64, whileWaiting: () -> Void
    ) -> Secret {
        switch policy.verdict(on: request) {
        case .ignored: return Secret([])
        case .refused(let refusal, let host): return refuse(refusal, host, peer)
        case .rejected(let host, let rejection):
            check(rejection, on: host)
            return Secret([])
        case .get(let host, let username):
            do throws(ShareRefusal) {
                let lookup = try lookup(for: host)
                try checkTime()
                let found = try allowed(lookup, askedAs: username, arrival, whileWaiting)
                let credential = try fresh(found, lookup, askedAs: username)
                tell(
                    .given(
                        host: DisplayText(untrusted: host.name), username: DisplayText(account: credential.username),
                        peer),
                    ShareRecord.Account(host: host.name, username: credential.username))
                // By our own request, which has no capabilities: a name, a password, its end, and nothing else.
                return Answer.credential(
                    StoredCredential(
                        username: credential.username, password: credential.password,
                        passwordExpiryUTC: credential.passwordExpiryUTC)
                ).encoded(for: lookup.request)
            } catch {
                return refuse(error, host, peer)
            }
        }
    }

    /// Logs an event of a gateway's connection.
    func log(_ event: ShareEvent) { tell(event, nil) }

    /// The credential for one exchange of a gateway's connection; `rejected` is the digest of one that the host has
    /// rejected.
    ///
    /// The exchange is in the record before this returns.
    package func credential(
        for intention: GatewayIntention, on host: ShareTarget.Host, rejected: [UInt8]?, arrivedAt arrival: Int64,
        whileWaiting: () -> Void
    ) throws(ShareRefusal) -> StoredCredential {
        try checkTime()
        let lookup = try lookup(for: host)
        let isAsked = policy.target.confirmation == .once || intention.isPush
        let found = try allowed(lookup, askedAs: nil, arrival, whileWaiting, for: intention, isAsked: isAsked)
        let credential: StoredCredential
        if let rejected, StoredCredential.digest(of: found.credential.password) == rejected {
            guard let renewed = replacement(for: found, lookup) else { throw .rejected }
            tell(
                .replaced(host: DisplayText(untrusted: host.name), username: DisplayText(account: renewed.username)),
                nil)
            credential = renewed
        } else {
            credential = try fresh(found, lookup, askedAs: nil)
        }
        try checkTime()
        tell(.begun(intention), ShareRecord.Account(host: host.name, username: credential.username))
        return credential
    }

    /// Those that git would look up on the way to the host.
    func passwords(on host: HostName) -> (proxy: Secret?, key: Secret?) {
        let dependencies = dependencies()
        let transport = policy.target.transport(to: host, environment: dependencies.environment)
        let requests = [transport.proxyLogin?.request, transport.clientCertificate?.request]
        guard requests.contains(where: { $0 != nil }) else { return (nil, nil) }
        func password(for request: Request?) -> Secret? {
            request.flatMap { dependencies.keyring.password(for: $0, at: clock.now) }
        }
        return (password(for: requests[0]), password(for: requests[1]))
    }

    private func checkTime() throws(ShareRefusal) {
        if let end, clock.uptimeMilliseconds >= end { throw .elapsed }
    }

    package var target: ShareTarget { policy.target }

    /// For the log: nothing is read of what such a user sends.
    package func turnAway(user: UInt32) { tell(.turnedAway(user: user), nil) }

    /// Why the target would get nothing, whatever it asked for; nil if it would get a credential.
    package func refusalAtStart(on host: ShareTarget.Host) -> ShareRefusal? {
        do throws(ShareRefusal) {
            let lookup = try lookup(for: host)
            return lookup.refusal(of: try lookup.find().credential, askedAs: nil)
        } catch {
            return error
        }
    }

    private func refuse(_ refusal: ShareRefusal, _ host: ShareTarget.Host, _ peer: SharePeer) -> Secret {
        tell(.refused(refusal, host: DisplayText(untrusted: host.name), peer), nil)
        // The reason is not sent: it would show which accounts there are, or that the person is away.
        return Secret(Array("quit=1\n".utf8))
    }

    private func lookup(for host: ShareTarget.Host) throws(ShareRefusal) -> ShareLookup {
        try ShareLookup(for: host, under: policy, with: dependencies())
    }

    /// The stored credential, if the target may have it and the person allows it where they are asked.
    private func allowed(
        _ lookup: ShareLookup, askedAs username: [UInt8]?, _ arrival: Int64, _ whileWaiting: () -> Void,
        for intention: GatewayIntention? = nil, isAsked: Bool = true
    ) throws(ShareRefusal) -> StoredMatch {
        let found = try lookup.find()
        if let refusal = lookup.refusal(of: found.credential, askedAs: username) { throw refusal }
        guard isAsked, try consult(lookup.host, found.credential.username, intention, arrival, whileWaiting) else {
            return found
        }
        // Meanwhile the time may have ended, or the person may have signed out.
        try checkTime()
        let now = try lookup.find()
        guard now.credential.username == found.credential.username else { throw .notSignedIn }
        if let refusal = lookup.refusal(of: now.credential, askedAs: username) { throw refusal }
        return now
    }

    private func fresh(
        _ found: StoredMatch, _ lookup: ShareLookup, askedAs username: [UInt8]?
    ) throws(ShareRefusal) -> StoredCredential {
        if case .fresh = found.credential.condition(at: clock.now, margin: SharePolicy.margin, asToken: true) {
            return found.credential
        }
        let renewed = try renew(found, lookup)
        if let refusal = lookup.refusal(of: renewed, askedAs: username) { throw refusal }
        return renewed
    }

    /// Whether the person was asked now, and has said yes.
    private func consult(
        _ host: ShareTarget.Host, _ username: [UInt8], _ intention: GatewayIntention?, _ arrival: Int64,
        _ whileWaiting: () -> Void
    ) throws(ShareRefusal) -> Bool {
        guard consent.isNeeded else { return false }
        // A locked screen shows nothing, or shows it to whoever passes by. No silence comes of it: nothing has been
        // asked, and whoever unlocks the screen is there. Where nothing tells, the notification itself does.
        if screen.isLocked == true {
            consent.forget()
            throw .locked
        }
        let subject = ShareConsent.Subject(host: host.name, username: username)
        switch consent.standing(of: subject, arrivedAt: arrival, now: clock.uptimeMilliseconds) {
        case .allowed: return false
        case .refused(let refusal): throw refusal
        case .open:
            let question = SharePrompt(
                target: policy.target, host: DisplayText(untrusted: host.name),
                username: DisplayText(account: username), intention: intention)
            let refusal = screen.ask(question, whileWaiting: whileWaiting)
            consent.record(refusal, of: subject, now: clock.uptimeMilliseconds)
            if let refusal { throw refusal }
            return true
        }
    }

    /// ④ Refreshes what is about to expire, under the lock that everybody uses; nobody signs in.
    ///
    /// The next refresh has to wait for a minute; until then, a token serves while it lives.
    private func renew(
        _ found: StoredMatch, _ lookup: ShareLookup, isForced: Bool = false
    ) throws(ShareRefusal) -> StoredCredential {
        let (host, dependencies) = (lookup.host, lookup.dependencies)
        let now = clock.uptimeMilliseconds
        guard refreshes.allows(host, at: now) else {
            guard !isForced, let credential = try? valid(found.credential) else { throw .expired }
            return credential
        }
        if found.credential.isRefreshable { refreshes.note(host, at: now) }
        var signIn: SignInContext?
        do {
            signIn = try lookup.signIn(of: found.credential)
        } catch {
            guard !isForced, let credential = try? valid(found.credential) else { throw .configuration }
            return credential
        }
        do throws(OperationFailure) {
            guard let signIn else { return try valid(found.credential) }
            switch try signIn.refreshed(found, with: dependencies, isForced: isForced) {
            case .usable(let credential): return try valid(credential)
            case .unrefreshable: return try valid(found.credential)
            case .refused, .issuedElsewhere: throw .known
            }
        } catch {
            if let failure = error.error { dependencies.report(failure) }
            throw .expired
        }
    }

    private func valid(_ credential: StoredCredential) throws(OperationFailure) -> StoredCredential {
        guard credential.condition(at: clock.now, asToken: true).isValid else { throw .known }
        return credential
    }

    /// A target says that its password was rejected.
    ///
    /// Nothing is deleted on its word. If it is the very token that is stored, the host is asked, once a minute at most,
    /// and if it agrees, the token is refreshed.
    private func check(_ rejection: SharePolicy.Rejection, on host: ShareTarget.Host) {
        guard checks.allows(host, at: clock.uptimeMilliseconds), let lookup = try? lookup(for: host),
            let found = try? lookup.find(), rejection.names(found.credential),
            lookup.refusal(of: found.credential, askedAs: rejection.username) == nil
        else { return }
        guard let renewed = replacement(for: found, lookup) else { return }
        tell(
            .replaced(host: DisplayText(untrusted: host.name), username: DisplayText(account: renewed.username)), nil)
    }

    /// A refreshed token for one that is said to be rejected, if the host agrees; once a minute.
    private func replacement(for found: StoredMatch, _ lookup: ShareLookup) -> StoredCredential? {
        let now = clock.uptimeMilliseconds
        guard checks.allows(lookup.host, at: now), let signIn = try? lookup.signIn(of: found.credential) else {
            return nil
        }
        checks.note(lookup.host, at: now)
        let server = try? signIn.server(with: lookup.dependencies)
        guard case let account = signIn.account(found, at: server, with: lookup.dependencies),
            account.state == .revoked, account.isRefreshable
        else { return nil }
        guard let renewed = try? renew(found, lookup, isForced: true), renewed.password != found.credential.password
        else {
            return nil
        }
        return renewed
    }
}

/// One try a minute for each host, whatever comes of it.
struct OncePerMinute {
    /// Milliseconds of uptime, by host.
    private var last: [[UInt8]: Int64] = [:]

    func allows(_ host: ShareTarget.Host, at now: Int64) -> Bool {
        last[host.name].map { now - $0 >= 60_000 } ?? true
    }

    mutating func note(_ host: ShareTarget.Host, at now: Int64) { last[host.name] = now }
}
