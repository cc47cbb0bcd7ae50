internal import CredentialCore
internal import Helper

extension Outside: Locks {
    func acquire(
        _ name: LockName, within milliseconds: Int64, whileWaiting: () -> Bool
    ) throws(LockError) -> any HeldLock {
        guard simulation.plan.hasLockDirectory else { throw .impossible }
        step("lock \(name.text.prefix(16))")
        let key = "\(place) \(name.text)"
        let start = simulation.uptime
        let before = simulation.locks[key]?.givenUp ?? 0
        var pause: Int64 = 50
        while isAlive, simulation.locks[key]?.holder != nil {
            guard simulation.uptime - start < milliseconds else { throw .timedOut }
            guard whileWaiting() else { throw .stopped }
            step("waits for lock \(name.text.prefix(16))", pause)
            // Rarely, lest most steps of a schedule be such looks.
            pause = min(2 * pause, 3_000)
        }
        guard isAlive else { throw .stopped }
        var lock = simulation.locks[key] ?? Simulation.Lock()
        lock.holder = self
        simulation.locks[key] = lock
        heldLocks.insert(key)
        if name.text.hasPrefix("sign-in") {
            simulation.serial += 1
            whenLocked = (simulation.uptime, simulation.serial, simulation.keyringFaults)
        }
        return SimulatedLock(self, key, predecessorGaveUp: lock.givenUp != before)
    }

    func secondsSinceGivingUp(_ name: LockName) -> Int64? { nil }

    func holds(_ name: LockName) -> Bool { heldLocks.contains("\(place) \(name.text)") }
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

    /// As in a file that keeps two of an account until another token is stored.
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
