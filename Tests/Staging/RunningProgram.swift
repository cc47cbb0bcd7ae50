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
    /// - Throws: `StandInError` if it could not be started.
    package init(
        _ arguments: [String], environment: [String: String], in folder: String = "/", input: Int32,
        standardOutput: Int32? = nil, terminal: Terminal = .none, surroundings: (any AnyObject & Sendable)? = nil
    ) throws {
        name = arguments.joined(separator: " ")
        output = try UnnamedFile()
        errors = try UnnamedFile()
        self.terminal = terminal.terminal
        self.surroundings = surroundings

        var errors: Int32? = self.errors.descriptor
        if case .standardError = terminal { errors = nil }
        // env(1) becomes the program; glibc's own way to change the folder is declared for _GNU_SOURCE only.
        id = try ChildProcess.spawn(
            ["env", "--chdir=\(folder)"] + arguments, environment: environment.map { "\($0.key)=\($0.value)" },
            input: input, output: standardOutput ?? output.descriptor, errors: errors,
            terminal: terminal.terminal?.path, isSessionLeader: true)
    }

    /// Runs a program to its end, on this very thread.
    ///
    /// - Parameters:
    ///   - arguments: The program, found on the PATH of the tests, and its arguments.
    ///   - environment: All of its environment; the tests' own by default.
    ///   - folder: Where it runs.
    ///   - input: All of its standard input.
    /// - Returns: What it left behind; a program that fails is a result, not an error.
    /// - Throws: `StandInError` if it could not be started.
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

    /// The lines of it that are whole.
    var outputLines: [String] {
        outputText.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

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
        (ChildProcess.exitStatus(status), ContinuousClock.now - start, status & 0x80 != 0)
    }
}

/// The program and the arguments of a process, as anybody on the machine may read them.
package func commandLine(of process: pid_t) -> [String] {
    let bytes = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") ?? Data()
    return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
}
