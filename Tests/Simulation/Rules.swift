internal import CredentialCore
internal import Helper
internal import TestSupport

/// The rules of the model (Tests/Model) and of the design, checked after each write, request and run.
final class Rules {
    private unowned let simulation: Simulation
    private(set) var prompts = 0
    /// The erased tokens and when they were erased, by `serial`; they must not be returned again.
    private var erased: [String: Int] = [:]
    /// The last moment without a refreshable grant for each account, by `serial`.
    private var ungranted: [Account: Int] = [:]
    /// The last write of each account's item, by `serial`.
    private var written: [Account: Int] = [:]
    private var beginnings: [ObjectIdentifier: (serial: Int, faults: Int)] = [:]
    init(_ simulation: Simulation) { self.simulation = simulation }

    private func check(_ holds: Bool, _ rule: String, _ what: @autoclosure () -> String) {
        if !holds { simulation.fail(rule, what()) }
    }

    // MARK: Refresh tokens

    func exchanging(_ pair: Pair, _ outside: Outside) {
        let name = "\(outside.name), \(pair.refreshToken ?? "")"
        let lock = LockName.account(Array(pair.account.name.utf8), on: pair.account.site.name)
        check(outside.holds(lock), "no refresh without the account's lock", name)
        guard pair.isSpent, let successor = pair.successor, !simulation.plan.isApart else { return }
        check(successor.isLost, "no refresh token is used twice", name)
    }

    /// Checks a failed save of a refreshed pair.
    func couldNotSave(_ outside: Outside) {
        guard outside.hand.contains(where: { !$0.wasSaved && $0.predecessor != nil }) else { return }
        let before = outside.faultsWhenWritable
        check(before >= 0 && simulation.keyringFaults > before, "no token is spent that nobody can save", outside.name)
        for pair in outside.hand where !pair.wasSaved { pair.isLost = true }
    }

    // MARK: Keyring

    func wrote(_ new: Simulation.Entry?, over old: Simulation.Entry?, _ outside: Outside) {
        simulation.serial += 1
        if let new { simulation.log { "\(outside.name): the keyring has \(new.credential.password.text)" } }
        if let old { checkLoss(of: old, new, outside) }
        // A failing keyring may hide an item; the new token is still saved.
        if let new, simulation.plan.hasLockDirectory, !simulation.plan.isApart, simulation.keyringFaults == 0 {
            let items = simulation.visible.filter { $0.account == new.account }
            check(items.count == 1, "nobody is stored twice", "\(outside.name): \(new.account)")
        }
        if outside.action.operation == .store {
            if let old { check(!isProtected(old), "no store changes a sign-in", "\(outside.name): \(old.account)") }
            erased[new?.credential.password.text ?? ""] = nil
        }
        if let new, new.credential.grant != nil, let pair = new.refreshable ?? new.pair, !pair.wasSaved {
            let lock = LockName.account(new.item.attributes.user ?? [], on: new.account.site.name)
            check(outside.holds(lock), "a new pair is saved inside the account's lock", outside.name)
            if let before = pair.predecessor, !simulation.plan.isApart {
                check(
                    old?.refreshable === before, "no sign-out or sign-in is undone by a refresh",
                    "\(outside.name): \(pair.accessToken)")
            }
            pair.wasSaved = true
        }
        if let new { written[new.account] = simulation.serial }
        if let account = (new ?? old)?.account, old?.refreshable == nil || new?.refreshable == nil {
            ungranted[account] = simulation.serial
        }
    }

    /// Checks that a write drops valid tokens only for a permitted reason.
    private func checkLoss(of old: Simulation.Entry, _ new: Simulation.Entry?, _ outside: Outside) {
        let isNewSignIn = outside.hand.contains { $0 === new?.pair && $0.predecessor == nil }
        let isRejected = outside.action.password == old.credential.password.text
        let isErased = outside.action.operation == .erase && (outside.action.password == nil || isRejected)
        let isSignedOut = outside.action.name == "logout"
        if let pair = old.refreshable, new?.refreshable !== pair {
            let wasJustRefused = [outside.begin, simulation.now].contains {
                old.credential.grant?.wasJustRefused(at: $0) == true
            }
            let isOnPurpose = isNewSignIn || isSignedOut || isErased && (outside.action.isByPerson || wasJustRefused)
            check(
                pair.isSpent || isOnPurpose, "no good refresh token is dropped",
                "\(outside.name): \(pair.refreshToken ?? "")")
            if isOnPurpose { pair.isGivenUp = true }
        }
        if old.credential.grant != nil, let pair = old.pair, new?.credential.password != old.credential.password {
            let isOnPurpose = isNewSignIn || isSignedOut || isErased
            check(
                !pair.isAccepted(at: simulation.now) || isOnPurpose, "no good token is dropped",
                "\(outside.name): \(pair.accessToken)")
            if isOnPurpose, pair.refreshToken == nil { pair.isGivenUp = true }
        }
    }

    private func isProtected(_ entry: Simulation.Entry) -> Bool {
        guard !simulation.refusedTokens.contains(where: { $0.token == entry.credential.password.text }) else {
            return false
        }
        return entry.credential.isProtected(at: simulation.now)
    }

    /// Checks the stored pairs after all clients have ended.
    func everyLastPairIsKept() {
        let entries = simulation.visible
        for pair in simulation.server.pairs where !pair.isLost && !pair.isGivenUp {
            if pair.refreshToken == nil ? pair.isRejected : pair.isSpent { continue }
            let isKept = entries.contains { $0.refreshable ?? $0.pair === pair }
            check(isKept, "the last good pair is in the keyring", pair.accessToken)
        }
        for entry in entries {
            guard let refreshable = entry.refreshable, !entry.credential.password.isEmpty else { continue }
            check(entry.pair === refreshable, "both tokens are of one pair", "\(entry.account)")
        }
    }

