package import CredentialCore
package import Helper
internal import Providers

/// The credentials of one share, and all that decides whether a request gets one: time, sign-in, consent, refresh.
///
/// A share has one process, and the process one thread: requests that come at the same time wait in line.
///
/// So there is one prompt and one refresh for all of them, and nothing of one place is in the memory of another's
/// process.
package final class ShareCredentials {
    package let plan: SharePlan
    let dependencies: () -> Dependencies
    private let screen: any ShareScreen
    let clock: any Clock
    /// Notes what has happened, and whose credential has been handed out, if one has.
    let tell: (ShareEvent, ShareRecord.Account?) -> Void
    private var consent: ShareConsent
    /// Of tokens that the target called rejected.
    private var checks = OncePerMinute()
    /// Those that the target has caused: each ends the person's own token.
    private var refreshes = OncePerMinute()
    var pullRequests: PullRequestTerms

    /// In seconds; a token with less is refreshed first.
    ///
    /// A token that was handed out cannot be exchanged later: a long clone inside must not outlive it. As everywhere, a
    /// quarter of the token's lifetime if that is less.
    private static let margin: Int64 = 600

    /// The dependencies are created again for each request that gets so far.
    ///
    /// A share lives for hours, and a keyring, a bus or a setting of this morning may be gone.
    package init(
        for plan: SharePlan, screen: any ShareScreen, clock: any Clock,
        pullRequests: PullRequestTerms = PullRequestTerms(), dependencies: @escaping () -> Dependencies,
        tell: @escaping (ShareEvent, ShareRecord.Account?) -> Void
    ) {
        self.plan = plan
        consent = ShareConsent(for: plan)
        self.screen = screen
        self.clock = clock
        self.pullRequests = pullRequests
        self.dependencies = {
            var dependencies = dependencies()
            let environment = dependencies.environment
            let margin = max(Self.margin, SignInSettings.minValidity(environment: environment))
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

    /// The credential for a request of a token; the arrival is in milliseconds of uptime.
    ///
    /// `whileWaiting` is called while the person is waited for.
    func credential(
        on host: SharePlan.Host, askedAs username: [UInt8]?, arrivedAt arrival: Int64, whileWaiting: () -> Void
    ) throws(ShareRefusal) -> StoredCredential {
        let lookup = try lookup(for: host)
        try checkTime()
        return try fresh(try allowed(lookup, askedAs: username, arrival, whileWaiting), lookup, askedAs: username)
    }

    func checkTime() throws(ShareRefusal) {
        if let end = plan.end, clock.uptimeMilliseconds >= end.uptime { throw .elapsed }
    }

    /// Whether a user of this machine may connect; any other is logged, and nothing is read of what it sends.
    ///
    /// Our own user, or root, as which rootful containers are seen. This keeps other users out, and proves nothing about
    /// who is behind it: ssh connects as us for whoever uses it on the far side.
    package func admits(user: UInt32, own: UInt32) -> Bool {
        // A user without a number in our namespace has this one: user_namespaces(7), "Unmapped user and group IDs".
        let isAdmitted = user != 65_534 && (user == own || user == 0)
        if !isAdmitted { tell(.turnedAway(user: user), nil) }
        return isAdmitted
    }

    func lookup(for host: SharePlan.Host) throws(ShareRefusal) -> ShareLookup {
        try ShareLookup(for: host, of: plan, with: dependencies())
    }

    /// The stored credential, if the target may have it and the person allows it where they are asked.
    func allowed(
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

    func fresh(
        _ found: StoredMatch, _ lookup: ShareLookup, askedAs username: [UInt8]?
    ) throws(ShareRefusal) -> StoredCredential {
        if case .fresh = found.credential.condition(at: clock.now, margin: Self.margin, asToken: true) {
            return found.credential
        }
        let renewed = try renew(found, lookup)
        if let refusal = lookup.refusal(of: renewed, askedAs: username) { throw refusal }
        return renewed
    }

    /// Whether the person was asked now, and has said yes.
    private func consult(
        _ host: SharePlan.Host, _ username: [UInt8], _ intention: GatewayIntention?, _ arrival: Int64,
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
                plan, host: DisplayText(untrusted: host.name),
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

    /// Checks the word of a place that its password was rejected.
    ///
    /// Nothing is deleted on its word. If it is the very token that is stored, the host is asked, once a minute at most,
    /// and if it agrees, the token is refreshed.
    func check(_ rejection: SharePlan.Rejection, on host: SharePlan.Host) {
        guard checks.allows(host, at: clock.uptimeMilliseconds), let lookup = try? lookup(for: host),
            let found = try? lookup.find(), rejection.names(found.credential),
            lookup.refusal(of: found.credential, askedAs: rejection.username) == nil
        else { return }
        guard let renewed = replacement(for: found, lookup) else { return }
        tell(
            .replaced(host: DisplayText(untrusted: host.name), username: DisplayText(account: renewed.username)), nil)
    }

    /// A refreshed token for one that is said to be rejected, if the host agrees; once a minute.
    func replacement(for found: StoredMatch, _ lookup: ShareLookup) -> StoredCredential? {
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

/// ③ The search for the credential of one host, by a request of ours: of a place's request, nothing but the host goes
/// on.
struct ShareLookup {
    let host: SharePlan.Host
    let request: Request
    let dependencies: Dependencies
    private let plan: SharePlan

    init(
        for host: SharePlan.Host, of plan: SharePlan, with dependencies: Dependencies
    ) throws(ShareRefusal) {
        guard let request = try? host.request else { throw .notSignedIn }
        self.host = host
        self.request = request
        self.dependencies = dependencies
        self.plan = plan
    }

    /// The credential of the host as a whole, and of one account, that a request without a name would get.
    func find() throws(ShareRefusal) -> StoredMatch {
        let resolver = ContextResolver(with: dependencies)
        guard let context = try? resolver.credentialContext(of: request) else { throw .notSignedIn }
        if let found = try find(in: context) { return found }
        // In any case of its name; to find out whether we sign in there was not worth its cost before.
        guard context.signInHost == nil, let found = try find(in: resolver.resolved(context)) else {
            throw .notSignedIn
        }
        return found
    }

    private func find(in context: CredentialContext) throws(ShareRefusal) -> StoredMatch? {
        var query = context.query(user: request.username)
        query.isForPasswordsAlone = plan.access.gateway == nil
        return try rethrowing(
            as: ShareRefusal.keyring,
            try Lookup(with: dependencies).best(
                query, isSignInHost: { ContextResolver(with: dependencies).signsIn(to: context) }))
    }

    /// Nil if the place may have the credential.
    func refusal(of credential: StoredCredential, askedAs username: [UInt8]?) -> ShareRefusal? {
        plan.refusal(of: credential, askedAs: username, on: host) {
            let resolver = ContextResolver(with: dependencies)
            return (try? resolver.credentialContext(of: request)).map(resolver.resolved)?.signInHost != nil
        }
    }

    /// Nil where nobody signs in.
    func signIn(of credential: StoredCredential) throws -> SignInContext? {
        try ContextResolver(with: dependencies).signInContext(
            of: CredentialContext(of: request), username: credential.username)
    }
}

/// One try a minute for each host, whatever comes of it.
struct OncePerMinute {
    /// Milliseconds of uptime, by host.
    private var last: [[UInt8]: Int64] = [:]

    func allows(_ host: SharePlan.Host, at now: Int64) -> Bool {
        last[host.name].map { now - $0 >= 60_000 } ?? true
    }

    mutating func note(_ host: SharePlan.Host, at now: Int64) { last[host.name] = now }
}

extension SharePlan {
    /// Nil if the place may have the credential, the only one that comes into question.
    ///
    /// Where we sign in, the case of a name does not matter; that is asked only if it makes a difference.
    package func refusal(
        of credential: StoredCredential, askedAs username: [UInt8]?, on host: SharePlan.Host,
        isSignInHost: () -> Bool
    ) -> ShareRefusal? {
        func isMeant(_ name: [UInt8]?) -> Bool {
            guard let name, name != credential.username else { return true }
            return ASCII.equalsIgnoringCase(name, credential.username) && isSignInHost()
        }
        guard isMeant(host.username), isMeant(username) else { return .otherAccount }
        // Through a gateway, it does not leave this machine.
        guard case .token(let terms) = access else { return nil }
        // Such a credential has no name and no password that git's cache could print.
        guard credential.authtype == nil else { return .notAPassword }
        guard terms.isLongLived || !credential.isEndless else { return .doesNotExpire }
        return nil
    }
}

extension StoredCredential {
    /// A grant without its access token has one that has expired, by its own word.
    fileprivate var isEndless: Bool { passwordExpiryUTC == nil }
}
