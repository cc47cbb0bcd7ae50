internal import CredentialCore
package import Helper
internal import Providers

/// The credentials of one share, and the decision whether a request gets one: time, sign-in, consent, refresh.
///
/// A share has one process with one thread: concurrent requests wait in line, and share one prompt and one refresh.
package final class ShareCredentials {
    package let plan: SharePlan
    let dependencies: () -> Dependencies
    private let screen: any ShareScreen
    let clock: any Clock
    let tell: (ShareEvent) -> Void
    private var consent: ShareConsent
    /// The checks of tokens that the target reported as rejected.
    private var checks = OncePerMinute()
    /// The refreshes that the target caused; each invalidates the token that the person's own programs use.
    private var refreshes = OncePerMinute()
    /// The times of the pull requests of the last hour, in seconds since 1970.
    var opened: [Int64]
    let words: RepositoryWords

    /// Seconds of validity below which a token is refreshed first, or a quarter of its lifetime if that is less.
    ///
    /// The target cannot exchange a token later, and a long clone must not outlive it.
    private static let margin: Int64 = 600

    /// Dependencies are created for each request, since keyring, bus and settings change within hours.
    package init(
        for plan: SharePlan, screen: any ShareScreen, clock: any Clock, openedBefore opened: [Int64] = [],
        words: @escaping RepositoryWords, dependencies: @escaping () -> Dependencies,
        tell: @escaping (ShareEvent) -> Void
    ) {
        self.plan = plan
        consent = ShareConsent(for: plan)
        self.screen = screen
        self.clock = clock
        self.opened = opened.sorted()
        self.words = words
        self.dependencies = {
            var dependencies = dependencies()
            let environment = dependencies.environment
            let margin = max(Self.margin, SignInSettings.minValidity(environment: environment))
            // Another process may have refreshed under the lock: the same minimum applies to its token.
            dependencies.environment = { $0 == "GITSPACE_MIN_VALIDITY" ? String(margin) : environment($0) }
            return dependencies
        }
        self.tell = tell
    }

    /// Whether a yes would be lost if the process ended now.
    package var isHolding: Bool { consent.isHeld(at: clock.uptimeMilliseconds) }

    /// Forgets the person's yes if the screen is locked, and brings the record up to date; call regularly.
    package func tick() {
        if isHolding, screen.isLocked == true { consent.forget() }
        tell(.flush)
    }

    func checkTime() throws(ShareRefusal) {
        if let end = plan.end, clock.uptimeMilliseconds >= end.uptime { throw .elapsed }
    }

    /// Whether a user of this machine may connect; other connections are logged, and closed unread.
    ///
    /// Admits our own user, and root, who is the user of rootful containers. This check keeps other users of the
    /// machine out, but does not identify a target: ssh connects as us for every user of the other machine.
    package func admits(user: UInt32, own: UInt32) -> Bool {
        // The ID of users that our namespace does not map: user_namespaces(7), "Unmapped user and group IDs".
        let isAdmitted = user != 65_534 && (user == own || user == 0)
        if !isAdmitted { tell(.turnedAway(user: user)) }
        return isAdmitted
    }

    func lookup(for host: SharePlan.Host) throws(ShareRefusal) -> ShareLookup {
        try ShareLookup(for: host, of: plan, with: dependencies())
    }

    /// The stored credential, if the target may have it, and the person allows it if asked.
    ///
    /// `arrival` is in milliseconds of uptime; `whileWaiting` is called while waiting for the person.
    func allowed(
        _ lookup: ShareLookup, askedAs username: [UInt8]?, _ arrival: Int64, _ whileWaiting: () -> Void,
        for intention: GatewayIntention? = nil, isAsked: Bool = true
    ) throws(ShareRefusal) -> StoredMatch {
        let found = try lookup.find()
        if let refusal = lookup.refusal(of: found.credential, askedAs: username) { throw refusal }
        guard isAsked, try consult(lookup.host, found.credential.username, intention, arrival, whileWaiting) else {
            return found
        }
        // Meanwhile, the time may be over, or the person may have signed out.
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

    /// Asks the person if necessary; returns true only if the person was asked now and agreed.
    private func consult(
        _ host: SharePlan.Host, _ username: [UInt8], _ intention: GatewayIntention?, _ arrival: Int64,
        _ whileWaiting: () -> Void
    ) throws(ShareRefusal) -> Bool {
        guard plan.confirmation != .never else { return false }
        // A locked screen shows nothing, or shows it to strangers. No question was asked, so no silence follows. If no
        // service reports the lock, the notification service decides.
        if screen.isLocked == true {
            consent.forget()
            throw .locked
        }
        let subject = ShareRecord.Account(host: host.name, username: username)
        if try consent.covers(subject, arrivedAt: arrival, now: clock.uptimeMilliseconds) { return false }
        let question = SharePrompt(
            plan: plan, host: subject.shownHost, username: subject.shownName, intention: intention)
        let refusal = screen.ask(question, whileWaiting: whileWaiting)
        consent.record(refusal, of: subject, now: clock.uptimeMilliseconds)
        if let refusal { throw refusal }
        return true
    }

    /// ④ Refreshes a token that is about to expire, under the common lock; never signs in.
    ///
    /// Refreshes are at least a minute apart; meanwhile, the old token is used while it is valid.
    private func renew(
        _ found: StoredMatch, _ lookup: ShareLookup, isForced: Bool = false
    ) throws(ShareRefusal) -> StoredCredential {
        let (host, dependencies) = (lookup.host, lookup.dependencies)
        func unchanged(or refusal: ShareRefusal) throws(ShareRefusal) -> StoredCredential {
            guard !isForced, let credential = try? valid(found.credential) else { throw refusal }
            return credential
        }
        let now = clock.uptimeMilliseconds
        guard refreshes.allows(host, at: now) else { return try unchanged(or: .expired) }
        if found.credential.isRefreshable { refreshes.note(host, at: now) }
        let signIn: SignInContext?
        do {
            signIn = try lookup.signIn(of: found.credential)
        } catch {
            return try unchanged(or: .configuration)
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

    /// Checks a place's report that its password was rejected, and deletes nothing.
    ///
    /// If the password is the stored token, asks the host, once a minute at most; refreshes what the host rejects.
    func check(_ rejection: Request, on host: SharePlan.Host) {
        guard checks.allows(host, at: clock.uptimeMilliseconds), let lookup = try? lookup(for: host),
            let found = try? lookup.find(), rejection.password == found.credential.password,
            lookup.refusal(of: found.credential, askedAs: rejection.username) == nil
        else { return }
        _ = replacement(for: found, lookup)
    }

    /// A refreshed token for one that was reported as rejected, if the host confirms; once a minute, and recorded.
    func replacement(for found: StoredMatch, _ lookup: ShareLookup) -> StoredCredential? {
        let now = clock.uptimeMilliseconds
        guard checks.allows(lookup.host, at: now), let signIn = try? lookup.signIn(of: found.credential) else {
            return nil
        }
        checks.note(lookup.host, at: now)
        let server = try? signIn.server(with: lookup.dependencies)
        guard case let account = signIn.account(found, at: server, with: lookup.dependencies),
            account.state == .revoked, account.isRefreshable,
            let renewed = try? renew(found, lookup, isForced: true), renewed.password != found.credential.password
        else { return nil }
        tell(.replaced(ShareRecord.Account(host: lookup.host.name, username: renewed.username)))
        return renewed
    }
}

/// ③ The search for the credential of one host.
struct ShareLookup {
    let host: SharePlan.Host
    let request: Request
    let dependencies: Dependencies
    private let plan: SharePlan

    init(for host: SharePlan.Host, of plan: SharePlan, with dependencies: Dependencies) throws(ShareRefusal) {
        guard let request = try? host.request else { throw .notSignedIn }
        self.host = host
        self.request = request
        self.dependencies = dependencies
        self.plan = plan
    }

    /// The credential that git would get for the host without a path.
    func find() throws(ShareRefusal) -> StoredMatch {
        let resolver = ContextResolver(with: dependencies)
        guard let context = try? resolver.credentialContext(of: request) else { throw .notSignedIn }
        if let found = try find(in: context) { return found }
        // Account names ignore case on sign-in hosts, some of which only git's configuration names.
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

    /// The refusal, or `nil` if the place may have the credential.
    func refusal(of credential: StoredCredential, askedAs username: [UInt8]?) -> ShareRefusal? {
        func isMeant(_ name: [UInt8]?) -> Bool {
            guard let name, name != credential.username else { return true }
            guard ASCII.equalsIgnoringCase(name, credential.username) else { return false }
            // Account names ignore case on sign-in hosts.
            let resolver = ContextResolver(with: dependencies)
            return (try? resolver.credentialContext(of: request)).map(resolver.resolved)?.signInHost != nil
        }
        guard isMeant(host.username), isMeant(username) else { return .otherAccount }
        // A token behind a gateway does not leave this machine.
        guard case .token(let isLongLived) = plan.access else { return nil }
        // git's cache can print only names and passwords.
        guard credential.authtype == nil else { return .notAPassword }
        // A grant without an access token has an expiry in the past.
        guard isLongLived || credential.passwordExpiryUTC != nil else { return .doesNotExpire }
        return nil
    }

    /// The sign-in of the credential, or `nil` if the host has none.
    func signIn(of credential: StoredCredential) throws -> SignInContext? {
        try ContextResolver(with: dependencies).signInContext(
            of: CredentialContext(of: request), username: credential.username)
    }
}

/// Allows one attempt a minute for each host, whatever its result.
struct OncePerMinute {
    /// The last attempts in milliseconds of uptime, by host.
    private var last: [[UInt8]: Int64] = [:]

    func allows(_ host: SharePlan.Host, at now: Int64) -> Bool { last[host.name].map { now - $0 >= 60_000 } ?? true }
    mutating func note(_ host: SharePlan.Host, at now: Int64) { last[host.name] = now }
}
