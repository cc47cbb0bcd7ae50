internal import CredentialCore
internal import TestSupport

/// One schedule, determined by its seed: time, network, keyring, people, and which run continues.
final class Simulation {
    enum Outage { case down, locked }
    enum NetworkFault { case unreachable, unavailable, mistake, responseLost }

    struct Lock {
        var holder: Outside?
        /// Counts the holders that gave up.
        var givenUp = 0
    }

    /// The limit of steps, far above what any schedule needs.
    private static let mostSteps = 60_000
    /// The calendar time at the start of each schedule, in seconds since 1970.
    private static let start: Int64 = 1_700_000_000
    nonisolated(unsafe) private static let coroutines = (0..<9).map { _ in Coroutine() }
    var random: SeededGenerator
    var plan: Plan
    let server = Server()
    private(set) lazy var rules = Rules(self)
    private(set) var uptime: Int64 = 5_000_000
    /// The total of all time jumps, in milliseconds.
    private(set) var jumped: Int64 = 0
    private(set) var hasStopped = false
    /// The number of the last event.
    var serial = 0
    let keyring = InMemoryKeyring()
    /// git's credential cache, used if the keyring has no collection.
    let memory = InMemoryKeyring(storage: .memory)
    let mayUseMemory: Bool
    /// Whether some of the refreshing clients are places behind a gateway.
    let hasPlaces: Bool
    var hasCollection: Bool { keyring.writeFault == nil }
    /// The last move of an account from the cache to the keyring, by `serial`: a run that reads both meanwhile may miss
    /// it.
    var lastMoves: [Site: Int] = [:]
    private(set) var outage: Outage? {
        didSet {
            keyring.isLocked = outage == .locked
            keyring.unlocking = outage == .locked ? .locked : nil
        }
    }
    private(set) var keyringFaults = 0
    var locks: [String: Lock] = [:]
    private var removals = 0
    var refusals: [(lock: String, command: Int, time: Int64)] = []
    var refusedTokens: [(account: String, token: String, time: Int64)] = []
    private(set) var violation: String?
    private let isTraced: Bool
    private(set) var steps = 0

    init(seed: UInt64, isTraced: Bool = false) {
        self.isTraced = isTraced
        random = SeededGenerator(seed: seed)
        plan = Plan(&random)
        plan.logsOut = seed % 100 == 99
        // Taken from the seed, not drawn, so that all other schedules stay the same.
        mayUseMemory = seed % 8 == 5
        hasPlaces = [3, 13].contains(seed % 16)
        if mayUseMemory { keyring.writeFault = .noCollection }
        server.rejectsAll = plan.rejects
        server.punishesReuse = random.next(below: 2) == 0
        if random.next(below: 5) == 0 { server.issuesExpiring.remove(.github) }
        for account in Client.accounts where random.next(below: 10) < 7 { begin(account) }
    }

    var now: Int64 { Self.start + (uptime - 5_000_000) / 1_000 }
    func log(_ what: () -> String) { if isTraced { print("\(uptime - 5_000_000) ms: \(what())") } }

    func fail(_ rule: String, _ what: String) {
        log { "VIOLATION: \(rule): \(what)" }
        if violation == nil { violation = "\(rule): \(what)" }
    }

    // MARK: Schedule

    /// Runs the schedule; returns the violated rule with its details, or `nil`.
    func run() -> String? {
        log { "\(self.plan)" }
        for entry in visible { log { "stored: \(entry.account), \(entry.pair?.accessToken ?? "a password")" } }
        play((1...8).map { Client($0, self) })
        rules.everyLastPairIsKept()
        recover()
        return violation
    }

    /// Ends all faults, and checks that every account works without needless sign-ins.
    private func recover() {
        guard violation == nil else { return }
        plan.calmDown()
        server.rejectsAll = false
        outage = nil
        uptime += 120_000
        log { "all is well again" }
        for (number, account) in Client.accounts.enumerated() { play([Client(9 + number, self, recovering: account)]) }
    }

