internal import CProcess
package import CredentialCore
internal import Glibc

/// A program that is run for its output, with a time limit.
package enum ChildProcess {
    package enum Failure: Error {
        /// Or it does not exist.
        case notStarted
        case failed
        case timedOut
        case tooMuch
    }

    /// On the PATH (`ProgramSearch`); nil if it could not be started, failed, or took too long.
    ///
    /// The child gets no input and none of our descriptors; its standard error is dropped. No shell is involved, and no
    /// secret may be among the arguments. After the time limit, the child is killed.
    package static func output(
        of command: [String], adding variables: [String: String] = [:], within milliseconds: Int64
    ) -> [UInt8]? {
        try? run(command, adding: variables, within: milliseconds).reveal { Array($0) }
    }

    /// For callers that need to know why there is no output.
    ///
    /// A leader of a session has no terminal: what it leaves running is then reached neither by Ctrl-C nor by the
    /// terminal's end (SIGHUP). The child is killed after the time limit, and beyond the limit of output in bytes: nothing
    /// that we run prints nearly 4 MiB, unless others can influence it. What it leaves running is not waited for.
    package static func run(
        _ command: [String], input: Secret? = nil, adding variables: [String: String] = [:],
        isSessionLeader: Bool = false, within milliseconds: Int64, atMost mostOutput: Int = 4 << 20,
        uptime: @escaping () -> Int64 = { SystemClock().uptimeMilliseconds }
    ) throws(Failure) -> Secret {
        guard
            let process = PipedProcess(
                command, adding: variables, isSessionLeader: isSessionLeader, onStandardError: nil)
        else { throw .notStarted }
        return try process.output(
            after: input ?? Secret([]),
            within: Deadline(in: milliseconds, uptime: uptime, crowd: { Crowd.now }), atMost: mostOutput)
    }

    package enum State {
        case running
        /// Status 0.
        case succeeded
        /// Or its status is unknown: if SIGCHLD is ignored, the kernel keeps no status (waitpid(2)).
        case failed
    }

    /// It gets a session of its own and therefore no terminal, the null device for its output, and none of our
    /// descriptors, nor of those that the caller of git has left open.
    ///
    /// Nil if it could not be started. The input is at most what a pipe holds at once (64 KiB); nil for the null device.
    /// No shell is involved, and no secret may be among the arguments.
    static func detach(_ command: [String], input: String?) -> Child? {
        guard let toChild = Pipe(), fcntl(toChild.writer.number, F_SETFL, O_NONBLOCK) == 0,
            Array((input ?? "").utf8).withUnsafeBytes({ toChild.writer.write($0) })
        else { return nil }
        return spawn(command, isSessionLeader: true) { actions in
            if input == nil {
                posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
            } else {
                posix_spawn_file_actions_adddup2(&actions, toChild.reader.number, STDIN_FILENO)
            }
            posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
            _ = gitspace_close_from(&actions, STDERR_FILENO + 1)
        }
    }

    /// POSIX_SPAWN_SETSID of <spawn.h>, which glibc declares only for _GNU_SOURCE.
    private static let setsidFlag: Int32 = 0x80

    /// Standard error is the null device, unless it is redirected.
    static func spawn(
        _ command: [String], adding variables: [String: String] = [:], isSessionLeader: Bool = false,
        redirecting: (inout posix_spawn_file_actions_t) -> Void
    ) -> Child? {
        guard let program = command.first.flatMap(ProgramSearch.find) else { return nil }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        redirecting(&actions)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Signals that are blocked in this process would stay blocked in the child.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var ignored = sigset_t()
        sigemptyset(&ignored)
        for signal in [SIGPIPE, SIGCHLD] { sigaddset(&ignored, signal) }
        posix_spawnattr_setsigdefault(&attributes, &ignored)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (isSessionLeader ? Self.setsidFlag : 0)
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var arguments = command.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        let added = variables.map { strdup("\($0)=\($1)") }
        defer { added.forEach { free($0) } }
        var environment = Environment.entries(without: Array(variables.keys)) + added + [nil]
        var child: pid_t = 0
        // Not posix_spawnp(3), whose search would run a program in the directory where git happens to be.
        guard posix_spawn(&child, program, &actions, &attributes, &arguments, &environment) == 0 else { return nil }
        return Child(child)
    }
}

/// A browser, or a clipboard program.
///
/// It gets a session of its own and therefore no terminal, the null device for its output, and none of our descriptors:
/// a browser that keeps running must neither write into git's protocol nor keep a pipe of git's open. It continues
/// after this process has ended.
package struct DetachedProcess {
    private let child: Child

    /// On the PATH, without a shell; nil if it could not be started.
    ///
    /// No secret may be among the arguments.
    package init?(_ command: [String], input: String? = nil) {
        guard let child = ChildProcess.detach(command, input: input) else { return nil }
        self.child = child
    }

    /// Does not wait.
    package func look() -> ChildProcess.State { child.state }

    package func stop() { child.stop() }
}