    // MARK: Sign-ins

    func prompted(_ outside: Outside) {
        prompts += 1
        let client = outside.client
        let asked = LockName.signIn(as: client.username.map { Array($0.utf8) }, on: client.site.name)
        check(outside.holds(asked), "a sign-in has its lock", outside.name)
        guard outside.action.operation == .get else { return }
        let refusal = simulation.refusals.last { $0.lock == asked.text && $0.command == client.command }
        check(
            (refusal?.time ?? .min) < outside.started || (refusal?.time ?? .min) > outside.whenLocked.time,
            "one no is a no", outside.name)
        let signedIn = simulation.visible.first { entry in
            guard case .fresh = entry.credential.condition(at: simulation.now, margin: 300) else { return false }
            return entry.account.site == client.site && client.username.map { $0 == entry.account.name } ?? true
                && isProtected(entry) && (written[entry.account] ?? 0) < outside.whenLocked.serial
        }
        check(
            signedIn == nil || simulation.keyringFaults != outside.whenLocked.faults || simulation.outage != nil,
            "one sign-in for all who wait", outside.name)
    }

    func needsSignIn(_ account: Account) -> Bool {
        guard let entry = simulation.visible.first(where: { $0.account == account }) else { return true }
        let refused = simulation.refusedTokens.last { $0.token == entry.credential.password.text }
        guard let pair = entry.refreshable else {
            return refused != nil || entry.pair?.isAccepted(at: simulation.now + 300) != true
        }
        // Rejected twice in a minute, while the keyring could not be written.
        let isExhausted = refused.map { entry.credential.grant?.wasJustRefused(at: $0.time) == true } ?? false
        return pair.isSpent || isExhausted
    }

    // MARK: From begin to end

    func began(_ outside: Outside) {
        simulation.serial += 1
        beginnings[ObjectIdentifier(outside)] = (simulation.serial, simulation.keyringFaults)
    }

    /// Checks a run's end; `answer` is the returned password, or `nil`.
    func ended(_ outside: Outside, _ answer: String?) {
        simulation.serial += 1
        let beginning = beginnings.removeValue(forKey: ObjectIdentifier(outside)) ?? (0, 0)
        for pair in outside.hand where !pair.wasSaved {
            check(
                !outside.errors.isEmpty || pair.predecessor == nil && outside.isCancelled, "no pair is lost silently",
                "\(outside.name): \(pair.accessToken)")
            check(
                pair.predecessor == nil || pair.isLost || simulation.keyringFaults > outside.faultsWhenWritable,
                "signals wait for a new pair", "\(outside.name): \(pair.accessToken)")
            pair.isLost = true
        }
        if let answer { checkAnswer(answer, outside, beginning) }
        if outside.action.operation == .erase, let password = outside.action.password, simulation.plan.hasLockDirectory,
            !outside.isInterrupted
        {
            erased[password] = simulation.serial
        }
        let jumped = simulation.jumped - outside.jumpedBefore + outside.stopped
        let milliseconds = simulation.uptime - outside.started - jumped
        let maySignIn = outside.client.hasPerson && outside.action.maySignIn
        let limit: Int64 = maySignIn ? 7_200_000 : 300_000
        check(milliseconds <= limit, "every call ends in time", "\(outside.name): \(milliseconds) ms")
    }

    private func checkAnswer(_ answer: String, _ outside: Outside, _ beginning: (serial: Int, faults: Int)) {
        let what = "\(outside.name): \(answer)"
        if let time = erased[answer] { check(time >= beginning.serial, "no answer with an erased token", what) }
        let pair = simulation.server.pair(of: answer)
        if let pair {
            check(pair.wasSaved || pair.isLost, "a pair is saved before it is used", what)
            check(pair.account.site == outside.client.site, "no token to another host", what)
        }
        // With several accounts, check the choice only if nothing relevant has changed since the run began.
        guard outside.client.username == nil, outside.hand.isEmpty, simulation.refusedTokens.isEmpty,
            simulation.keyringFaults == beginning.faults, !simulation.plan.isApart,
            (simulation.lastMoves[outside.client.site] ?? 0) < beginning.serial
        else { return }
        let grants = simulation.visible.filter {
            $0.account.site == outside.client.site && $0.refreshable != nil
                && (ungranted[$0.account] ?? 0) < beginning.serial
        }
        guard let first = grants.min(by: { ($0.credential.grant?.since ?? 0) < ($1.credential.grant?.since ?? 0) })
        else { return }
        check(pair != nil, "no store outranks a sign-in", what)
        if grants.count > 1, let pair {
            let other = grants.first { $0.account == pair.account }
            check(
                pair.account == first.account || other?.credential.grant?.since == first.credential.grant?.since,
                "the older sign-in is the answer", what)
        }
    }

    /// Checks rejections without a person: at most two tokens of each account, and no token twice.
    func rejectedClient(got token: String, after seen: [String]) {
        guard simulation.plan.rejects, simulation.jumped == 0, !simulation.hasStopped, simulation.plan.hasLockDirectory
        else { return }
        check(!seen.contains(token), "no rejected token is returned again", token)
        let account = simulation.server.pair(of: token)?.account
        let before = seen.filter { simulation.server.pair(of: $0)?.account == account }
        check(before.count < 2, "rejections end", "\(before + [token])")
    }
}