    private func play(_ clients: [Client]) {
        for (client, coroutine) in zip(clients, Self.coroutines) { coroutine.begin(client.live) }
        var current = 0
        var running: [Int] = []
        while true {
            running.removeAll(keepingCapacity: true)
            var next = Int64.max
            for index in clients.indices where !Self.coroutines[index].hasEnded {
                next = min(next, clients[index].wakeTime)
                if clients[index].wakeTime <= uptime { running.append(index) }
            }
            guard next < .max else { return }
            steps += 1
            if steps > Self.mostSteps, violation == nil { fail("every call ends", "\(steps) steps") }
            if violation != nil {
                // Let the killed runs continue to their ends, without effect.
                for index in clients.indices {
                    if clients[index].outside?.isAlive == true { clients[index].outside?.kill() }
                    while !Self.coroutines[index].hasEnded { Self.coroutines[index].resume() }
                }
                return
            }
            if running.isEmpty {
                uptime = next
                continue
            }
            if !running.contains(current) || random.next(below: 100) >= plan.stickiness {
                current = running[random.next(below: running.count)]
            }
            if random.next(below: plan.disturbance) == 0 { disturb(clients[current]) }
            if clients[current].wakeTime <= uptime { Self.coroutines[current].resume() }
        }
    }

    /// Suspends the client's coroutine, which must be running.
    func handOver(_ client: Client, _ milliseconds: Int64) {
        client.wakeTime = uptime + milliseconds
        Self.coroutines[client.seat].suspend()
    }

    private func disturb(_ client: Client) {
        if !hasCollection, random.next(below: 3) == 0 {
            keyring.writeFault = nil
            return log { "somebody makes a collection" }
        }
        switch random.next(below: 6) {
        case 0 where plan.logsOut: logOut()
        case 0 where plan.kills > 0:
            guard let outside = client.outside, outside.isAlive else { return }
            plan.kills -= 1
            outside.kill()
        case 1 where plan.signals > 0:
            plan.signals -= 1
            client.outside?.signal()
        case 2 where outage != nil: outage = nil
        case 2 where plan.outages > 0:
            plan.outages -= 1
            keyringFaults += 1
            outage = random.next(below: 2) == 0 ? .down : .locked
            log { "the keyring is \(self.outage == .down ? "unreachable" : "locked")" }
        case 3 where plan.jumps > 0:
            plan.jumps -= 1
            let milliseconds: Int64 = random.next(below: 2) == 0 ? 61_000 : Server.lifetime * 1_000
            log { "\(milliseconds) ms pass" }
            jumped += milliseconds
            uptime += milliseconds
        case 4 where plan.revocations > 0:
            guard let pair = server.pairs.last(where: { !$0.isSpent }) else { return }
            plan.revocations -= 1
            log { "\(pair.account) is revoked" }
            pair.revoke()
        case 5 where plan.stops > 0:
            guard let outside = client.outside, client.wakeTime <= uptime else { return }
            plan.stops -= 1
            hasStopped = true
            outside.stop(milliseconds: 3_600_000)
            client.wakeTime = uptime + 3_600_000
        default: return
        }
    }

    /// Simulates the last log-out: kills the holders of locks and removes the files, which waiting runs still have
    /// open.
    private func logOut() {
        let holders = locks.sorted { $0.key < $1.key }.compactMap(\.value.holder)
        guard !holders.isEmpty else { return }
        log { "LOGGED OUT" }
        for holder in holders where holder.isAlive { holder.kill() }
        removals += 1
    }

    /// The current file of a lock.
    func lockFile(_ name: String) -> String { "\(name) \(removals)" }

    // MARK: What the seed decides

    func latency() -> Int64 { random.next(below: 4) == 0 ? Int64(random.next(below: 400)) : 0 }

    func networkFault() -> NetworkFault? {
        guard random.next(below: 1_000) < plan.networkFaults else { return nil }
        return [.unreachable, .unavailable, .mistake, .responseLost][random.next(below: 4)]
    }

    func keyringFails() -> Bool {
        if outage == .down { return true }
        guard random.next(below: 1_000) < plan.keyringFaults else { return false }
        keyringFaults += 1
        return true
    }

    func personActs(on userCode: String, _ client: Client) {
        let account = Account(site: client.site, name: client.username ?? "alice")
        let time = uptime + 1_000 + Int64(random.next(below: 30_000))
        switch plan.isPersonPatient ? 9 : random.next(below: 20) {
        case 0: server.person(at: userCode, approvesAs: nil, declines: true, at: time)
        case 1: break
        case 2: client.outside?.signal()
        case 3, 4:
            let other = Account(site: client.site, name: account.name == "alice" ? "bob" : "alice")
            server.person(at: userCode, approvesAs: other, declines: false, at: time)
        default: server.person(at: userCode, approvesAs: account, declines: false, at: time)
        }
    }

    func releaseLocks(of outside: Outside) {
        for key in outside.heldLocks { locks[key]?.holder = nil }
        outside.heldLocks = []
    }
}

extension SeededGenerator { mutating func next(below bound: Int) -> Int { Int(next() % UInt64(bound)) } }
