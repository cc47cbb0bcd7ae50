import CredentialCore
import Foundation
import LibsecretKeyring
import Staging
import Testing

@Suite("No call waits for ever")
struct DeadlineTests {
    @Test("a stopped daemon is given up after five seconds, and from then on at once")
    func stoppedDaemon() async throws {
        let session = try await Session()
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            [environment = session.environment as [String: String]] in
            Session.enter(environment)
            let keyring = headlessKeyring()
            let attributes = try attributes("ghe.example")
            try keyring.save(secret("token"), under: attributes)
            let item = try #require(try keyring.items(having: attributes).first)
            try signalKeyring(SIGSTOP)
            let first = milliseconds {
                #expect(throws: KeyringError.unresponsive(seconds: 5)) { try keyring.items(having: attributes) }
            }
            let second = milliseconds {
                #expect(throws: KeyringError.unresponsive(seconds: 5)) { try keyring.items(having: attributes) }
                #expect(throws: KeyringError.unresponsive(seconds: 5)) { try keyring.checkWritable(mayPrompt: false) }
            }
            try signalKeyring(SIGCONT)
            // Nothing is sent any more either.
            #expect(throws: KeyringError.unresponsive(seconds: 5)) { try keyring.remove(item) }
            let left = try headlessKeyring().items(having: attributes)
            #expect(left.count == 1)
            print("stopped daemon: given up after \(first) ms, then \(second) ms")
            // A busy machine has spent some of the five seconds on the save and the search.
            #expect((1_000..<20_000).contains(first))
            // Each of the two would wait for as long again.
            #expect(second < 4_000)
        }
        tell(result)
    }

    @Test("a daemon that has been stopped before the first call", arguments: [SIGSTOP])
    func stoppedFromTheStart(signal: Int32) async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) {
            [environment = session.environment as [String: String], signal = signal as Int32] in
            Session.enter(environment)
            try signalKeyring(signal)
            let keyring = headlessKeyring(silent: 500)
            let attributes = try attributes("ghe.example")
            let elapsed = milliseconds {
                #expect(throws: KeyringError.unresponsive(seconds: 1)) { try keyring.items(having: attributes) }
            }
            #expect((490..<20_000).contains(elapsed))
            try signalKeyring(SIGCONT)
        }
    }

    @Test("a provider that the bus starts and that never appears")
    func stuckActivation() async throws {
        let session = try await Session(.stuckActivation)
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            Session.enter(environment)
            let keyring = headlessKeyring(silent: 500)
            let attributes = try attributes("ghe.example")
            let elapsed = milliseconds {
                #expect(throws: KeyringError.unresponsive(seconds: 1)) { try keyring.items(having: attributes) }
            }
            #expect((490..<20_000).contains(elapsed))
        }
    }

    @Test("a bus that takes connections and says nothing")
    func silentBus() async throws {
        let session = try await Session(.noBus)
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            [environment = session.environment as [String: String]] in
            Session.enter(environment)
            let path = try sessionHome().path + "/silent"
            let listener = try SilentSocket(at: path)
            defer { withExtendedLifetime(listener) {} }
            setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=" + path, 1)
            let keyring = headlessKeyring(silent: 500)
            let attributes = try attributes("ghe.example")
            let elapsed = milliseconds {
                #expect(throws: KeyringError.unresponsive(seconds: 1)) { try keyring.items(having: attributes) }
                #expect(throws: KeyringError.unresponsive(seconds: 1)) { try keyring.items(having: attributes) }
            }
            print("silent bus: given up after \(elapsed) ms")
            #expect((490..<20_000).contains(elapsed))
        }
        tell(result)
    }

    @Test("an interruption ends the wait: it is asked for all the time")
    func interruption() async throws {
        let session = try await Session()
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            [environment = session.environment as [String: String]] in
            Session.enter(environment)
            try signalKeyring(SIGSTOP)
            // Ten looks within the five seconds after which a silent keyring is given up.
            var looks = 0
            let keyring = LibsecretKeyring(
                canPrompt: false,
                interrupted: {
                    looks += 1
                    return looks > 10
                })
            let attributes = try attributes("ghe.example")
            let elapsed = milliseconds {
                #expect(throws: KeyringError.interrupted) { try keyring.items(having: attributes) }
            }
            try signalKeyring(SIGCONT)
            print("interrupted at the eleventh look, after \(elapsed) ms")
        }
        tell(result)
    }

    @Test("a slow daemon is waited for, and a save outlasts the silent deadline")
    func slowSave() async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            Session.enter(environment)
            let keyring = LibsecretKeyring(canPrompt: false, limits: limits(silent: 2_000, save: 60_000))
            let attributes = try attributes("ghe.example")
            try keyring.checkWritable(mayPrompt: false)
            try signalKeyring(SIGSTOP)
            let waker = try RunningProgram(
                ["sh", "-c", "sleep 3; kill -CONT $KEYRING_PID"], environment: environment, input: STDIN_FILENO)
            let elapsed = try milliseconds { try keyring.save(secret("token"), under: attributes) }
            waker.waitUntilEnded()
            #expect(elapsed > 2_000)
            #expect(try keyring.items(having: attributes).first?.secret == secret("token"))
        }
    }

    @Test("a daemon that dies in the middle is connected to again: its successor is locked, not empty")
    func death() async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) { [environment = session.environment as [String: String]] in
            Session.enter(environment)
            let keyring = headlessKeyring()
            let attributes = try attributes("ghe.example")
            try keyring.save(secret("token"), under: attributes)
            try signalKeyring(SIGKILL)
            let items = try keyring.items(having: attributes)
            #expect(items.map(\.isLocked) == [true])
            #expect(throws: KeyringError.locked) { try keyring.save(secret("new"), under: attributes) }
        }
    }

    @Test(
        "a bus that stops in the middle is given up, and one that goes away is no bus", arguments: [SIGSTOP, SIGKILL])
    func lostBus(signal: Int32) async throws {
        let session = try await Session()
        await #expect(processExitsWith: .success) {
            [environment = session.environment as [String: String], signal = signal as Int32] in
            Session.enter(environment)
            let keyring = headlessKeyring(silent: 3_000)
            let attributes = try attributes("ghe.example")
            #expect(try keyring.items(having: attributes).isEmpty)
            let bus = try busProcess()
            try #require(kill(bus, signal) == 0)
            let expected: KeyringError = signal == SIGKILL ? .noBus : .unresponsive(seconds: 3)
            let elapsed = milliseconds {
                #expect(throws: expected) { try keyring.items(having: attributes) }
                #expect(throws: expected) { try keyring.items(having: attributes) }
            }
            #expect(elapsed < 20_000)
            // Left to itself GIO ends the process. It would do so on this thread, where signals are blocked.
            var pending = sigset_t()
            sigpending(&pending)
            #expect(sigismember(&pending, SIGTERM) == 0)
            kill(bus, SIGCONT)
        }
    }

    @Test("hundreds of calls cost no descriptor and no thread")
    func noGrowth() async throws {
        let session = try await Session()
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            [environment = session.environment as [String: String]] in
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
            let elapsed = try milliseconds { try useKeyrings(100) }
            print("100 connections, saves and reads in \(elapsed) ms; descriptors \(descriptors), threads \(threads)")
            // GLib keeps a few threads and their descriptors at hand, now more, now fewer.
            #expect(try count("fd") < descriptors + 10)
            #expect(try count("task") < threads + 10)
        }
        tell(result)
    }
}

/// The process of the session's bus, as the bus itself tells it.
private func busProcess() throws -> Int32 {
    let name = "org.freedesktop.DBus"
    let answer = try RunningProgram.run([
        "gdbus", "call", "--session", "-d", name, "-o", "/org/freedesktop/DBus",
        "-m", name + ".GetConnectionUnixProcessID", name,
    ])
    return try #require(Int32(answer.output.filter(\.isNumber).dropFirst("32".count)))
}
