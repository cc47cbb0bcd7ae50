import CredentialCore
import Foundation
import Keyrings
import Staging
import Testing

// What the tests do inside a session: each runs in a process of its own (an exit test), since a process has one
// environment, one session bus, and for GLib one life.

/// A keyring without a display; `silent` is its deadline in milliseconds.
func headlessKeyring(silent: Int = 60_000) -> LibsecretKeyring {
    LibsecretKeyring(canPrompt: false, limits: limits(silent: silent))
}

/// The given limits; the others are so long that no test meets them, however busy the machine is.
///
/// A prompt that should not be waited for outlasts what test.sh waits for a suite.
func limits(silent: Int = 60_000, prompt: Int = 7_200_000, save: Int = 60_000) -> KeyringLimits {
    var limits = KeyringLimits()
    limits.silentMilliseconds = silent
    limits.promptMilliseconds = prompt
    limits.saveMilliseconds = save
    limits.unaskedMilliseconds = 60_000
    limits.crowd = { 1 }
    return limits
}

/// The attributes of a credential for https.
func attributes(_ host: String, user: String? = "octocat", path: String? = nil) throws -> ItemAttributes {
    let host = try #require(HostName(Array(host.utf8)))
    return ItemAttributes(
        protocol: Array("https".utf8), host: host, user: user.map { Array($0.utf8) },
        object: path.map { Array($0.utf8) })
}

/// A secret of this text.
func secret(_ text: String) -> Secret { Secret(Array(text.utf8)) }

/// A session whose keyring behaves in this way (scripted-service.py); it lasts as long as the service.
func scripted(_ mode: String) async throws -> (environment: [String: String], service: ScriptedBusService) {
    let session = try await Session(.noProvider)
    return (session.environment, try await ScriptedBusService(.keyring, mode, in: session))
}

/// The session's own home.
///
/// Not NSHomeDirectory(): that would be the person's.
func sessionHome() throws -> URL {
    URL(fileURLWithPath: String(cString: try #require(getenv("HOME"))))
}

/// Changes the state of the private keyring (keyring-control.py).
func control(_ arguments: String...) throws {
    let end = try RunningProgram.run([BuiltFiles.script("keyring-control.py")] + arguments)
    try #require(end.status == 0, "\(end.errors)")
}

/// Sends a signal to the keyring daemon of the session.
func signalKeyring(_ signal: Int32) throws {
    let pid = try #require(getenv("KEYRING_PID").flatMap { Int32(String(cString: $0)) })
    try #require(kill(pid, signal) == 0)
}

/// Runs `body` and measures it.
///
/// - Returns: the time it took, in milliseconds.
func milliseconds(_ body: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    let elapsed = try clock.measure { try body() }
    return Double(elapsed.components.seconds) * 1e3 + Double(elapsed.components.attoseconds) / 1e15
}

/// Prints what an exit test has measured; by itself its output would be lost.
func tell(_ result: ExitTest.Result?) {
    print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self), terminator: "")
}
