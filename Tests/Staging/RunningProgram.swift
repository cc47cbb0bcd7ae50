import Foundation
import Glibc
import StandIn
import Synchronization

/// A program in its own session (setsid(2)), with a given terminal or none, never the one that the tests run in.
package final class RunningProgram: Sendable {
    /// The result of a program that has ended.
    package struct End: Sendable {
        /// The exit status, or 128 + signal number, as a shell reports it.
        package let status: Int32
        package let output: String
        /// Its standard error, empty if that was a terminal.
        package let errors: String
        package let duration: Duration
        /// Whether the kernel wrote or piped a core dump (WCOREDUMP of wait(2)).
        package let dumpedCore: Bool
        fileprivate let name: String
        fileprivate let terminal: PseudoTerminal?

        /// Throws all that was printed unless the program succeeded, and printed no error if `silently` is set.
        @discardableResult
        package func succeeded(silently: Bool = false) throws -> End {
            guard status == 0, !silently || errors.isEmpty else {
                let shown = output + errors + (terminal?.text ?? "")
                throw NeverHappened(description: "the success of \(name), which ended with \(status):\n\(shown)")
            }
            return self
        }
    }

    /// The process ID, which is also the ID of the process group.
    package let id: Int32
    private let name: String
    private let output: UnnamedFile
    private let errors: UnnamedFile
    private let terminal: PseudoTerminal?
    /// An object to keep while the program runs.
    private let surroundings: (any AnyObject & Sendable)?
    private let start = ContinuousClock.now
    private let end = Mutex<(status: Int32, duration: Duration, dumpedCore: Bool)?>(nil)

    /// Starts a program, found on the PATH of the tests.
    ///
    /// The environment is all that it gets, and the input is positioned at its start. Without a standard output, that
    /// is a file that `outputText` reads. The terminal is standard error too, unless errors are kept, as by a script
    /// that keeps them. The surroundings are an object to keep as long as the program.
    package init(
        _ arguments: [String], environment: [String: String], in folder: String = "/", input: Int32,
        standardOutput: Int32? = nil, on terminal: PseudoTerminal? = nil, keepsErrors: Bool = false,
        surroundings: (any AnyObject & Sendable)? = nil
    ) throws {
        name = arguments.joined(separator: " ")
        output = try UnnamedFile()
        errors = try UnnamedFile()
        self.terminal = terminal
        self.surroundings = surroundings
        // env(1) changes the folder, then becomes the program; glibc declares its own call only for _GNU_SOURCE.
        id = try ChildProcess.spawn(
            ["env", "--chdir=\(folder)"] + arguments, environment: environment, input: input,
            output: standardOutput ?? output.descriptor,
            errors: terminal == nil || keepsErrors ? errors.descriptor : nil, terminal: terminal?.path,
            isSessionLeader: true)
    }

    /// Runs a program to its end, blocking the calling thread.
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

    /// The running processes of its session: the program and its descendants.
    package var processes: [Int32] {
        allProcesses().filter { process in
            let fields = statusFields(of: process)
            return fields.count > 3 && fields[0] != "Z" && Int32(fields[3]) == id
        }
    }

    /// Its standard output so far.
    package var outputText: String { String(decoding: output.contents(), as: UTF8.self) }

    /// The complete lines of its standard output.
    package var outputLines: [String] {
        outputText.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    /// Its standard error so far; empty if that is a terminal.
    package var errorText: String { String(decoding: errors.contents(), as: UTF8.self) }

    package func ended(within patience: Duration = .seconds(180)) async throws -> End {
        do {
            try await eventually("the end of \(name)", within: patience) { look() }
            return try result()
        } catch {
            kill(-id, SIGKILL)
            throw NeverHappened(description: "\(error)\n\(errorText)\(terminal?.text ?? "")")
        }
    }

    package func result() throws -> End {
        guard let (status, duration, dumpedCore) = look() else {
            throw NeverHappened(description: "\(name) has not ended")
        }
        return End(
            status: status, output: outputText, errors: errorText, duration: duration, dumpedCore: dumpedCore,
            name: name, terminal: terminal)
    }

    /// Waits for the first line of standard output, blocking the calling thread.
    package func firstLine() throws -> String {
        while true {
            let hasEnded = !isRunning
            let text = outputText
            if let end = text.firstIndex(of: "\n") { return String(text[..<end]) }
            guard !hasEnded else { throw NeverHappened(description: "a line from \(name): \(errorText)") }
            usleep(1_000)
        }
    }

    /// Sends a signal unless the program's end is known: another process may have its ID by then.
    package func signal(_ number: Int32) {
        end.withLock { end in if end == nil { kill(id, number) } }
    }

    package var isRunning: Bool { look() == nil }

    /// Waits for the program's end, blocking the calling thread.
    package func waitUntilEnded() { _ = look(options: 0) }

    /// Returns how the program ended, or `nil` while it runs.
    ///
    /// Reads the terminal too, because a full one would block the program.
    private func look(options: Int32 = WNOHANG) -> (status: Int32, duration: Duration, dumpedCore: Bool)? {
        _ = terminal?.text
        return end.withLock { end in
            var status: Int32 = 0
            if end == nil, waitpid(id, &status, options) == id {
                end = (ChildProcess.exitStatus(status), ContinuousClock.now - start, status & 0x80 != 0)
            }
            return end
        }
    }
}

package func allProcesses() -> [Int32] {
    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { Int32($0) }
}

/// The state, parent, group and session of a process, and what follows them in proc(5), stat; empty if it is gone.
package func statusFields(of process: Int32) -> [Substring] {
    let stat = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
    // The name before them is in parentheses.
    return stat.split(separator: ")").last?.split(separator: " ") ?? []
}

/// The program and arguments of a process, as every user of the machine can read them.
package func commandLine(of process: Int32) -> [String] {
    let bytes = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") ?? Data()
    return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
}

/// A program's standard input that ends when the object or the test process does.
///
/// A socket is used because it can be made close-on-exec in one step, so that no other program inherits it.
package final class Lifeline: Sendable {
    package let programEnd: Int32
    private let ownEnd: Int32

    package init() throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw NeverHappened(description: "no pair of sockets: error \(errno)")
        }
        (ownEnd, programEnd) = (ends[0], ends[1])
    }

    deinit {
        close(ownEnd)
        close(programEnd)
    }

    package func write(line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = Glibc.write(ownEnd, bytes, bytes.count)
    }

    package func endInput() { shutdown(ownEnd, Int32(SHUT_WR)) }
}
