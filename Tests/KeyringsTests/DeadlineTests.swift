import CredentialCore
import Keyrings
import Staging
import Testing

@Suite("Time limits of a keyring")
struct DeadlineTests {
    @Test("gives up on a stopped daemon after five seconds, then fails at once")
    func stoppedDaemon() async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            Session.enter(environment)
            var looks = 0
            let keyring = LibsecretKeyring(
                canPrompt: false, limits: limits(silent: 5_000),
                interrupted: {
                    looks += 1
                    return false
                })
            let attributes = try attributes("ghe.example")
            // Connect within the save's own limit, so that all of the five seconds are left.
            try keyring.save(secret("token"), under: attributes)
            let item = try #require(try headlessKeyring().items(having: attributes).first)
            try signalKeyring(SIGSTOP)
            let first = milliseconds {
                #expect(throws: KeyringError.unresponsive(seconds: 5)) { try keyring.items(having: attributes) }
            }
            looks = 0
            #expect(throws: KeyringError.unresponsive(seconds: 5)) { try keyring.items(having: attributes) }
            #expect(throws: KeyringError.unresponsive(seconds: 5)) { try keyring.checkWritable(mayPrompt: false) }
            try signalKeyring(SIGCONT)
            // Later calls send nothing.
            #expect(throws: KeyringError.unresponsive(seconds: 5)) { try keyring.remove(item) }
            #expect(try headlessKeyring().items(having: attributes).count == 1)
            #expect(first >= 4_900)
            // Each look counts at most a quarter of a second, so five seconds take twenty looks or more.
            #expect(looks < 20)
        }
    }

    @Test(
        "gives up on a stopped daemon, which it names, on an activation without an end, and on a silent bus",
        arguments: [Session.Kind.keyring, .stuckActivation, .noBus])
    func silence(kind: Session.Kind) async throws {
        let session = try await Session(kind)
        await #expect(processExitsWith: .success) {
            [environment = session.environment as [String: String], isStopped = (kind == .keyring) as Bool] in
            Session.enter(environment)
            let path = try sessionHome().path + "/silent"
            let listener = try SilentSocket(at: path)
            defer { withExtendedLifetime(listener) {} }
            if isStopped { try signalKeyring(SIGSTOP) }
            // Only the session without a bus has no address.
            setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=" + path, 0)
            let keyring = headlessKeyring(silent: 500)
            let attributes = try attributes("ghe.example")
            let elapsed = milliseconds {
                #expect(throws: KeyringError.unresponsive(seconds: 1)) { try keyring.items(having: attributes) }
                #expect(throws: KeyringError.unresponsive(seconds: 1)) { try keyring.items(having: attributes) }
            }
            #expect(elapsed >= 490)
            guard isStopped else { return }
            #expect(keyring.offeringProgram == .gnomeKeyring)
            try signalKeyring(SIGCONT)
        }
    }

    @Test("ends a wait at an interruption, which it checks continually")
    func interruption() async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            Session.enter(environment)
            try signalKeyring(SIGSTOP)
            var looks = 0
            let keyring = LibsecretKeyring(
                canPrompt: false, limits: limits(),
                interrupted: {
                    looks += 1
                    return looks > 10
                })
            let attributes = try attributes("ghe.example")
            #expect(throws: KeyringError.interrupted) { try keyring.items(having: attributes) }
            try signalKeyring(SIGCONT)
        }
    }

    @Test(
        "waits on after a standstill of the machine, and twice as long for a daemon that shares its processor",
        arguments: [false, true])
    func moreTime(isCrowded: Bool) async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) {
            [environment = session.environment as [String: String], isCrowded = isCrowded as Bool] in
            Session.enter(environment)
            var (now, looks): (Int64, Int) = (0, 0)
            var limits = limits(silent: 5_000)
            limits.uptime = { now }
            limits.crowd = { isCrowded ? 2 : 1 }
            // The daemon was stopped during an hour of standstill too, or more than five seconds have passed.
            let end = isCrowded ? 25 : 6
            let keyring = LibsecretKeyring(
                canPrompt: false, limits: limits,
                interrupted: {
                    looks += 1
                    now += isCrowded ? 250 : looks == 3 ? 3_600_000 : 100
                    if looks == end { try? signalKeyring(SIGCONT) }
                    return false
                })
            let attributes = try attributes("ghe.example")
            try keyring.save(secret("token"), under: attributes)
            try signalKeyring(SIGSTOP)
            (now, looks) = (0, 0)
            #expect(try keyring.items(having: attributes).first?.secret == secret("token"))
            #expect(looks >= end)
        }
    }

    @Test("waits for a slow daemon, and longer for a save than for other calls")
    func slowSave() async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            Session.enter(environment)
            let clock = ContinuousClock()
            var stopped: ContinuousClock.Instant?
            let keyring = LibsecretKeyring(
                canPrompt: false, limits: limits(silent: 500),
                interrupted: {
                    // Continue the daemon once the save has waited for longer than another call would.
                    if let start = stopped, clock.now - start > .seconds(2), (try? signalKeyring(SIGCONT)) != nil {
                        stopped = nil
                    }
                    return false
                })
            let attributes = try attributes("ghe.example")
            try keyring.save(secret("old"), under: attributes)
            try signalKeyring(SIGSTOP)
            stopped = clock.now
            try keyring.save(secret("token"), under: attributes)
            #expect(stopped == nil)
            #expect(try headlessKeyring().items(having: attributes).first?.secret == secret("token"))
        }
    }

    @Test("connects again after the daemon has died, and finds its successor locked, not empty")
    func death() async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            let (keyring, attributes) = try entered(environment)
            try keyring.save(secret("token"), under: attributes)
            try signalKeyring(SIGKILL)
            #expect(try keyring.items(having: attributes).map(\.isLocked) == [true])
            #expect(throws: KeyringError.locked) { try keyring.save(secret("new"), under: attributes) }
        }
    }

    @Test("gives up on a bus that stops, and reports a bus that ends as missing", arguments: [SIGSTOP, SIGKILL])
    func lostBus(signal: Int32) async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) {
            [environment = session.environment as [String: String], signal = signal as Int32] in
            let (keyring, attributes) = try entered(environment, silent: 3_000)
            // Connect within the save's own limit, so that all of the three seconds are left.
            try keyring.save(secret("token"), under: attributes)
            let bus = try busProcess()
            try #require(kill(bus, signal) == 0)
            let expected: KeyringError = signal == SIGKILL ? .noBus : .unresponsive(seconds: 3)
            #expect(throws: expected) { try keyring.items(having: attributes) }
            #expect(throws: expected) { try keyring.items(having: attributes) }
            // By default GIO ends the process with SIGTERM, which would be pending here: this thread blocks signals.
            var pending = sigset_t()
            sigpending(&pending)
            #expect(sigismember(&pending, SIGTERM) == 0)
            kill(bus, SIGCONT)
        }
    }

    @Test("leaks no descriptors and no threads over hundreds of calls")
    func noGrowth() async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            Session.enter(environment)
            let attributes = try attributes("ghe.example")
            func count(_ folder: String) throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/" + folder).count
            }
            func useKeyrings(_ times: Int) throws {
                for index in 0..<times {
                    let keyring = headlessKeyring()
                    try keyring.save(secret("\(index)"), under: attributes)
                    #expect(try keyring.items(having: attributes).first?.secret == secret("\(index)"))
                }
            }
            try useKeyrings(10)
            let (descriptors, threads) = (try count("fd"), try count("task"))
            try useKeyrings(100)
            // GLib keeps a varying number of threads and their descriptors.
            #expect(try count("fd") < descriptors + 10)
            #expect(try count("task") < threads + 10)
        }
    }
}

/// The process ID of the session's bus, according to the bus itself.
private func busProcess() throws -> Int32 {
    let name = "org.freedesktop.DBus"
    let answer = try RunningProgram.run([
        "gdbus", "call", "--session", "-d", name, "-o", "/org/freedesktop/DBus",
        "-m", name + ".GetConnectionUnixProcessID", name,
    ])
    return try #require(Int32(answer.output.filter(\.isNumber).dropFirst("32".count)))
}
