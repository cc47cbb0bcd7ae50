internal import CProcess
package import CredentialCore
internal import Glibc

/// A program that we have started, without a shell; its process ID stays valid until its end has been seen.
///
/// No secret may be among the arguments.
package final class ChildProcess {
    /// Standard error is the null device by default.
    package enum IO {
        /// Pipes to us, which never block us; the child's input ends when we end, however we end.
        ///
        /// `errors` gets the child's standard error in pieces, during a wait or a call of `hasEnded`. A session leader
        /// has no terminal, so neither Ctrl-C nor SIGHUP reaches what it leaves running. Otherwise the child shares our
        /// terminal, in which it may ask for a password.
        case pipes(isSessionLeader: Bool = false, errors: (([UInt8]) -> Void)? = nil)
        /// A session of its own without output, for a browser or a clipboard program.
        ///
        /// The child inherits no descriptor, not even of git's caller: it may outlive us, and must neither write into
        /// git's protocol nor keep git's pipes open. The input is at most what a pipe holds (64 KiB).
        case detached(input: String? = nil)
        /// These descriptors as input and output; the child ends with its owner.
        case given(input: Int32, output: Int32)
    }

    package enum State {
        case running
        case succeeded
        /// The exit status is not 0, or unknown: if SIGCHLD is ignored, the kernel keeps none (waitpid(2)).
        case failed
    }

    package enum Failure: Error {
        case notStarted
        case failed
        case timedOut
        case tooMuch
    }

    private let id: pid_t
    /// A pidfd, readable at the child's end; `nil` before Linux 5.3.
    private let handle: Handle?
    private var end: State?
    /// `nil` once either side has closed the pipe.
    private var input: Handle?
    private var output: Handle?
    private var errors: Handle?
    private var onStandardError: (([UInt8]) -> Void)?
    private let endsWithOwner: Bool

    /// Milliseconds to wait after SIGKILL, which may not end a process that the kernel holds or another user owns.
    private static let grace: Int64 = 1_000

    /// Starts a program on the PATH (`ProgramSearch`); returns `nil` if that fails.
    package init?(_ command: [String], io: IO = .pipes()) {
        guard let toChild = Pipe(), let fromChild = Pipe(), let errorsOfChild = Pipe() else { return nil }
        var streams: [Int32?]
        var (isLeader, isShut, endsWithOwner) = (true, true, false)
        switch io {
        case .pipes(let isSessionLeader, let errors):
            streams = [
                Self.number(toChild.reader), Self.number(fromChild.writer),
                errors == nil ? nil : Self.number(errorsOfChild.writer),
            ]
            (isLeader, isShut) = (isSessionLeader, false)
        case .detached(let text):
            streams = [text == nil ? nil : Self.number(toChild.reader), nil, nil]
            guard Self.fill(toChild.writer, with: text ?? "") else { return nil }
        case .given(let input, let output):
            streams = [input, output, nil]
            endsWithOwner = true
        }
        guard let id = Self.spawn(command, streams, isLeader, isShut) else { return nil }
        self.id = id
        self.endsWithOwner = endsWithOwner
        handle = Handle(FileDescriptor(gitspace_process_descriptor(id)))
        let ours = (Handle(toChild.writer), Handle(fromChild.reader), Handle(errorsOfChild.reader))
        guard case .pipes(_, let onStandardError) = io else { return }
        self.onStandardError = onStandardError
        (input, output, errors) = (ours.0, ours.1, onStandardError == nil ? nil : ours.2)
        for end in [input, output, errors] { if let end { _ = fcntl(end.number, F_SETFL, O_NONBLOCK) } }
    }

    deinit { if endsWithOwner { stop() } }

    // Functions of their own: Swift 6.0's optimizer crashes if one function reads an end and takes it.
    @inline(never) private static func number(_ end: borrowing FileDescriptor) -> Int32 { end.number }

    @inline(never) private static func fill(_ end: borrowing FileDescriptor, with text: String) -> Bool {
        guard fcntl(end.number, F_SETFL, O_NONBLOCK) == 0 else { return false }
        return Array(text.utf8).withUnsafeBytes { end.write($0) }
    }

    /// Milliseconds for a program that answers at once.
    package static let usualLimit: Int64 = 5_000

    /// `nil` if the program could not be started, failed, or took too long.
    package static func output(of command: [String], within milliseconds: Int64 = usualLimit) -> [UInt8]? {
        try? run(command, within: milliseconds).reveal { Array($0) }
    }

    /// Runs a program, and returns its output or the reason why there is none.
    ///
    /// The child is killed at the time limit and at the limit of output, in bytes: our programs print far less than 4
    /// MiB unless others influence them. Processes that it leaves running are not waited for.
    package static func run(
        _ command: [String], input: Secret? = nil, isSessionLeader: Bool = false, errors: (([UInt8]) -> Void)? = nil,
        within milliseconds: Int64 = usualLimit, atMost mostOutput: Int = 4 << 20,
        uptime: @escaping () -> Int64 = { SystemClock().uptimeMilliseconds }
    ) throws(Failure) -> Secret {
        guard let process = ChildProcess(command, io: .pipes(isSessionLeader: isSessionLeader, errors: errors)) else {
            throw .notStarted
        }
        return try process.output(
            after: input ?? Secret([]), within: Deadline(in: milliseconds, uptime: uptime, crowd: { Crowd.now }),
            atMost: mostOutput)
    }

    /// Does not wait.
    package var state: State {
        if let end { return end }
        var status: Int32 = 0
        let ended = try? Errno.unlessBusy { Int(waitpid(id, &status, WNOHANG)) }
        guard ended != 0 else { return .running }
        let state = ended == Int(id) && status == 0 ? State.succeeded : .failed
        end = state
        return state
    }

    package func stop() {
        guard state == .running else { return }
        kill(id, SIGKILL)
        var deadline = Deadline(in: Self.grace)
        while state == .running, deadline.lasts() { wait(deadline) }
    }

    /// Waits for the end or until a pipe is ready, at most until the next look.
    private func wait(_ deadline: Deadline, reading: Handle?..., writing: Handle? = nil) {
        // Without a pidfd, look for the end more often.
        deadline.wait(
            reading: (reading + [handle]).compactMap { $0?.number }, writing: [writing].compactMap { $0?.number },
            atMost: handle == nil ? Deadline.interval / 10 : Deadline.interval)
    }

    /// Whether the child has ended or closed its output; drops output, which would keep the descriptor readable.
    package var hasEnded: Bool {
        listen()
        _ = Self.read(&output)
        return output == nil || state != .running
    }

    /// The descriptors that become readable on output or at the end; then call `hasEnded`, which may close one of them.
    package var numbers: [Int32] { [output, errors, handle].compactMap { $0?.number } }

    /// Reads what is available; closes the pipe at its end.
    private static func read(_ pipe: inout Handle?, atMost most: Int = 4_096) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: most)
        let count = bytes.withUnsafeMutableBytes { read(&pipe, into: $0) }
        bytes.removeLast(most - count)
        return bytes
    }

    private static func read(_ pipe: inout Handle?, into room: UnsafeMutableRawBufferPointer) -> Int {
        guard let number = pipe?.number else { return 0 }
        let nothing = -1
        // A failure counts as the end.
        let count = (try? Errno.unlessBusy { Glibc.read(number, room.baseAddress, room.count) } ?? nothing) ?? 0
        if count == 0 { pipe = nil }
        return max(count, 0)
    }

    /// False if there was nothing.
    @discardableResult private func listen() -> Bool {
        let bytes = Self.read(&errors)
        if !bytes.isEmpty { onStandardError?(bytes) }
        return !bytes.isEmpty
    }

    /// Writes what the pipe accepts now, and returns the number of bytes; all of them if the pipe is closed.
    private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let number = input?.number, !bytes.isEmpty else { return bytes.count }
        let count = try? Errno.unlessBusy { Glibc.write(number, bytes.baseAddress, bytes.count) } ?? 0
        if count == nil { input = nil }
        return count ?? bytes.count
    }

    /// Gives the child its input, and returns all its output until it ends.
    private func output(after given: Secret, within deadline: Deadline, atMost most: Int) throws(Failure) -> Secret {
        var deadline = deadline
        var printed = Secret.Builder()
        var written = 0
        while deadline.lasts() {
            // Before the output is read, so that after the end, all of it is there.
            let state = state
            written += given.reveal { write(UnsafeRawBufferPointer(rebasing: $0[written...])) }
            if written == given.count { input = nil }
            listen()
            let isNothing = printed.append { Self.read(&output, into: $0) } <= 0
            guard printed.count <= most else {
                stop()
                throw .tooMuch
            }
            guard isNothing else { continue }
            switch state {
            case .succeeded: return printed.finish()
            case .failed: throw .failed
            case .running: wait(deadline, reading: output, errors, writing: input)
            }
        }
        stop()
        throw .timedOut
    }

    /// The next line without its end; `nil` if the child ends before it, the time is over, or it exceeds 4 KiB.
    ///
    /// `isInterrupted` is called ten times a second; if it returns true, the wait ends.
    package func line(within milliseconds: Int64, unless isInterrupted: () -> Bool) -> [UInt8]? {
        var deadline = Deadline(in: milliseconds)
        var line: [UInt8] = []
        while !isInterrupted(), line.count < 4_096, deadline.lasts() {
            let state = state
            listen()
            // Byte by byte, since the bytes after the line belong to another reader.
            let byte = Self.read(&output, atMost: 1)
            if byte.first == UInt8(ascii: "\n") { return line }
            line += byte
            guard byte.isEmpty else { continue }
            guard output != nil, state == .running else { return nil }
            wait(deadline, reading: output, errors)
        }
        return nil
    }

    /// Returns false if the child does not read the line in time, or its input has been closed.
    package func send(line: String, within milliseconds: Int64) -> Bool {
        var deadline = Deadline(in: milliseconds)
        var rest = Array((line + "\n").utf8)[...]
        while deadline.lasts(), input != nil {
            rest = rest.dropFirst(rest.withUnsafeBytes { write($0) })
            guard !rest.isEmpty else { return input != nil }
            listen()
            wait(deadline, reading: errors, writing: input)
        }
        return false
    }

    /// Closes the child's input, and kills it if it does not end in time.
    package func finish(within milliseconds: Int64) {
        input = nil
        var deadline = Deadline(in: milliseconds)
        while state == .running, deadline.lasts() {
            if !listen() { wait(deadline, reading: errors) }
        }
        // At most what a pipe holds: a program that the child left behind may write for ever.
        for _ in 0..<16 { guard listen() else { break } }
        stop()
    }

    /// POSIX_SPAWN_SETSID of <spawn.h>, which glibc declares only for _GNU_SOURCE.
    private static let setsidFlag: Int32 = 0x80

    /// Each stream is a descriptor of ours, or `nil` for the null device.
    private static func spawn(
        _ command: [String], _ streams: [Int32?], _ isSessionLeader: Bool, _ isShut: Bool
    ) -> pid_t? {
        guard let program = command.first.flatMap(ProgramSearch.find) else { return nil }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, stream) in zip(streams, [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]) {
            if let number {
                posix_spawn_file_actions_adddup2(&actions, number, stream)
            } else {
                posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0)
            }
        }
        if isShut { _ = gitspace_close_from(&actions, STDERR_FILENO + 1) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Signals that are blocked or ignored in this process would stay so in the child.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGPIPE, SIGCHLD] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (isSessionLeader ? Self.setsidFlag : 0)
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var arguments = command.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var child: pid_t = 0
        // posix_spawnp(3) would run a program in the directory where git happens to be.
        guard posix_spawn(&child, program, &actions, &attributes, &arguments, environ) == 0 else { return nil }
        return child
    }
}
