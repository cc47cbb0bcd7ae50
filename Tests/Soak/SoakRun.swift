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

    private func look(after round: Int) async throws {
        try await compare(in: round)
        var hits = Sample()
        var renewals = Sample()
        for worker in workers {
            hits.add(try await worker.sample(10, isAged: false))
            renewals.add(try await worker.sample(3, isAged: true))
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

    private func compare(in round: Int) async throws {
        let items = try await machine.session.items()
        var expected = 0
        for worker in workers { expected += try await worker.compare(with: items) }
        if items.count != expected {
            await workers.first?.complain("\(items.count) items after round \(round), and not \(expected)")
        }
    }

    var elapsed: Int { Int((ContinuousClock.now - begun).components.seconds) }

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
        workers.reduce((0, 0)) { ($0.0 + $1.server.count(of: .refresh), $0.1 + $1.server.refreshTokenReuses) }
    }

    func end() async { for worker in workers { await worker.server.stop() } }

    /// How many pairs the program may have lost: it then sends a refresh token again, not knowing that the server has
    /// accepted it.
    private static func losses(_ faults: [String: Int]) -> Int {
        let kills = (faults["program: kill -9"] ?? 0) + Soak.workers * (faults["keyring: killed"] ?? 0)
        return kills
            + Trouble.allCases.filter { $0.effect == .spent }.map { faults["server: \($0.rawValue)"] ?? 0 }.reduce(0, +)
    }

    /// The first or the last fifth of all pauses, as one sample.
    private func part(_ sample: KeyPath<Pause, Sample>, isFirst: Bool) -> Sample {
        let count = max(1, pauses.count / 5)
        let chosen = isFirst ? pauses.prefix(count) : pauses.suffix(count)
        return chosen.reduce(into: Sample()) { $0.add($1[keyPath: sample]) }
    }

    /// The daemon's memory at the end of its first and its last life of the usual length, in kB.
    private var daemonMemory: (first: Int, last: Int) {
        let old = pauses.filter { $0.daemonAge == 4 }.map(\.census.daemonMemory)
        return (old.first ?? first.daemonMemory, old.last ?? last.daemonMemory)
    }

    /// Evaluates the run; returns the page and the reasons for a failure.
    func report() async -> (text: String, failures: [String]) {
        let wrong = await total(\.wrong.count)
        var failures = wrong > 0 ? ["\(wrong) wrong answers or items"] : []
        if last.items != first.items { failures.append("\(last.items) items, once \(first.items)") }
        if last.files > first.files { failures.append("\(last.files) files, once \(first.files)") }
        if last.ownFiles > first.ownFiles { failures.append("\(last.ownFiles) files, once \(first.ownFiles)") }
        // For each account one for its item, one for its sign-in and a mark of a declined sign-in; and one for the list
        // of refused tokens.
        if last.locks - first.locks > 3 * Soak.accounts + 1 { failures.append("\(last.locks) lock files") }
        let (faults, again) = (await faults(), refreshes.again)
        let lost = Self.losses(faults)
        if again > lost {
            failures.append("\(again) refresh tokens were sent twice, though only \(lost) answers were lost")
        }
        if last.heldLocks > 0 { failures.append("\(last.heldLocks) locks are held") }
        if last.processes > 0 { failures.append("\(last.processes) processes") }
        if daemonMemory.last * 2 > daemonMemory.first * 3 { failures.append("the daemon grew") }
        for (name, sample) in [("a hit", \Pause.hits), ("a renewal", \Pause.renewals)] {
            let before = part(sample, isFirst: true).meanProcessorTime
            let after = part(sample, isFirst: false).meanProcessorTime
            // Other programs disturb the measurement.
            if after > before * 1.25 { failures.append("\(name) takes \(after) ms of CPU, once \(before)") }
        }
        return (await page(wrong), failures)
    }

    private func page(_ wrong: Int) async -> String {
        let done = await total(\.operations)
        let faults = await faults()
        let kinds = faults.sorted { $0.key < $1.key }.map { "| \($0.key) | \($0.value) |" }.joined(separator: "\n")
        let date = Date.now.formatted(.iso8601.year().month().day())
        return """
            # Soak

            `make soak` compresses long use: it uses \(Soak.accounts) accounts on \(Soak.accounts / 2) hosts in any order, \(Soak.workers) at a time, and makes
            the server, the clock, the keyring daemon and the programs themselves fail in between. An oracle knows the right
            answer for each account at each moment: which token `get` must return, whether it must be a new one, and what the
            item must contain. After each round, the run compares the whole keyring with the oracle. The run writes this page.
            A seed repeats all choices, but not how far a program had come when it was killed.

            The clock of the full program is moved with libfaketime. The front door is linked statically, so its clock cannot be
            moved. Instead, the expiry times in the keyring are changed to look as if tokens expire soon, and those of every
            fifth host really do: they can be used for 30 seconds before they must be refreshed.

            Run on \(date): `make soak OPERATIONS=\(operations) SEED=\(seed)`, \(elapsed) seconds.

            | what | |
            |---|--:|
            | operations | \(done) |
            | faults | \(faults.values.reduce(0, +)) |
            | wrong answers or items | \(wrong) |
            | refresh requests | \(refreshes.all) |
            | of these, with a refresh token whose first response was lost | \(refreshes.again) |

            | what is there | at the start | at the end |
            |---|--:|--:|
            | items in the keyring | \(first.items) | \(last.items) |
            | lock files and marks, at most three for each account | \(first.locks) | \(last.locks) |
            | locks held | \(first.heldLocks) | \(last.heldLocks) |
            | other files of gitspace | \(first.ownFiles) | \(last.ownFiles) |
            | other files in the home and the runtime directory | \(first.files) | \(last.files) |
            | processes of gitspace | \(first.processes) | \(last.processes) |
            | open files of the keyring daemon | \(first.daemonFiles) | \(last.daemonFiles) |
            | memory of the keyring daemon, equally long after its start, kB | \(daemonMemory.first) | \(daemonMemory.last) |
            | memory of the message bus, kB | \(first.busMemory) | \(last.busMemory) |
            \(timeRows("`get` with a hit", \.hits))
            \(timeRows("`get` with a refresh", \.renewals))

            For times, "at the start" is the first fifth of the rounds, and "at the end" the last fifth. These runs are timed
            one at a time between two rounds, and include the start of the program. CPU is the mean per run, on all cores.
            Other programs on the machine make the times longer, and hardly change the CPU time.

            | fault | times |
            |---|--:|
            \(kinds)

            """
    }

    private func timeRows(_ name: String, _ sample: KeyPath<Pause, Sample>) -> String {
        let before = part(sample, isFirst: true)
        let after = part(sample, isFirst: false)
        func row(_ what: String, _ value: (Sample) -> String) -> String {
            "| \(name): \(what), ms | \(value(before)) | \(value(after)) |"
        }
        return [
            row("median") { $0.durations.quantile(0.5).milliseconds },
            row("99th percentile") { $0.durations.quantile(0.99).milliseconds },
            row("CPU") { $0.meanProcessorTime.oneDecimal },
        ].joined(separator: "\n")
    }
}

extension Sample {
    mutating func add(_ other: Sample) {
        durations += other.durations
        processorTime += other.processorTime
    }

    /// Processor time of one run on average, in milliseconds.
    var meanProcessorTime: Double { durations.isEmpty ? 0 : processorTime * 1_000 / Double(durations.count) }
}

extension [Duration] {
    /// The smallest duration that this fraction of the runs does not exceed; zero without runs.
    func quantile(_ part: Double) -> Duration {
        let sorted = sorted()
        guard let last = sorted.indices.last else { return .zero }
        return sorted[Swift.min(last, Int(Double(sorted.count) * part))]
    }
}

extension Duration {
    var milliseconds: String { (self / .milliseconds(1)).oneDecimal }
}

extension Double { var oneDecimal: String { String(format: "%.1f", self) } }
