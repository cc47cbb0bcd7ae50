import Staging

/// One run: rounds of work, with comparisons and measurements between them.
final class SoakRun {
    /// The measurements between two rounds.
    struct Pause: Sendable {
        let hits: Sample
        let renewals: Sample
        let census: Census
        /// Rounds since the keyring's daemon was started; its memory grows with use.
        let daemonAge: Int
    }

    let operations: Int
    let seed: UInt64
    private(set) var pauses: [Pause] = []
    private(set) var first = Census()
    private(set) var last = Census()
    private(set) var daemonDeaths = 0
    private let begun = ContinuousClock.now
    private let machine: Machine
    private let workers: [Worker]
    private let rounds: Int
    private let operationsEach: Int
    private var daemonAge = 0
    private var random: SeededGenerator

    init(operations: Int, seed: UInt64) async throws {
        self.operations = operations
        self.seed = seed
        random = SeededGenerator(seed: seed)
        rounds = max(8, min(100, operations / 500))
        operationsEach = max(1, operations / rounds / Soak.workers)
        let machine = try await Machine()
        self.machine = machine
        var workers: [Worker] = []
        for number in 0..<Soak.workers {
            workers.append(try await Worker(number, accounts: Soak.accounts / Soak.workers, seed: seed, on: machine))
        }
        self.workers = workers
    }

    func work() async throws {
        try await each { try await $0.recover() }
        first = try await machine.census()
        for round in 0..<rounds {
            let count = operationsEach
            try await each { try await $0.work(count) }
            // Kill the daemon every four rounds, and stop it for a while in between.
            if round % 4 == 2 { try await loseDaemon() }
            if round % 4 == 0 { try await stopDaemon() }
            daemonAge += 1
            try await look(after: round)
        }
        try await each { try await $0.recover() }
        last = try await machine.census()
        try await compare(in: rounds)
    }

    /// Runs `body` for all workers at the same time.
    private func each(_ body: @escaping @Sendable (Worker) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in workers { group.addTask { try await body(worker) } }
            try await group.waitForAll()
        }
    }

    /// Kills the keyring's daemon while every worker renews a token; the bus starts a locked one, which is unlocked.
    private func loseDaemon() async throws {
        let moment = Duration.microseconds(Int.random(in: 0..<60_000, using: &random))
        let machine = machine
        var aged: [(worker: Worker, position: Int)] = []
        for worker in workers { aged.append((worker, try await worker.chooseAged())) }
        let chosen = aged
        let settlements = try await withThrowingTaskGroup(of: (@Sendable () async throws -> Void).self) { group in
            for (worker, position) in chosen { group.addTask { try await worker.renewWhileKeyringDies(position) } }
            // Sleep for a varying time: no event marks these moments.
            try await Task.sleep(for: moment)
            try await machine.killDaemon()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        daemonDeaths += 1
        daemonAge = 0
        try await each { try await $0.getWithoutKeyring("is locked") }
        try await machine.unlock()
        for settle in settlements { try await settle() }
    }

    /// Asks for tokens while the daemon is stopped.
    private func stopDaemon() async throws {
        let worker = workers[Int.random(in: workers.indices, using: &random)]
        try await machine.whileDaemonIsStopped { try await worker.getWithoutKeyring("does not answer") }
        await worker.count("keyring: stopped")
    }

    /// Compares the keyring, times some runs and counts.
    private func look(after round: Int) async throws {
        try await compare(in: round)
        var hits = Sample()
        var renewals = Sample()
        for worker in workers {
            hits.add(try await worker.sampleHits(10))
            renewals.add(try await worker.sampleRenewals(3))
        }
        let census = try await machine.census()
        pauses.append(Pause(hits: hits, renewals: renewals, census: census, daemonAge: daemonAge))
        let operations = await total(\.operations)
        let wrong = await total(\.wrong.count)
        print(
            "soak: seed \(seed): round \(round + 1) of \(rounds), \(operations) operations, \(wrong) wrong, "
                + "\(census.items) items, hit \(hits.durations.quantile(0.5).milliseconds) ms, after \(elapsed) s")
        fflush(nil)
    }

    /// Compares the whole keyring with the expected items.
    private func compare(in round: Int) async throws {
        let items = try await machine.session.items()
        var expected = 0
        for worker in workers { expected += try await worker.compare(with: items) }
        if items.count != expected {
            await workers.first?.complain("\(items.count) items after round \(round), and not \(expected)")
        }
    }

    var elapsed: Int { Int((ContinuousClock.now - begun).components.seconds) }

    /// The sum of a tally over all workers.
    func total(_ part: any KeyPath<Worker.Tally, Int> & Sendable) async -> Int {
        var sum = 0
        for worker in workers { sum += await worker.tally[keyPath: part] }
        return sum
    }

    func faults() async -> [String: Int] {
        var faults = ["keyring: killed": daemonDeaths]
        for worker in workers { faults.merge(await worker.tally.faults) { $0 + $1 } }
        return faults
    }

    /// How many refreshes the servers received, and how many of them with a used refresh token.
    var refreshes: (all: Int, again: Int) {
        (
            workers.map { $0.server.count(of: .refresh) }.reduce(0, +),
            workers.map(\.server.refreshTokenReuses).reduce(0, +)
        )
    }

    /// Stops the servers.
    func end() async {
        for worker in workers { await worker.server.stop() }
    }
}
