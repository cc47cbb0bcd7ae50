import Foundation

/// A session with a message bus and a keyring of its own, made by the scripts in Tests/Support; it ends with the object.
final class PrivateSession {
    /// What must be set, and nothing else, for a process to be in the session.
    let environment: SessionEnvironment
    private let holder = Process()
    private let input = Pipe()

    /// A session with an open, empty keyring.
    static func withKeyring() throws -> PrivateSession { try PrivateSession(["with-keyring.sh"]) }

    /// A session without a keyring that could be reached; `mode` says why (bus-without-keyring.sh).
    static func withoutKeyring(_ mode: String) throws -> PrivateSession {
        try PrivateSession(["bus-without-keyring.sh", mode])
    }

    private init(_ script: [String]) throws {
        let output = Pipe()
        holder.executableURL = Support.path(script[0])
        // Tells its environment, then keeps the session up until its stdin ends.
        holder.arguments = script.dropFirst() + ["sh", "-c", "env -0; printf '\\0'; exec cat >/dev/null"]
        holder.standardInput = input
        holder.standardOutput = output
        try holder.run()
        // An empty entry ends the list; the pipe itself stays open as long as the session.
        var told = Data()
        while told.suffix(2) != Data([0, 0]) {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw SessionFailure.didNotStart }
            told += more
        }
        environment = SessionEnvironment(nullSeparated: told)
    }

    deinit {
        try? input.fileHandleForWriting.close()
        holder.waitUntilExit()
    }
}

/// The session's script ended before the session was up; its own message is on stderr.
enum SessionFailure: Error { case didNotStart }

/// The scripts that the tests of all targets share.
enum Support {
    /// The package's folder.
    static let root = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }

    static func path(_ script: String) -> URL { root.appendingPathComponent("Tests/Support/" + script) }
}

/// The part of the environment by which a process is in one session or another.
struct SessionEnvironment: Codable {
    private let values: [String: String]

    private static let names = [
        "HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR",
        "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "KEYRING_PID", "KEYRING_PASSWORD", "SECRET_BACKEND",
        "GNOME_KEYRING_CONTROL", "DBUS_STARTER_ADDRESS",
    ]

    init(nullSeparated text: Data) {
        let pairs = text.split(separator: 0).compactMap { entry -> (String, String)? in
            let parts = String(decoding: entry, as: UTF8.self).split(separator: "=", maxSplits: 1)
            guard let name = parts.first.map(String.init), Self.names.contains(name) else { return nil }
            return (name, parts.count > 1 ? String(parts[1]) : "")
        }
        values = Dictionary(pairs) { $1 }
    }

    /// Puts this process into the session.
    ///
    /// Only for a process of one thread that has not asked for a bus yet.
    func enter() {
        for name in Self.names {
            if let value = values[name] { setenv(name, value, 1) } else { unsetenv(name) }
        }
    }
}
