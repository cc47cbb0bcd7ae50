import Foundation
package import Glibc
import StandIn
import Synchronization
import Testing

/// A private home, message bus and keyring (or the lack of one), for one test.
package final class Session: Sendable {
    /// What the session has in place of a person's keyring.
    package enum Kind: String {
        /// gnome-keyring, unlocked and empty.
        case keyring
        /// A bus on which nobody offers a keyring.
        case noProvider = "no-provider"
        /// A bus that starts a keyring which never appears.
        case stuckActivation = "stuck-activation"
        /// An address at which nobody listens.
        case deadAddress = "dead-address"
        /// No bus at all.
        case noBus = "none"
    }

    /// All that programs in the session find in their environment; nothing of the tests' own beyond the PATH.
    package let environment: [String: String]
    private let script: RunningProgram
    private let lifeline: Lifeline
    private let permit: SessionPermit
    private let keyringControl = Mutex<KeyringControl?>(nil)
    /// When the test had its permit: until then it only waited for others.
    private let begun: ContinuousClock.Instant
    private let test = Test.current.map { "\($0.id)" }

    /// The home folder.
    package var home: String { environment["HOME"] ?? "" }

    /// The keyring's process.
    package var keyring: pid_t { environment["KEYRING_PID"].flatMap { pid_t($0) } ?? 0 }

    /// Starts a session.
    ///
    /// It ends with the last reference to it, and with the tests, however they end.
    ///
    /// - Parameters:
    ///   - kind: What it has in place of a person's keyring.
    ///   - runner: The script of Tests/Support and its options by which it is started; nil for that of the kind.
    ///   - other: One of the same test, whose permit is for both: a test that waits for a second keeps others waiting.
    /// - Throws: `NeverHappened` if there is no keyring within the time.
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
        script = try RunningProgram(
            runner + ["sh", "-c", "env --null; echo ready; exec cat"],
            environment: Self.inherited(["PATH", "TMPDIR", "LD_LIBRARY_PATH", "GITSPACE_TEST_KEEP"]),
            input: lifeline.programEnd)
        let script = script
        let lines = try await eventually("a private session: \(script.errorText)", by: script) {
            script.outputText.hasSuffix("ready\n") ? script.outputText.split(separator: "\0").dropLast() : nil
        }
        var environment = [
            // This machine's own configuration must not decide anything, nor its language.
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

    /// What whoever looks for a fault may set (CONTRIBUTING.md).
    private static func asked(_ name: String) -> Bool { ProcessInfo.processInfo.environment[name]?.isEmpty == false }

    deinit {
        lifeline.endInput()
        // Some milliseconds, after which its processes and its folder are gone.
        script.waitUntilEnded()
        let seconds = (ContinuousClock.now - begun).components.seconds
        if seconds > 0, let test { print("session: \(seconds) s: \(test)") }
    }

    private static func inherited(_ names: [String]) -> [String: String] {
        ProcessInfo.processInfo.environment.filter { names.contains($0.key) }
    }

    /// Puts this very process into a session, by its environment.
    ///
    /// Only for a process of one thread that has not asked for a bus yet: the process of an exit test.
    package static func enter(_ environment: [String: String]) {
        // Each would lead out of the session again.
        for name in [
            "DBUS_SESSION_BUS_ADDRESS", "DBUS_STARTER_ADDRESS", "XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY",
            "KEYRING_PID", "GNOME_KEYRING_CONTROL", "SECRET_BACKEND",
        ] { unsetenv(name) }
        for (name, value) in environment { setenv(name, value, 1) }
    }

    /// Starts a program in the session.
    ///
    /// - Parameters:
    ///   - arguments: The program and its arguments.
    ///   - folder: Where it runs; the home folder by default.
    ///   - environment: Added to, and winning over, the session's.
    ///   - input: All of its standard input.
    ///   - standardOutput: Its standard output; nil: a file, to be read as `outputText`.
    ///   - terminal: Its terminal.
    /// - Returns: The program, which keeps the session.
    /// - Throws: `NeverHappened` if it could not be started.
    package func start(
        _ arguments: [String], in folder: String? = nil, environment: [String: String] = [:], input: String = "",
        standardOutput: Int32? = nil, terminal: RunningProgram.Terminal = .none
    ) throws -> RunningProgram {
        let input = try UnnamedFile(contents: Array(input.utf8))
        return try RunningProgram(
            arguments, environment: self.environment.merging(environment) { $1 }, in: folder ?? home,
            input: input.descriptor, standardOutput: standardOutput, terminal: terminal, surroundings: self)
    }

    /// Runs a program in the session, without a terminal, to its end.
    package func run(
        _ arguments: [String], in folder: String? = nil, environment: [String: String] = [:], input: String = ""
    ) async throws -> RunningProgram.End {
        try await start(arguments, in: folder, environment: environment, input: input).ended()
    }

    /// Writes a program, a script, that can be run at once.
    ///
    /// By another process: a program that is started beside us at this moment would hold the file open for writing, and
    /// a file that somebody writes cannot be run (ETXTBSY of execve(2)).
    package func write(program path: String, _ script: String) async throws {
        let writer = #"mkdir -p "${0%/*}" && printf '%s\n' "$1" >"$0" && chmod +x "$0""#
        let end = try await run(["sh", "-c", writer, path, script])
        guard end.status == 0 else { throw NeverHappened(description: "\(path): \(end.errors)") }
    }

    /// Puts a git into the home's `bin` that runs these lines of a shell before its work.
    package func write(git lines: String) async throws {
        try await write(
            program: home + "/bin/git", "#!/bin/sh\n\(lines)\nPATH='\(environment["PATH"] ?? "")' exec git \"$@\"")
    }

    /// The PATH with a folder in front of it, by default the home's `bin`.
    package func path(_ first: String? = nil) -> String {
        "\(first ?? home + "/bin"):\(environment["PATH"] ?? "")"
    }

    /// Everything in the keyring.
    package func items() async throws -> [KeyringItem] {
        let answer = try await control("items")
        return try JSONDecoder().decode([KeyringItem].self, from: Data(answer.utf8))
    }

    /// Puts an item into the keyring, in place of the one with these attributes.
    package func put(_ item: KeyringItem) async throws {
        let text = String(decoding: try JSONEncoder().encode(item), as: UTF8.self)
        try await control("put", input: text)
    }

    /// Makes the stored tokens that expire look as if they did so in some seconds: time cannot be waited for.
    package func age(expiringIn seconds: Double = 200) async throws {
        let expiry = Int(StandIn.systemClock() + seconds)
        for item in try await items() where item["password_expiry_utc"] != nil {
            try await put(item.ending(at: expiry))
        }
    }

    /// Does to the keyring what a person could do: `lock`, `unlock`, `delete-collection` and others of keyring-control.py.
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
