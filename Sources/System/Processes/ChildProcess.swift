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
        try? run(command, adding: variables, within: milliseconds)
    }

    /// For callers that need to know why there is no output.
    ///
    /// The input is at most what a pipe holds at once (64 KiB). A leader of a session has no terminal: what it leaves
    /// running is then reached neither by Ctrl-C nor by the terminal's end (SIGHUP). The child is killed after the time
    /// limit, and beyond the limit of output in bytes: nothing that we run prints nearly 4 MiB, unless others can
    /// influence it.
    package static func run(
        _ command: [String], input: Secret? = nil, adding variables: [String: String] = [:],
        isSessionLeader: Bool = false, within milliseconds: Int64, atMost mostOutput: Int = 4 << 20,
        uptime: @escaping () -> Int64 = { SystemClock().uptimeMilliseconds }
    ) throws(Failure) -> [UInt8] {
        guard let toChild = Pipe(), let fromChild = Pipe() else { throw .notStarted }
        let writer = toChild.writer
        let reader = fromChild.reader
        guard
            let child = spawn(
                command, variables, isSessionLeader, reading: toChild.reader, writing: fromChild.writer)
        else { throw .notStarted }
        let isFed = input?.reveal { writer.write($0) } ?? true
        discard(consume writer)
        var patience = Patience(milliseconds: milliseconds, uptime: uptime)
        let output = isFed ? readAll(reader, &patience, atMost: mostOutput) : .failure(.failed)
        if (try? output.get()) == nil { patience = Patience(milliseconds: 0) }
        let hasSucceeded = hasSucceeded(child, &patience)
        let printed = try output.get()
        guard hasSucceeded else { throw patience.lasts() ? .failed : .timedOut }
        return printed
    }

    /// It is killed if it does not end in time: a child that has closed its output may continue forever.
    private static func hasSucceeded(_ child: pid_t, _ patience: inout Patience) -> Bool {
        // Usually it is just ending; nobody notices a tenth of a millisecond.
        while true {
            switch state(of: child) {
            case .running: break
            case .succeeded: return true
            case .failed: return false
            }
            if !patience.lasts() { kill(child, SIGKILL) }
            usleep(100)
        }
    }

    package enum State {
        case running
        /// Status 0.
        case succeeded
        /// Or its status is unknown: if SIGCHLD is ignored, the kernel keeps no status (waitpid(2)).
        case failed
    }

    /// Does not wait; after the child has ended, this can be called once.
    static func state(of child: pid_t) -> State {
        var status: Int32 = 0
        while true {
            switch waitpid(child, &status, WNOHANG) {
            case 0: return .running
            case child: return status == 0 ? .succeeded : .failed
            default: guard errno == EINTR else { return .failed }
            }
        }
    }

    /// So that the child sees the end of its input.
    private static func discard(_ descriptor: consuming FileDescriptor) {}

    /// It gets a session of its own and therefore no terminal, the null device for its output, and none of our
    /// descriptors, nor of those that the caller of git has left open.
    ///
    /// The process has to be waited for; nil if it could not be started. The input is at most what a pipe holds at once
    /// (64 KiB); nil for the null device. No shell is involved, and no secret may be among the arguments.
    static func detach(_ command: [String], input: String?) -> Int32? {
        guard let toChild = Pipe(), Array((input ?? "").utf8).withUnsafeBytes({ toChild.writer.write($0) }) else {
            return nil
        }
        return spawn(command, [:], flags: setsidFlag) { actions in
            if input == nil {
                posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
            } else {
                posix_spawn_file_actions_adddup2(&actions, toChild.reader.number, STDIN_FILENO)
            }
            posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
            _ = gitspace_close_from(&actions, STDERR_FILENO + 1)
        }
    }

    /// Input, output and standard error are pipes.
    static func start(
        _ command: [String], reading: borrowing FileDescriptor, writing: borrowing FileDescriptor,
        reporting: borrowing FileDescriptor
    ) -> pid_t? {
        let (input, output, errors) = (reading.number, writing.number, reporting.number)
        return spawn(command, [:], flags: 0) { actions in
            posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
            posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
            posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
        }
    }

    /// POSIX_SPAWN_SETSID of <spawn.h>, which glibc declares only for _GNU_SOURCE.
    private static let setsidFlag: Int32 = 0x80

    private static func spawn(
        _ command: [String], _ variables: [String: String], _ isSessionLeader: Bool,
        reading: consuming FileDescriptor, writing: consuming FileDescriptor
    ) -> pid_t? {
        spawn(command, variables, flags: isSessionLeader ? setsidFlag : 0) { actions in
            posix_spawn_file_actions_adddup2(&actions, reading.number, STDIN_FILENO)
            posix_spawn_file_actions_adddup2(&actions, writing.number, STDOUT_FILENO)
        }
    }

    private static func spawn(
        _ command: [String], _ variables: [String: String], flags: Int32,
        redirecting: (inout posix_spawn_file_actions_t) -> Void
    ) -> pid_t? {
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
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | flags))
        var arguments = command.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        let added = variables.map { strdup("\($0)=\($1)") }
        defer { added.forEach { free($0) } }
        var environment = Environment.entries(without: Array(variables.keys)) + added + [nil]
        var child: pid_t = 0
        // Not posix_spawnp(3), whose search would run a program in the directory where git happens to be.
        guard posix_spawn(&child, program, &actions, &attributes, &arguments, &environment) == 0 else { return nil }
        return child
    }

    private static func readAll(
        _ reader: borrowing FileDescriptor, _ patience: inout Patience, atMost mostOutput: Int
    ) -> Result<[UInt8], Failure> {
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        defer { buffer.wipe() }
        while output.count <= mostOutput {
            guard patience.lasts() else { return .failure(.timedOut) }
            var input = pollfd(fd: reader.number, events: Int16(POLLIN), revents: 0)
            guard poll(&input, 1, Int32(Patience.interval)) > 0 else { continue }
            let count = buffer.withUnsafeMutableBytes { FileDescriptor.read(reader.number, into: $0) }
            guard count >= 0 else { return .failure(.failed) }
            if count == 0 { return .success(output) }
            output += buffer[..<count]
        }
        return .failure(.tooMuch)
    }
}

/// A browser, or a clipboard program.
///
/// It gets a session of its own and therefore no terminal, the null device for its output, and none of our descriptors:
/// a browser that keeps running must neither write into git's protocol nor keep a pipe of git's open. It continues
/// after this process has ended.
package struct DetachedProcess {
    private let id: pid_t
    private var end: ChildProcess.State?

    /// On the PATH, without a shell; nil if it could not be started.
    ///
    /// No secret may be among the arguments.
    package init?(_ command: [String], input: String? = nil) {
        guard let id = ChildProcess.detach(command, input: input) else { return nil }
        self.id = id
    }

    /// Does not wait.
    package mutating func look() -> ChildProcess.State {
        if let end { return end }
        let state = ChildProcess.state(of: id)
        if state != .running { end = state }
        return state
    }

    /// Its process ID belongs to it until we have seen its end.
    package mutating func stop() {
        guard look() == .running else { return }
        kill(id, SIGKILL)
        waitpid(id, nil, 0)
        end = .failed
    }
}

/// No child inherits an end by accident: pipe2(2).
struct Pipe: ~Copyable {
    let reader: FileDescriptor
    let writer: FileDescriptor

    init?() {
        var ends: [Int32] = [-1, -1]
        guard gitspace_pipe(&ends) == 0, let reader = FileDescriptor(ends[0]), let writer = FileDescriptor(ends[1])
        else { return nil }
        self.reader = reader
        self.writer = writer
    }
}
