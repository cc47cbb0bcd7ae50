import Foundation
internal import Glibc
import StandIn
import Synchronization
import Testing

/// A private home, message bus and keyring (or the lack of one), for one test.
package final class Session: Sendable {
    /// The keyring of a session, or the way in which it is missing.
    package enum Kind: String {
        /// gnome-keyring, unlocked and empty.
        case keyring
        /// A bus without a keyring.
        case noProvider = "no-provider"
        /// A bus that activates a keyring which never appears.
        case stuckActivation = "stuck-activation"
        /// A bus address that refuses connections.
        case deadAddress = "dead-address"
        /// No bus address at all.
        case noBus = "none"
    }

    /// The whole environment of programs in the session: only the PATH comes from the tests' own.
    package let environment: [String: String]
    private let script: RunningProgram
    private let lifeline: Lifeline
    private let permit: SessionPermit
    private let keyringControl = Mutex<KeyringControl?>(nil)
    /// The time at which the test got its permit; before that it only waited for other tests.
    private let begun: ContinuousClock.Instant
    private let test = Test.current.map { "\($0.id)" }
    package var home: String { environment["HOME"] ?? "" }
    /// The process ID of the keyring; 0 if there is none.
    package var keyring: Int32 { environment["KEYRING_PID"].flatMap { Int32($0) } ?? 0 }

    /// Starts a session, which ends with the last reference to it, or with the test process.
    ///
    /// The runner is the script of Tests/Support, with its options, that starts the session, if not the kind's own. The
    /// permit of another session of the same test is shared: a test that waits for a second permit blocks others.
    package init(_ kind: Kind = .keyring, startedBy runner: [String]? = nil, beside other: Session? = nil) async throws
    {
        if let other { permit = other.permit } else { permit = try await SessionPermit() }
        begun = .now
        lifeline = try Lifeline()
        let runner =
            runner.map { [BuiltFiles.script($0[0])] + $0.dropFirst() }
            ?? (kind == .keyring
                ? [BuiltFiles.script("with-keyring.sh")]
                : [BuiltFiles.script("bus-without-keyring.sh"), kind.rawValue])
        let inherited = ["PATH", "TMPDIR", "LD_LIBRARY_PATH", "GITSPACE_TEST_LIFELINE", "GITSPACE_TEST_KEEP"]
        script = try RunningProgram(
            runner + ["sh", "-c", "env --null; echo ready; exec cat"],
            environment: ProcessInfo.processInfo.environment.filter { inherited.contains($0.key) },
            input: lifeline.programEnd)
        let script = script
        let lines = try await eventually("a private session: \(script.errorText)", by: script) {
            script.outputText.hasSuffix("ready\n") ? script.outputText.split(separator: "\0").dropLast() : nil
        }
        var environment = [
            // Keeps out this machine's git configuration and language.
            "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8", "TERM": "xterm",
        ]
        for line in lines {
            guard let equals = line.firstIndex(of: "=") else { continue }
            environment[String(line[..<equals])] = String(line[line.index(after: equals)...])
        }
        for name in ["PWD", "OLDPWD", "SHLVL", "_"] { environment[name] = nil }
        let folder = (environment["HOME"] ?? "").dropLast("/home".count)
        if Self.asked("GITSPACE_TEST_TRACE") { environment["GITSPACE_TRACE"] = folder + "/trace" }
        if Self.asked("GITSPACE_TEST_KEEP") { print("session: kept in \(folder)") }
        self.environment = environment
    }

    /// Whether a developer has set a debugging variable (CONTRIBUTING.md).
    private static func asked(_ name: String) -> Bool { ProcessInfo.processInfo.environment[name]?.isEmpty == false }

    deinit {
        lifeline.endInput()
        // Takes some milliseconds; then the session's processes and folder are gone.
        script.waitUntilEnded()
        let seconds = (ContinuousClock.now - begun).components.seconds
        if seconds > 0, let test { print("session: \(seconds) s: \(test)") }
    }

    /// Replaces this process's environment by that of a session.
    ///
    /// Only for a process with one thread that has not connected to a bus yet, such as that of an exit test.
    package static func enter(_ environment: [String: String]) {
        // Variables that would lead back to the person's own session.
        for name in [
            "DBUS_SESSION_BUS_ADDRESS", "DBUS_STARTER_ADDRESS", "XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY",
            "KEYRING_PID", "GNOME_KEYRING_CONTROL", "SECRET_BACKEND",
        ] { unsetenv(name) }
        for (name, value) in environment { setenv(name, value, 1) }
    }

    package func start(
        _ arguments: [String], in folder: String? = nil, environment: [String: String] = [:], input: String = "",
        standardOutput: Int32? = nil, on terminal: PseudoTerminal? = nil, keepsErrors: Bool = false
    ) throws -> RunningProgram {
        let input = try UnnamedFile(contents: Array(input.utf8))
        return try RunningProgram(
            arguments, environment: self.environment.merging(environment) { $1 }, in: folder ?? home,
            input: input.descriptor, standardOutput: standardOutput, on: terminal, keepsErrors: keepsErrors,
            surroundings: self)
    }

    /// Runs a program in the session to its end, without a terminal.
    package func run(
        _ arguments: [String], in folder: String? = nil, environment: [String: String] = [:], input: String = ""
    ) async throws -> RunningProgram.End {
        try await start(arguments, in: folder, environment: environment, input: input).ended()
    }

    /// Writes an executable script.
    ///
    /// Another process writes it: if a program is started while we have the file open for writing, that program
    /// inherits the descriptor, and execve(2) of the script fails (ETXTBSY).
    package func write(program path: String, _ script: String) async throws {
        let writer = #"mkdir -p "${0%/*}" && printf '%s\n' "$1" >"$0" && chmod +x "$0""#
        try await run(["sh", "-c", writer, path, script]).succeeded()
    }

    /// Makes a program the default one for https addresses, by a desktop entry with this name and further lines.
    package func makeDefault(_ name: String, _ entry: String, data: String, configuration: String) throws {
        for folder in [data + "/applications", configuration] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        try "[Desktop Entry]\nType=Application\nName=X\nMimeType=x-scheme-handler/https;\n\(entry)\n"
            .write(to: "\(data)/applications/\(name).desktop")
        try "[Default Applications]\nx-scheme-handler/https=\(name).desktop\n".write(
            to: configuration + "/mimeapps.list")
    }

    /// Puts a `git` into the home's `bin` that runs these shell lines before the real git.
    package func write(git lines: String) async throws {
        try await write(
            program: home + "/bin/git", "#!/bin/sh\n\(lines)\nPATH='\(environment["PATH"] ?? "")' exec git \"$@\"")
    }

    /// The PATH with a folder in front, by default the home's `bin`.
    package func path(_ first: String? = nil) -> String { "\(first ?? home + "/bin"):\(environment["PATH"] ?? "")" }

    package func items() async throws -> [KeyringItem] {
        return try JSONDecoder().decode([KeyringItem].self, from: Data(try await control("items").utf8))
    }

    /// Puts an item into the keyring, replacing the one with the same attributes.
    package func put(_ item: KeyringItem) async throws {
        try await control("put", input: String(decoding: try JSONEncoder().encode(item), as: UTF8.self))
    }

    /// Makes stored tokens that expire do so in this many seconds, so that no test has to wait.
    package func age(expiringIn seconds: Double = 200) async throws {
        let expiry = Int(StandIn.systemClock() + seconds)
        for item in try await items() where item["password_expiry_utc"] != nil {
            try await put(item.ending(at: expiry))
        }
    }

    /// Runs a command of keyring-control.py, such as `lock`, `unlock` or `delete-collection`.
    @discardableResult
    package func control(_ arguments: String..., input: String = "") async throws -> String {
        let control = try keyringControl.withLock { control in
            if let control, control.isRunning { return control }
            let new = try KeyringControl(environment)
            control = new
            return new
        }
        return try await control.run(arguments, input: input)
    }
}
