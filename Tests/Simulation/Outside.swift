internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Providers
internal import TestSupport
internal import Verbs

/// The surroundings of one run of the program: each call lets other runs continue, and may be the run's last.
///
/// A killed run continues to its end so that its memory is freed, but has no effect any more.
final class Outside {
    let simulation: Simulation
    let client: Client
    let action: Action
    /// The calendar time at the start, in seconds since 1970.
    let begin: Int64
    /// The uptime at the start, in milliseconds.
    let started: Int64
    let jumpedBefore: Int64
    private(set) var stopped: Int64 = 0
    /// The number of the lock folder that the run uses.
    let place: Int
    private(set) var isAlive: Bool
    /// Whether SIGINT arrived; it takes effect where the program checks for it.
    private var isSignalled = false
    private var isShielded = false
    var heldLocks: Set<String> = []
    /// Pairs received from servers and not yet saved.
    private(set) var hand: [Pair] = []
    private(set) var errors: [UserFacingError] = []
    private(set) var isCancelled = false
    /// The number of keyring faults when the keyring was last found writable; -1 if it never was.
    var faultsWhenWritable = -1
    /// The moment at which the run got the lock of its sign-in.
    var whenLocked = (time: Int64.max, serial: 0, faults: -1)
    var isPrompting = false
    var name: String { "\(client.number) \(action.name)" }

    init(_ simulation: Simulation, _ client: Client, _ action: Action) {
        self.simulation = simulation
        self.client = client
        self.action = action
        begin = simulation.now
        started = simulation.uptime
        jumpedBefore = simulation.jumped
        isAlive = simulation.violation == nil
        place = simulation.plan.isApart ? client.number : 0
    }

    /// Lets other runs continue, for at least some milliseconds; the run may be killed meanwhile.
    func step(_ what: @autoclosure () -> String, _ milliseconds: Int64 = 0) {
        guard isAlive else { return }
        simulation.log { "\(self.name): \(what())" }
        simulation.handOver(client, milliseconds)
    }

    func kill() {
        simulation.log { "\(self.name): KILLED" }
        isAlive = false
        for pair in hand where !pair.wasSaved { pair.isLost = true }
        simulation.releaseLocks(of: self)
        isPrompting = false
    }

    func stop(milliseconds: Int64) {
        simulation.log { "\(self.name): STOPPED" }
        stopped += milliseconds
    }

    func signal() {
        simulation.log { "\(self.name): SIGINT" }
        isSignalled = true
    }

    var isInterrupted: Bool { !isAlive || isSignalled && !isShielded }

    func received(_ pair: Pair) -> Pair {
        hand.append(pair)
        return pair
    }

    private func drop(_ pairs: some Collection<Pair>) {
        for pair in pairs { pair.isLost = true }
        hand.removeAll { pair in pairs.contains { $0 === pair } }
    }

    func dependencies(configuration: [ConfigurationEntry] = []) -> Dependencies {
        let (own, cache) = (PlayedKeyring(self, .keyring), PlayedKeyring(self, .memory))
        let keyring: any Keyring =
            simulation.mayUseMemory ? FallbackKeyring(own, else: cache, locks: self) { .auto } : own
        return Dependencies(
            keyring: keyring, configuration: { configuration }, environment: { _ in nil }, transport: { _ in self },
            ui: self, report: { self.report($0) }, locks: self, signInNotes: self, refusedTokens: self, clock: self,
            signals: self, builtInClientID: { _ in "Iv1.0123456789abcdef" },
            requester: { self.action.isByPerson ? .person : .git },
            signingKey: { _ throws(SigningKeyError) in throw .absent }, signatureVerifier: ScriptedSignatures())
    }

    func report(_ error: UserFacingError) {
        guard isAlive else { return }
        simulation.log { "\(self.name): error: \(error)" }
        errors.append(error)
    }
}

// MARK: Time and signals

extension Outside: Clock, SignalShield {
    var now: Int64 { simulation.now }
    var uptimeMilliseconds: Int64 { simulation.uptime }

    func whileSignalsWait<Result>(_ body: () -> Result) -> Result {
        isShielded = true
        defer { isShielded = false }
        return body()
    }
}

// MARK: Network

extension Outside: Transport {
    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        step("\(request.method) \(request.address.text)", simulation.latency())
        if !isAlive || request.isInterruptible && isInterrupted { throw .interrupted }
        if let deadline = request.deadline, deadline <= simulation.uptime { throw .timedOut }
        let fault = simulation.networkFault()
        switch fault {
        case .unreachable: throw .unreachable
        case .unavailable: return HTTPResponse(status: 502)
        case .mistake where request.address.path.hasSuffix("token"): return Server.error("unauthorized_client", .gitlab)
        default: break
        }
        let before = hand.count
        let response = simulation.server.answer(request, self, simulation)
        if fault == .responseLost {
            drop(hand[before...])
            step("response lost", 30_000)
            throw isAlive ? .timedOut : .interrupted
        }
        step("response", simulation.latency())
        if !isAlive || request.isInterruptible && isInterrupted {
            // An interrupted sign-in drops its pair on purpose: the person has not been told of any success.
            drop(hand[before...].filter { $0.predecessor == nil })
            throw .interrupted
        }
        return response
    }
}

// MARK: The person

extension Outside: SignInUI {
    var canBeReached: Bool { client.hasPerson }
    var hasTerminal: Bool { client.hasPerson }
    /// Only the device flow is simulated.
    var opensBrowser: Bool { false }

    func show(_ prompt: SignInPrompt) {
        guard isAlive, let userCode = prompt.approval.userCode else { return }
        step("shows \(userCode)")
        guard isAlive else { return }
        isPrompting = true
        simulation.rules.prompted(self)
        simulation.personActs(on: userCode, client)
    }

    func dismissPrompt() { isPrompting = false }

    func wait(milliseconds: Int64, until _: Int64?, watching _: [Int32]) -> WaitOutcome {
        step("waits \(milliseconds) ms", milliseconds)
        guard isAlive else { return .abandoned }
        return isInterrupted ? .cancelled : .elapsed
    }

    func say(_ notice: Notice) {
        guard isAlive else { return }
        simulation.log { "\(self.name): says \(notice)" }
        if notice == .cancelled { isCancelled = true }
    }
}

/// Parsed command lines, each kept because parsing takes longer than a simulated run.
enum ParsedVerbs {
    nonisolated(unsafe) private static var known: [String: any Verb] = [:]

    static func verb(_ name: String, _ words: [String]) -> (any Verb)? {
        let key = ([name] + words).joined(separator: " ")
        if let verb = known[key] { return verb }
        let type = verbs.first { $0._commandName == name }
        known[key] = (try? type?.parseAsRoot(words)) as? any Verb
        return known[key]
    }
}

extension VerbDependencies {
    static func simulated(_ outside: Outside) -> VerbDependencies {
        let nobody = ScriptedQuestions()
        nobody.canAsk = false
        return VerbDependencies(
            dependencies: { _ in outside.dependencies() }, questions: nobody, files: InMemoryConfigurationFiles(),
            foreignKeyring: InMemoryForeignKeyring(), foreignFiles: InMemoryForeignFiles(),
            inspections: { _ in fatalError("no verb here inspects") },
            unlockableKeyring: { fatalError("no verb here unlocks") },
            sharing: { _ in fatalError("no verb here shares") },
            remote: { nil }, branch: { nil }, isInterrupted: { outside.isInterrupted },
            say: { words in outside.simulation.log { "\(outside.client.number) says: \(words.english)" } },
            print: { _ in })
    }
}
