import CredentialCore
import Keyrings
import Staging
import Testing

// Helpers for tests inside a session. Each such test runs in its own process (an exit test), since environment, session
// bus and GLib's state belong to the process.

/// A keyring without a display; `silent` is the time limit of a call, in milliseconds.
func headlessKeyring(silent: Int = 60_000) -> LibsecretKeyring {
    LibsecretKeyring(canPrompt: false, limits: limits(silent: silent))
}

/// Enters a session, and returns a keyring without a display, and attributes of an item, which scripted keyrings have.
func entered(
    _ environment: [String: String], silent: Int = 60_000
) throws -> (keyring: LibsecretKeyring, attributes: ItemAttributes) {
    Session.enter(environment)
    return (headlessKeyring(silent: silent), try attributes(ScriptedBusService.host))
}

/// Expects that an item is replaced only while its secret is the one that was read.
func expectReplacement(in keyring: any Keyring) throws {
    let attributes = try attributes(ScriptedBusService.host)
    try keyring.save(secret("first"), under: attributes)
    let read = try #require(try keyring.items(having: attributes).first)
    #expect(try keyring.replace(read, with: secret("second")))
    // Another process has replaced the item that was read.
    #expect(try !keyring.replace(read, with: secret("third")))
    #expect(try keyring.items(having: attributes).map(\.secret) == [secret("second")])
    let current = try #require(try keyring.items(having: attributes).first)
    try keyring.remove(read)
    #expect(try !keyring.replace(current, with: secret("fourth")))
    #expect(try keyring.items(having: attributes).isEmpty)
}

/// Limits in milliseconds; those that a test does not set are so long that a busy machine does not reach them.
///
/// The default for a prompt is longer than test.sh allows a suite.
func limits(silent: Int = 60_000, prompt: Int = 7_200_000, save: Int = 60_000) -> KeyringLimits {
    var limits = KeyringLimits()
    limits.silentMilliseconds = silent
    limits.promptMilliseconds = prompt
    limits.saveMilliseconds = save
    limits.unaskedMilliseconds = 60_000
    limits.crowd = { 1 }
    return limits
}

/// The attributes of an https credential.
func attributes(_ host: String, user: String? = "octocat", path: String? = nil) throws -> ItemAttributes {
    let host = try #require(HostName(Array(host.utf8)))
    return ItemAttributes(
        protocol: Array("https".utf8), host: host, user: user.map { Array($0.utf8) },
        object: path.map { Array($0.utf8) })
}

func secret(_ text: String) -> Secret { Secret(Array(text.utf8)) }

/// A session with a scripted keyring in this mode (scripted-service.py), which lasts as long as the service.
func scripted(_ mode: String) async throws -> (environment: [String: String], service: ScriptedBusService) {
    let session = try await Session(.noProvider)
    return (session.environment, try await ScriptedBusService(.keyring, mode, in: session))
}

/// The session's home.
///
/// NSHomeDirectory() would return the person's.
func sessionHome() throws -> URL { URL(fileURLWithPath: String(cString: try #require(getenv("HOME")))) }

/// Runs a command of keyring-control.py.
func control(_ arguments: String...) throws {
    let end = try RunningProgram.run([BuiltFiles.script("keyring-control.py")] + arguments)
    try #require(end.status == 0, "\(end.errors)")
}

func signalKeyring(_ signal: Int32) throws {
    let pid = try #require(getenv("KEYRING_PID").flatMap { Int32(String(cString: $0)) })
    try #require(kill(pid, signal) == 0)
}

func milliseconds(_ body: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    let elapsed = try clock.measure { try body() }
    return Double(elapsed.components.seconds) * 1e3 + Double(elapsed.components.attoseconds) / 1e15
}
