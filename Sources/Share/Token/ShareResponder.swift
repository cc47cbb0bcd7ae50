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
        for target: ShareTarget, screen: any ShareScreen, clock: any Clock, dependencies: @escaping () -> Dependencies,
        tell: @escaping (ShareEvent, ShareRecord.Account?) -> Void
    ) {
        policy = SharePolicy(target)
        consent = ShareConsent(target.confirmation)
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
                let credential = try credential(lookup, askedAs: username, arrival, whileWaiting)
                tell(
                    .given(
                        host: DisplayText(untrusted: host.name), username: DisplayText(untrusted: credential.username),
                        peer),
                    ShareRecord.Account(host: host.name, username: credential.username))
                // By our own request, which has no capabilities: a name, a password, its end, and nothing else.
                return Answer.credential(
                    Answer.Credential(
                        username: credential.username, password: credential.password,
                        passwordExpiryUTC: credential.passwordExpiryUTC)
                ).encoded(for: lookup.request)
            } catch {
                return refuse(error, host, peer)
            }
        }
    }

    /// What the log is told by a connection of a gateway.
    func log(_ message: GatewayMessage) { tell(.gateway(message), nil) }

    /// For a connection of a gateway: with `rejected`, the digest of one that the host has rejected, another one; nil if
    /// there is none, for which the reason is told.
    package func credential(
        on host: ShareTarget.Host, for service: GitService, rejected: [UInt8]?, _ peer: SharePeer, _ arrival: Int64,
        _ whileWaiting: () -> Void
    ) -> StoredCredential? {
        do throws(ShareRefusal) {
            let lookup = try lookup(for: host)
            if let rejected, case let found = try lookup.find(),
                StoredCredential.digest(of: found.credential.password) == rejected
            {
                guard let renewed = replacement(for: found, lookup) else { throw .rejected }
                tell(
                    .replaced(
                        host: DisplayText(untrusted: host.name), username: DisplayText(untrusted: renewed.username)),
                    nil)
                return renewed
            }
            // Whoever is asked each time is asked about what is sent there; about another token, nobody again.
            let isAsked = rejected == nil && (policy.target.confirmation == .once || service == .receivePack)
            let credential = try credential(
                lookup, askedAs: nil, arrival, whileWaiting, service: service, isAsked: isAsked)
            tell(.used, ShareRecord.Account(host: host.name, username: credential.username))
            return credential
        } catch {
            tell(.refused(error, host: DisplayText(untrusted: host.name), peer), nil)
            return nil
        }
    }

    /// Those that git would look up on the way to the host.
    func passwords(on host: ShareTarget.Host) -> (proxy: Secret?, key: Secret?) {
        let dependencies = dependencies()
        guard let name = HostName(host.name),
            let transport = try? ContextResolver(with: dependencies).storeSettings(of: name).transport
        else { return (nil, nil) }
        func password(for request: Request?) -> Secret? {
            request.flatMap { dependencies.keyring.password(for: $0, at: clock.now) }
        }
        return (password(for: transport.proxyLogin?.request), password(for: transport.clientCertificate?.request))
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

    private func credential(
        _ lookup: ShareLookup, askedAs username: [UInt8]?, _ arrival: Int64, _ whileWaiting: () -> Void,
        service: GitService? = nil, isAsked: Bool = true
    ) throws(ShareRefusal) -> StoredCredential {
        let found = try lookup.find()
        if let refusal = lookup.refusal(of: found.credential, askedAs: username) { throw refusal }
        if isAsked { try consult(lookup.host, found.credential.username, service, arrival, whileWaiting) }
        guard !policy.isFresh(found.credential, at: clock.now) || !found.credential.isSound else {
            return found.credential
        }
        let renewed = try renew(found, lookup)
        if let refusal = lookup.refusal(of: renewed, askedAs: username) { throw refusal }
        return renewed
    }

    /// Only if the target is one for which the person is asked and has not been.
    private func consult(
        _ host: ShareTarget.Host, _ username: [UInt8], _ service: GitService?, _ arrival: Int64,
        _ whileWaiting: () -> Void
    ) throws(ShareRefusal) {
        guard consent.isNeeded else { return }
        // A locked screen shows nothing, or shows it to whoever passes by. No silence comes of it: nothing has been
        // asked, and whoever unlocks the screen is there. Where nothing tells, the notification itself does.
        if screen.isLocked == true {
            consent.forget()
            throw .locked
        }
        let subject = ShareConsent.Subject(host: host.name, username: username)
        switch consent.standing(of: subject, arrivedAt: arrival, now: clock.uptimeMilliseconds) {
        case .allowed: return
        case .refused(let refusal): throw refusal
        case .open:
            let question = SharePrompt(
                target: policy.target, host: DisplayText(untrusted: host.name),
                username: DisplayText(account: username), service: service)
            let refusal = screen.ask(question, whileWaiting: whileWaiting)
            consent.record(refusal, of: subject, now: clock.uptimeMilliseconds)
            if let refusal { throw refusal }
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
            guard !isForced, let credential = try? alive(found.credential) else { throw .expired }
            return credential
        }
        if found.credential.isRefreshable { refreshes.note(host, at: now) }
        var signIn: SignInContext?
        do {
            signIn = try lookup.signIn(of: found.credential)
        } catch {
            guard !isForced, found.credential.isAlive(at: clock.now), found.credential.isSound else {
                throw .configuration
            }
            return found.credential
        }
        do throws(OperationFailure) {
            guard let signIn else { return try alive(found.credential) }
            switch try signIn.refreshed(found, with: dependencies, isForced: isForced) {
            case .usable(let credential): return try alive(credential)
            case .unrefreshable: return try alive(found.credential)
            case .refused, .issuedElsewhere: throw .known
            }
        } catch {
            if let failure = error.error { dependencies.report(failure) }
            throw .expired
        }
    }

    private func alive(_ credential: StoredCredential) throws(OperationFailure) -> StoredCredential {
        guard credential.isAlive(at: clock.now), credential.isSound else { throw .known }
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
            .replaced(host: DisplayText(untrusted: host.name), username: DisplayText(untrusted: renewed.username)), nil)
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
