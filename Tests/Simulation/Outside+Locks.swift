internal import CredentialCore
internal import Helper
internal import TestSupport

extension Outside: Locks {
    func acquire(
        _ name: LockName, within milliseconds: Int64, whileWaiting: () -> Bool
    ) throws(LockError) -> any HeldLock {
        guard simulation.plan.hasLockDirectory else { throw .impossible }
        step("lock \(name.text.prefix(16))")
        let start = simulation.uptime
        while true {
            // The current file: after a log-out, it is a new one.
            let file = simulation.lockFile("\(place) \(name.text)")
            let before = simulation.locks[file]?.givenUp ?? 0
            try wait(for: file, until: start + milliseconds, whileWaiting)
            var lock = simulation.locks[file] ?? Simulation.Lock()
            lock.holder = self
            simulation.locks[file] = lock
            guard file == simulation.lockFile("\(place) \(name.text)") else {
                simulation.locks[file]?.holder = nil
                continue
            }
            heldLocks.insert(file)
            if name.text.hasPrefix("sign-in") {
                simulation.serial += 1
                whenLocked = (simulation.uptime, simulation.serial, simulation.keyringFaults)
            }
            return SimulatedLock(self, file, predecessorGaveUp: lock.givenUp != before)
        }
    }

    private func wait(for file: String, until end: Int64, _ whileWaiting: () -> Bool) throws(LockError) {
        var pause: Int64 = 50
        while isAlive, simulation.locks[file]?.holder != nil {
            guard simulation.uptime < end else { throw .timedOut }
            guard whileWaiting() else { throw .stopped }
            step("waits for lock \(file.prefix(18))", pause)
            // Wait longer each time, so that waiting does not use up the schedule's steps.
            pause = min(2 * pause, 3_000)
        }
        guard isAlive else { throw .stopped }
    }

    func secondsSinceGivingUp(_ name: LockName) -> Int64? { nil }
    func holds(_ name: LockName) -> Bool { heldLocks.contains(simulation.lockFile("\(place) \(name.text)")) }
}

private final class SimulatedLock: HeldLock {
    private let outside: Outside
    private let key: String
    let predecessorGaveUp: Bool

    init(_ outside: Outside, _ key: String, predecessorGaveUp: Bool) {
        self.outside = outside
        self.key = key
        self.predecessorGaveUp = predecessorGaveUp
    }

    func giveUp() {
        guard outside.isAlive else { return }
        outside.simulation.serial += 1
        outside.simulation.locks[key]?.givenUp = outside.simulation.serial
    }

    func release() {
        outside.step("unlock \(key.prefix(18))")
        guard outside.isAlive else { return }
        outside.heldLocks.remove(key)
        outside.simulation.locks[key]?.holder = nil
    }
}

// MARK: What processes tell each other

extension Outside: SignInNotes, RefusedTokens {
    func refusal(of signIn: LockName) -> SignInRefusal? {
        step("reads refusals")
        return simulation.refusals.contains { $0.lock == signIn.text && $0.command == client.command }
            ? .inThisCommand : nil
    }

    func noteRefusal(of signIn: LockName) {
        guard isAlive, simulation.plan.hasLockDirectory else { return }
        simulation.refusals.append((signIn.text, client.command, simulation.uptime))
    }

    func noteStart(of signIn: LockName) {}
    func noteEnd(of signIn: LockName) {}
    func place(of signIn: LockName) -> SignInLocation? { .elsewhere }
    func noteCode(_ code: NotedCode, of signIn: LockName) {}
    func code(of signIn: LockName) -> NotedCode? { nil }
    func cancel(_ signIn: LockName) {}
    func cancellation(of signIn: LockName) -> (any SignInCancellation)? { nil }

    /// Keeps refused tokens of an account until a lookup of another one, which means that the token was replaced.
    func refusal(of token: Secret, for account: LockName) -> Int64? {
        let known = simulation.refusedTokens.filter { $0.account == account.text }
        guard !known.isEmpty, isAlive else { return nil }
        step("reads refused tokens")
        if let refusal = known.last(where: { $0.token == token.text }) { return refusal.time }
        simulation.refusedTokens.removeAll { $0.account == account.text }
        return nil
    }

    func remember(_ token: Secret, for account: LockName) {
        step("remembers a refused token")
        guard isAlive, simulation.plan.hasLockDirectory else { return }
        simulation.refusedTokens.removeAll { $0.account == account.text && $0.token == token.text }
        let others = simulation.refusedTokens.filter { $0.account != account.text }
        let own = simulation.refusedTokens.filter { $0.account == account.text }.suffix(1)
        simulation.refusedTokens = others + own + [(account.text, token.text, simulation.now)]
    }
}
