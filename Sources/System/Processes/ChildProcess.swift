internal import CProcess
package import CredentialCore
internal import Glibc

/// A program that we have started: its ID belongs to it until we have seen its end.
///
/// No shell is involved, and no secret may be among the arguments.
package final class ChildProcess {
    /// Its standard streams, and what else it shares with us; standard error is the null device unless it says otherwise.
    package enum IO {
        /// Pipes to us, none of which can hold us up; it sees the end of its input when we end, however we end.
        ///
        /// `errors` gets what it writes to standard error, in pieces, while it is waited for or asked whether it has
        /// ended. A leader of a session has no terminal: what it leaves running is then reached neither by Ctrl-C nor by
        /// the terminal's end (SIGHUP). Otherwise the terminal, in which it may ask for a password, is ours.
        case pipes(isSessionLeader: Bool = false, errors: (([UInt8]) -> Void)? = nil)
        /// For a browser, or a clipboard program: a session of its own, no output, and none of our descriptors, nor of
        /// those that the caller of git has left open. One that keeps running must neither write into git's protocol nor
        /// keep a pipe of git's open, and it continues after this process has ended.
        ///
        /// The input is at most what a pipe holds at once (64 KiB); nil for the null device.
        case detached(input: String? = nil)
        /// These descriptors as its input and output, and no other; it ends with its owner.
        case given(input: Int32, output: Int32)
    }

    package enum State {
        case running
        /// Status 0.
        case succeeded
        /// Or its status is unknown: if SIGCHLD is ignored, the kernel keeps no status (waitpid(2)).
        case failed
    }

    package enum Failure: Error {
        /// Or it does not exist.
        case notStarted
        case failed
        case timedOut
        case tooMuch
    }

    private let id: pid_t
    /// Becomes readable at its end; nil before Linux 5.3.
    private let handle: Handle?
    private var end: State?
    /// Each is nil once it has been ended, by whichever side.
    private var input: Handle?
    private var output: Handle?
    private var errors: Handle?
    private var onStandardError: ([UInt8]) -> Void = { _ in }
    private let endsWithOwner: Bool

    /// Milliseconds: SIGKILL does not end what the kernel or another user keeps.
    private static let grace: Int64 = 1_000

    /// On the PATH (`ProgramSearch`); nil if it could not be started.
    package init?(_ command: [String], adding variables: [String: String] = [:], io: IO = .pipes()) {
        guard let toChild = Pipe(), let fromChild = Pipe(), let errorsOfChild = Pipe() else { return nil }
        var streams: [Int32?]
        var (isLeader, isShut, endsWithOwner) = (true, true, false)
        switch io {
        case .pipes(let isSessionLeader, let errors):
            streams = [
                toChild.reader.number, fromChild.writer.number, errors == nil ? nil : errorsOfChild.writer.number,
            ]
            (isLeader, isShut) = (isSessionLeader, false)
        case .detached(let text):
            streams = [text == nil ? nil : toChild.reader.number, nil, nil]
            guard fcntl(toChild.writer.number, F_SETFL, O_NONBLOCK) == 0,
                Array((text ?? "").utf8).withUnsafeBytes({ toChild.writer.write($0) })
            else { return nil }
        case .given(let input, let output):
            streams = [input, output, nil]
            endsWithOwner = true
        }
        guard let id = Self.spawn(command, variables, streams, isLeader, isShut) else { return nil }
        self.id = id
        self.endsWithOwner = endsWithOwner
        handle = Handle(FileDescriptor(gitspace_process_descriptor(id)))
        guard case .pipes(_, let onStandardError) = io else { return }
        input = Handle(toChild.writer)
        output = Handle(fromChild.reader)
        if let onStandardError {
            self.onStandardError = onStandardError
            errors = Handle(errorsOfChild.reader)
        }
        for end in [input, output, errors] { if let end { _ = fcntl(end.number, F_SETFL, O_NONBLOCK) } }
    }

    deinit { if endsWithOwner { stop() } }

    /// Standard output of a program that gets no input; nil if it could not be started, failed, or took too long.
    package static func output(
        of command: [String], adding variables: [String: String] = [:], within milliseconds: Int64
    ) -> [UInt8]? {
        try? run(command, adding: variables, within: milliseconds).reveal { Array($0) }
    }

    /// For callers that need to know why there is no output.
    ///
    /// The child is killed after the time limit, and beyond the limit of output in bytes: nothing that we run prints
    /// nearly 4 MiB, unless others can influence it. What it leaves running is not waited for.
    package static func run(
        _ command: [String], input: Secret? = nil, adding variables: [String: String] = [:],
        isSessionLeader: Bool = false, errors: (([UInt8]) -> Void)? = nil, within milliseconds: Int64,
        atMost mostOutput: Int = 4 << 20,
        uptime: @escaping () -> Int64 = { SystemClock().uptimeMilliseconds }
    ) throws(Failure) -> Secret {
        guard
            let process = ChildProcess(
                command, adding: variables, io: .pipes(isSessionLeader: isSessionLeader, errors: errors))
        else { throw .notStarted }
        return try process.output(
            after: input ?? Secret([]),
            within: Deadline(in: milliseconds, uptime: uptime, crowd: { Crowd.now }), atMost: mostOutput)
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

    /// With SIGKILL.
    package func stop() {
        guard state == .running else { return }
        kill(id, SIGKILL)
        var deadline = Deadline(in: Self.grace)
        while state == .running, deadline.lasts() { wait(deadline) }
    }

    /// For its end, or until something can be read or written; not longer than from one look to the next.
    private func wait(_ deadline: Deadline, reading: Handle?..., writing: Handle? = nil) {
        // Where nothing tells its end, it is looked for more often.
        deadline.wait(
            reading: (reading + [handle]).compactMap { $0?.number }, writing: [writing].compactMap { $0?.number },
            atMost: handle == nil ? Deadline.interval / 10 : Deadline.interval)
    }
}

/// Talking through pipes.
extension ChildProcess {
    /// Or it has closed its output.
    ///
    /// Drops what it has written since its last line. Nobody reads that, and it would keep the descriptor readable, so
    /// that whoever waits for the end would look again and again without a pause.
    package var hasEnded: Bool {
        listen()
        _ = Self.read(&output)
        return output == nil || state != .running
    }

    /// The descriptors of which one becomes readable when it says something, or ends; then ask `hasEnded`, which may
    /// close one of them.
    package var numbers: [Int32] { [output, errors, handle].compactMap { $0?.number } }

    /// What is there, a page at most; at its end, the pipe is closed.
    private static func read(_ pipe: inout Handle?, atMost most: Int = 4_096) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: most)
        let count = bytes.withUnsafeMutableBytes { read(&pipe, into: $0) }
        bytes.removeLast(most - count)
        return bytes
    }

    /// How many bytes were there; at its end, the pipe is closed.
    private static func read(_ pipe: inout Handle?, into room: UnsafeMutableRawBufferPointer) -> Int {
        guard let number = pipe?.number else { return 0 }
        do {
            guard let count = try Errno.unlessBusy({ Glibc.read(number, room.baseAddress, room.count) }) else {
                return 0
            }
            if count == 0 { pipe = nil }
            return count
        } catch {
            pipe = nil
            return 0
        }
    }

    /// False if there was nothing.
    @discardableResult private func listen() -> Bool {
        let bytes = Self.read(&errors)
        if !bytes.isEmpty { onStandardError(bytes) }
        return !bytes.isEmpty
    }

    /// As many bytes as it takes now; all of them if it takes no more for good.
    private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let number = input?.number, !bytes.isEmpty else { return bytes.count }
        do {
            return try Errno.unlessBusy { Glibc.write(number, bytes.baseAddress, bytes.count) } ?? 0
        } catch {
            input = nil
            return bytes.count
        }
    }

    /// All that it prints until it has ended, after it has been given its input.
    private func output(
        after given: Secret, within deadline: Deadline, atMost most: Int
    ) throws(Failure) -> Secret {
        var deadline = deadline
        var printed = Secret.Builder()
        var written = 0
        while deadline.lasts() {
            // First whether it has ended: then all that it has written is there.
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

    /// Without its end; nil if the program ends without one, or takes too long, or the line has more than 4 KiB.
    ///
    /// `isInterrupted` is asked ten times a second; once true, the wait is over.
    package func line(within milliseconds: Int64, unless isInterrupted: () -> Bool) -> [UInt8]? {
        var deadline = Deadline(in: milliseconds)
        var line: [UInt8] = []
        while !isInterrupted(), line.count < 4_096, deadline.lasts() {
            let state = state
            listen()
            // Byte by byte: what follows the line is somebody else's to read.
            let byte = Self.read(&output, atMost: 1)
            if byte.first == UInt8(ascii: "\n") { return line }
            line += byte
            guard byte.isEmpty else { continue }
            guard output != nil, state == .running else { return nil }
            wait(deadline, reading: output, errors)
        }
        return nil
    }

    /// False if it does not take the line in time, or if its input has been ended.
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

    /// Ends its input, and kills it if its end takes too long.
    package func finish(within milliseconds: Int64) {
        input = nil
        var deadline = Deadline(in: milliseconds)
        while state == .running, deadline.lasts() {
            if !listen() { wait(deadline, reading: errors) }
        }
        // What a pipe holds; a program that it has left behind may go on for ever.
        var pieces = 0
        while pieces < 16, listen() { pieces += 1 }
        stop()
    }
}

extension ChildProcess {
    /// POSIX_SPAWN_SETSID of <spawn.h>, which glibc declares only for _GNU_SOURCE.
    private static let setsidFlag: Int32 = 0x80

    /// Each of the three streams is a descriptor of ours, or nil for the null device.
    private static func spawn(
        _ command: [String], _ variables: [String: String], _ streams: [Int32?], _ isSessionLeader: Bool,
        _ isShut: Bool
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
        return child
    }
}
