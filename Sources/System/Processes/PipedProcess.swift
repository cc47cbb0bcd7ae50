internal import CredentialCore
internal import Glibc

/// A program with which we talk through pipes, none of which can hold us up.
///
/// It sees the end of its input when we end, however we end. The terminal, in which it may ask for a password, is ours.
package final class PipedProcess {
    private let child: Child
    /// Each is nil once it has been ended, by whichever side.
    private var input: Handle?
    private var output: Handle?
    private var errors: Handle?
    private let onStandardError: ([UInt8]) -> Void

    /// On the PATH; nil if it could not be started.
    ///
    /// `onStandardError` gets what it writes there, in pieces, while it is waited for or asked whether it has ended; nil
    /// for the null device.
    package init?(
        _ command: [String], adding variables: [String: String] = [:], isSessionLeader: Bool = false,
        onStandardError: (([UInt8]) -> Void)? = { _ in }
    ) {
        guard let toChild = Pipe(), let fromChild = Pipe(), let errorsOfChild = Pipe() else { return nil }
        guard
            let child = Self.spawn(
                command, variables, isSessionLeader, toChild.reader, fromChild.writer, errorsOfChild.writer,
                onStandardError != nil)
        else { return nil }
        self.child = child
        self.onStandardError = onStandardError ?? { _ in }
        input = Handle(toChild.writer)
        output = Handle(fromChild.reader)
        errors = Handle(errorsOfChild.reader)
        for end in [input, output, errors] { if let end { _ = fcntl(end.number, F_SETFL, O_NONBLOCK) } }
    }

    /// The ends of the pipes are borrowed until it has started.
    private static func spawn(
        _ command: [String], _ variables: [String: String], _ isSessionLeader: Bool,
        _ input: borrowing FileDescriptor, _ output: borrowing FileDescriptor, _ errors: borrowing FileDescriptor,
        _ reportsErrors: Bool
    ) -> Child? {
        let numbers = [input.number, output.number] + (reportsErrors ? [errors.number] : [])
        return ChildProcess.spawn(command, adding: variables, isSessionLeader: isSessionLeader) { actions in
            for (stream, number) in zip([STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO], numbers) {
                posix_spawn_file_actions_adddup2(&actions, number, stream)
            }
        }
    }

    /// Or it has closed its output.
    ///
    /// Drops what it has written since its last line. Nobody reads that, and it would keep the descriptor readable, so
    /// that whoever waits for the end would look again and again without a pause.
    package var hasEnded: Bool {
        listen()
        _ = Self.read(&output)
        return output == nil || child.state != .running
    }

    /// The descriptors of which one becomes readable when it says something, or ends; then ask `hasEnded`, which may
    /// close one of them.
    package var numbers: [Int32] { [output?.number, errors?.number, child.number].compactMap(\.self) }

    /// What is there, a page at most; at its end, the pipe is closed.
    private static func read(_ pipe: inout Handle?, atMost most: Int = 4_096) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: most)
        let count = bytes.withUnsafeMutableBytes { read(&pipe, into: $0) }
        bytes.removeLast(most - max(count, 0))
        return bytes
    }

    /// How many bytes were there; at its end, the pipe is closed.
    private static func read(_ pipe: inout Handle?, into room: UnsafeMutableRawBufferPointer) -> Int {
        guard let number = pipe?.number else { return 0 }
        let count = FileDescriptor.read(number, into: room)
        if count == 0 || count < 0 && errno != EAGAIN { pipe = nil }
        return count
    }

    /// False if there was nothing.
    @discardableResult private func listen() -> Bool {
        let bytes = Self.read(&errors)
        if !bytes.isEmpty { onStandardError(bytes) }
        return !bytes.isEmpty
    }

    /// As many bytes as it takes now; all of them if it takes no more for good.
    private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        while let number = input?.number, !bytes.isEmpty {
            let count = Glibc.write(number, bytes.baseAddress, bytes.count)
            if count >= 0 { return count }
            if errno == EAGAIN { return 0 }
            if errno != EINTR { input = nil }
        }
        return bytes.count
    }

    /// All that it prints until it has ended, after it has been given its input.
    func output(
        after given: Secret, within deadline: Deadline, atMost most: Int
    ) throws(ChildProcess.Failure) -> Secret {
        var deadline = deadline
        var printed = Secret.Builder()
        var written = 0
        while deadline.lasts() {
            // First whether it has ended: then all that it has written is there.
            let state = child.state
            written += given.reveal { write(UnsafeRawBufferPointer(rebasing: $0[written...])) }
            if written == given.count { input = nil }
            let isNothing = printed.append { Self.read(&output, into: $0) } <= 0
            guard printed.count <= most else {
                child.stop()
                throw .tooMuch
            }
            guard isNothing else { continue }
            switch state {
            case .succeeded: return printed.finish()
            case .failed: throw .failed
            case .running: child.wait(reading: [output].compactMap { $0?.number }, writing: input?.number)
            }
        }
        child.stop()
        throw .timedOut
    }

    /// Without its end; nil if the program ends without one, or takes too long, or the line has more than 4 KiB.
    ///
    /// `isInterrupted` is asked ten times a second; once true, the wait is over.
    package func line(within milliseconds: Int64, unless isInterrupted: () -> Bool) -> [UInt8]? {
        var deadline = Deadline(in: milliseconds)
        var line: [UInt8] = []
        while !isInterrupted(), line.count < 4_096, deadline.lasts() {
            let state = child.state
            listen()
            // Byte by byte: what follows the line is somebody else's to read.
            let byte = Self.read(&output, atMost: 1)
            if byte.first == UInt8(ascii: "\n") { return line }
            line += byte
            guard byte.isEmpty else { continue }
            guard output != nil, state == .running else { return nil }
            child.wait(reading: [output, errors].compactMap { $0?.number })
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
            child.wait(reading: [errors].compactMap { $0?.number }, writing: input?.number)
        }
        return false
    }

    /// Ends its input, and kills it if its end takes too long.
    package func finish(within milliseconds: Int64) {
        input = nil
        var deadline = Deadline(in: milliseconds)
        while child.state == .running, deadline.lasts() {
            if !listen() { child.wait(reading: [errors].compactMap { $0?.number }) }
        }
        // What a pipe holds; a program that it has left behind may go on for ever.
        var pieces = 0
        while pieces < 16, listen() { pieces += 1 }
        child.stop()
    }
}
