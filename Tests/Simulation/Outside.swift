internal import CredentialCore
internal import Helper
internal import Messages
internal import Providers

/// Everything outside of one run of the program: each call hands over to the other runs, and may be its last.
///
/// A run that was killed goes on to its end, but nothing that it does reaches anything any more: so its memory is freed.
final class Outside {
    let simulation: Simulation
    let client: Client
    let action: Action
    /// Seconds since 1970.
    let begin: Int64
    /// Uptime in milliseconds.
    let started: Int64
    let jumpedBefore: Int64
    private(set) var stopped: Int64 = 0
    /// Which machine-wide place for locks it sees.
    let place: Int
    private(set) var isAlive: Bool
    /// Ctrl-C: seen where the program looks for it.
    private var isSignalled = false
    private var isShielded = false
    var heldLocks: Set<String> = []
    /// What servers have answered, and no keyring has yet.
    private(set) var hand: [Pair] = []
    private(set) var errors: [UserFacingError] = []
    private(set) var isCancelled = false
    /// How often the keyring had failed when it was last known to be writable.
    var faultsWhenWritable = -1
    /// When it got the lock of its sign-in.
    var whenLocked = (time: Int64.max, serial: 0, faults: -1)
    var isPrompting = false

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

    /// Hands over, for some milliseconds at least; afterwards it may have been killed.
    func step(_ what: @autoclosure () -> String, _ milliseconds: Int64 = 0) {
        guard isAlive else { return }
        simulation.log { "\(self.client.number) \(self.action.name): \(what())" }
        simulation.handOver(client, milliseconds)
    }

    func kill() {
        simulation.log { "\(self.client.number) \(self.action.name): KILLED" }
        isAlive = false
        for pair in hand where !pair.wasSaved { pair.isLost = true }
        simulation.releaseLocks(of: self)
        isPrompting = false
    }

    func stop(milliseconds: Int64) {
        simulation.log { "\(self.client.number) \(self.action.name): STOPPED" }
        stopped += milliseconds
    }

    func signal() {
        simulation.log { "\(self.client.number) \(self.action.name): SIGINT" }
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
        Dependencies(
            keyring: self, repositoryKeyring: { self }, configuration: { configuration }, environment: { _ in nil },
            transport: { _ in self },
            ui: self, report: { self.report($0) }, locks: self, signInNotes: self, refusedTokens: self, clock: self,
            signals: self, builtInClientID: { _ in "Iv1.0123456789abcdef" },
            isPersonsOwnCommand: { self.action.isByPerson },
            signingKey: { _ throws(SigningKeyError) in throw .absent }, signatureVerifier: NoSignatures())
    }

    func report(_ error: UserFacingError) {
        guard isAlive else { return }
        simulation.log { "\(self.client.number) \(self.action.name): error: \(error)" }
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
        case .mistake where request.address.path.hasSuffix("token"):
            return Server.error("unauthorized_client", .gitlab)
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
            // What a person has approved is dropped on purpose, before they were told that they are signed in.
            drop(hand[before...].filter { $0.predecessor == nil })
            throw .interrupted
        }
        return response
    }
}

// MARK: Keyring

extension Outside: Keyring {
    var storage: CredentialStorage { .keyring }

    func items(having attributes: ItemAttributes) throws(KeyringError) -> [Item] {
        step("keyring items")
        try fail(.unresponsive(seconds: 5))
        let wanted = attributes.named
        let found = simulation.keyring.filter { entry in
            let named = entry.item.attributes.named
            return wanted.allSatisfy { wanted in named.contains { $0.name == wanted.name && $0.value == wanted.value } }
        }.map(\.item)
        guard simulation.outage == .locked else { return found }
        return found.map {
            Item(path: $0.path, attributes: $0.attributes, schemaName: $0.schemaName, created: $0.created, secret: nil)
        }
    }

    func unlock(_ items: [Item]) throws(KeyringError) -> [Item] {
        step("keyring unlock")
        try fail(.dismissed)
        if simulation.outage == .locked { throw .locked }
        return simulation.keyring.map(\.item).filter { item in items.contains { $0.path == item.path } }
    }

    func checkWritable(mayPrompt: Bool) throws(KeyringError) {
        step("keyring checkWritable")
        try fail(.noCollection)
        if simulation.outage == .locked { throw .locked }
        faultsWhenWritable = simulation.keyringFaults
    }

    func replace(_ item: Item, with secret: Secret) throws(KeyringError) -> Bool {
        step("keyring replace")
        try fail(.disconnected)
        if simulation.outage == .locked { throw .locked }
        guard let index = simulation.keyring.firstIndex(where: { $0.item.attributes == item.attributes }),
            simulation.keyring[index].item.secret == item.secret
        else { return false }
        faultsWhenWritable = simulation.keyringFaults
        if secret != item.secret { put(secret, under: item.attributes) }
        step("keyring replaced")
        return true
    }

    func save(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError) {
        step("keyring save")
        do throws(KeyringError) {
            try fail(.denied)
            if simulation.outage == .locked { throw .locked }
        } catch {
            if isAlive { simulation.rules.couldNotSave(self) }
            throw error
        }
        put(secret, under: attributes)
        step("keyring saved")
        // It may still look as if it had failed.
        try fail(.unresponsive(seconds: 10))
    }

    func remove(_ item: Item) throws(KeyringError) {
        step("keyring remove")
        try fail(.denied)
        if simulation.outage == .locked { throw .locked }
        if let index = simulation.keyring.firstIndex(where: { $0.item.path == item.path }) {
            let old = simulation.keyring[index]
            simulation.keyring.remove(at: index)
            simulation.rules.wrote(nil, over: old, self)
        }
        step("keyring removed")
    }

    private func put(_ secret: Secret, under attributes: ItemAttributes) {
        let index = simulation.keyring.firstIndex { $0.item.attributes == attributes }
        let old = index.map { simulation.keyring[$0] }
        guard let new = simulation.entry(secret, under: attributes, created: old?.item.created) else {
            return simulation.fail("the keyring holds what can be read", "a secret without its form")
        }
        if let index { simulation.keyring[index] = new } else { simulation.keyring.append(new) }
        simulation.rules.wrote(new, over: old, self)
    }

    private func fail(_ error: KeyringError) throws(KeyringError) {
        if isInterrupted { throw .interrupted }
        guard simulation.keyringFails() else { return }
        simulation.log { "\(self.client.number) \(self.action.name): keyring fails: \(error)" }
        throw error
    }
}

// MARK: Locks

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

// MARK: The person

extension Outside: SignInUI {
    var canBeReached: Bool { client.hasPerson }
    var hasTerminal: Bool { client.hasPerson }

    /// The device flow alone.
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
        simulation.log { "\(self.client.number) \(self.action.name): says \(notice)" }
        if notice == .cancelled { isCancelled = true }
    }
}

private struct NoSignatures: SignatureVerifier {
    func verifiesRS256(_: [UInt8], of _: [UInt8], modulus _: [UInt8], exponent _: [UInt8]) -> Bool? { nil }

    func verifiesES256(_: [UInt8], of _: [UInt8], x _: [UInt8], y _: [UInt8]) -> Bool? { nil }
}
