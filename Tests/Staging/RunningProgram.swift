import Foundation
package import Glibc
import StandIn
import Synchronization

/// A program in a session of its own (setsid(2)): it sees the terminal that it is given, or none, but never the one
/// from which the tests were started.
package final class RunningProgram: Sendable {
    /// Where a program's standard error goes, and what its /dev/tty is.
    package enum Terminal {
        /// To a file, and there is no terminal: an IDE, cron.
        case none
        /// To the terminal.
        case standardError(PseudoTerminal)
        /// To a file, but there is a terminal: a script that keeps the errors.
        case onlyControlling(PseudoTerminal)

        /// The terminal, if there is one.
        package var terminal: PseudoTerminal? {
            switch self {
            case .none: nil
            case .standardError(let terminal), .onlyControlling(let terminal): terminal
            }
        }
    }

    /// What a program left behind.
    package struct End: Sendable {
        /// Exit status, or 128 + signal number, as a shell reports it.
        package let status: Int32
        /// What it wrote to standard output.
        package let output: String
        /// What it wrote to standard error, unless that was a terminal.
        package let errors: String
        /// From its start to its end.
        package let duration: Duration
        /// Whether its memory was written to a file, or handed to a program (WCOREDUMP of wait(2)).
        package let dumpedCore: Bool
    }

    /// The process, and its process group.
    package let id: pid_t
    private let name: String
    private let output: UnnamedFile
    private let errors: UnnamedFile
    private let terminal: PseudoTerminal?
    /// What must stay while the program runs.
    private let surroundings: (any AnyObject & Sendable)?
    private let start = ContinuousClock.now
    private let end = Mutex<(status: Int32, duration: Duration, dumpedCore: Bool)?>(nil)

    /// Starts a program, found on the PATH of the tests.
    ///
    /// - Parameters:
    ///   - arguments: The program and its arguments.
    ///   - environment: All of its environment.
    ///   - folder: Where it runs.
    ///   - input: Its standard input, positioned at the start.
    ///   - standardOutput: Its standard output; nil: a file, to be read as `outputText`.
    ///   - terminal: Its terminal.
    ///   - surroundings: Kept as long as the program.
    /// - Throws: `NeverHappened` if it could not be started.
    package init(
        _ arguments: [String], environment: [String: String], in folder: String = "/", input: Int32,
        standardOutput: Int32? = nil, terminal: Terminal = .none, surroundings: (any AnyObject & Sendable)? = nil
    ) throws {
        name = arguments.joined(separator: " ")
        output = try UnnamedFile()
        errors = try UnnamedFile()
        self.terminal = terminal.terminal
        self.surroundings = surroundings

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, standardOutput ?? output.descriptor, STDOUT_FILENO)
        if let path = terminal.terminal?.path {
            // The first terminal that a session's leader opens becomes its controlling terminal.
            posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, path, O_RDWR, 0)
        }
        if case .standardError = terminal {
        } else {
            posix_spawn_file_actions_adddup2(&actions, errors.descriptor, STDERR_FILENO)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        Self.startAfresh(&attributes)

        // env(1) becomes the program; glibc's own way to change the folder is declared for _GNU_SOURCE only.
        var argv = (["env", "--chdir=\(folder)"] + arguments).map { strdup($0) } + [nil]
        var envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var process = pid_t()
        let failure = posix_spawnp(&process, "env", &actions, &attributes, &argv, &envp)
        guard failure == 0 else {
            throw NeverHappened(description: "could not start \(name): \(String(cString: strerror(failure)))")
        }
        id = process
    }

    /// Runs a program to its end, on this very thread.
    ///
    /// - Parameters:
    ///   - arguments: The program, found on the PATH of the tests, and its arguments.
    ///   - environment: All of its environment; the tests' own by default.
    ///   - folder: Where it runs.
    ///   - input: All of its standard input.
    /// - Returns: What it left behind; a program that fails is a result, not an error.
    /// - Throws: `NeverHappened` if it could not be started.
    @discardableResult
    package static func run(
        _ arguments: [String], environment: [String: String] = ProcessInfo.processInfo.environment,
        in folder: String = "/", input: String = ""
    ) throws -> End {
        let input = try UnnamedFile(contents: Array(input.utf8))
        let program = try RunningProgram(arguments, environment: environment, in: folder, input: input.descriptor)
        program.waitUntilEnded()
        return try program.result()
    }

    deinit {
        guard end.withLock({ $0 }) == nil else { return }
        kill(-id, SIGKILL)
        waitpid(id, nil, 0)
    }

    /// A session of its own, with the signals as a shell would hand them on.
    private static func startAfresh(_ attributes: inout posix_spawnattr_t) {
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGPIPE, SIGTERM, SIGINT, SIGHUP, SIGQUIT] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        // POSIX_SPAWN_SETSID of <spawn.h>, which glibc declares for _GNU_SOURCE only.
        let newSession: Int32 = 0x80
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | newSession))
    }

    /// The processes of its session that run: itself, its children and theirs.
    package var processes: [pid_t] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { pid_t($0) }.filter { process in
            // proc(5), stat: behind the name in parentheses come the state, the parent, the group and the session.
            let stat = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
            let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
            return fields.count > 3 && fields[0] != "Z" && pid_t(fields[3]) == id
        }
    }

    /// What it has written to standard output so far.
    package var outputText: String { String(decoding: output.contents(), as: UTF8.self) }

    /// What it has written to standard error so far, unless that is a terminal.
    package var errorText: String { String(decoding: errors.contents(), as: UTF8.self) }

    /// Waits for its end.
    ///
    /// - Throws: `NeverHappened`, after which it and its children are dead.
    package func ended(within patience: Duration = .seconds(180)) async throws -> End {
        do {
            _ = try await eventually("the end of \(name)", within: patience) { look() }
            return try result()
        } catch {
            kill(-id, SIGKILL)
            throw NeverHappened(description: "\(error)\n\(errorText)\(terminal?.text ?? "")")
        }
    }

    /// What it left behind, once it has ended.
    private func result() throws -> End {
        guard let (status, duration, dumpedCore) = look() else {
            throw NeverHappened(description: "\(name) has not ended")
        }
        return End(status: status, output: outputText, errors: errorText, duration: duration, dumpedCore: dumpedCore)
    }

    /// The first line that it writes to standard output, without its end; waits for it on this very thread.
    ///
    /// - Throws: `NeverHappened` if it ends without one.
    package func firstLine() throws -> String {
        while true {
            let hasEnded = !isRunning
            let text = outputText
            if let end = text.firstIndex(of: "\n") { return String(text[..<end]) }
            guard !hasEnded else { throw NeverHappened(description: "a line from \(name): \(errorText)") }
            usleep(1_000)
        }
    }

    /// Sends it a signal, unless its end is known: its number may belong to another process by then.
    package func signal(_ number: Int32) {
        end.withLock { end in
            if end == nil { kill(id, number) }
        }
    }

    /// Whether it has not ended yet.
    package var isRunning: Bool { look() == nil }

    /// Waits for its end, on this very thread.
    package func waitUntilEnded() {
        end.withLock { end in
            var status: Int32 = 0
            if end == nil, waitpid(id, &status, 0) == id { end = Self.read(status, since: start) }
        }
    }

    /// Whether it has ended, and how.
    ///
    /// Empties the terminal as well: a full one would block the program.
    private func look() -> (status: Int32, duration: Duration, dumpedCore: Bool)? {
        _ = terminal?.text
        return end.withLock { end in
            var status: Int32 = 0
            if end == nil, waitpid(id, &status, WNOHANG) == id { end = Self.read(status, since: start) }
            return end
        }
    }

    /// Takes apart what wait(2) tells.
    private static func read(_ status: Int32, since start: ContinuousClock.Instant) -> (Int32, Duration, Bool) {
        let signal = status & 0x7f
        return (signal == 0 ? (status >> 8) & 0xff : 128 + signal, ContinuousClock.now - start, status & 0x80 != 0)
    }
}

/// The program and the arguments of a process, as anybody on the machine may read them.
package func commandLine(of process: pid_t) -> [String] {
    let bytes = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") ?? Data()
    return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
}
