internal import Glibc

/// It sees the end of its input when we end, however we end.
///
/// The terminal, in which it may ask for a password, is ours.
package final class PipedProcess {
    private let id: pid_t
    /// Its input, and the number of that; both nil once it has been ended, since the number may then be another file's.
    private var input: FileDescriptor?
    private var inputNumber: Int32?
    private let output: FileDescriptor
    /// Its standard error, and the number of that; both nil once it has closed it.
    private var errors: FileDescriptor?
    private var errorNumber: Int32?
    private let hear: ([UInt8]) -> Void
    private var end: ChildProcess.State?

    /// On the PATH; nil if it could not be started.
    ///
    /// `hear` gets what it writes to standard error, in pieces, while it is waited for or asked whether it has ended.
    package init?(_ command: [String], hearing hear: @escaping ([UInt8]) -> Void = { _ in }) {
        guard let toChild = Pipe(), let fromChild = Pipe(), let errorsOfChild = Pipe(),
            let id = ChildProcess.start(
                command, reading: toChild.reader, writing: fromChild.writer, reporting: errorsOfChild.writer)
        else { return nil }
        self.hear = hear
        self.id = id
        let input = toChild.writer
        inputNumber = input.number
        self.input = consume input
        output = fromChild.reader
        let errors = errorsOfChild.reader
        errorNumber = errors.number
        self.errors = consume errors
    }

    /// Or it has closed its output.
    ///
    /// Drops what it has written since its last line. Nobody reads that, and it would keep the descriptor readable, so
    /// that whoever waits for the end would look again and again without a pause.
    package var hasEnded: Bool {
        listen()
        if Self.isReadable(output.number) {
            var dropped = [UInt8](repeating: 0, count: 4_096)
            if dropped.withUnsafeMutableBytes({ output.read(into: $0) }) <= 0 { return true }
        }
        return isGone
    }

    private var isGone: Bool {
        if end == nil {
            let state = ChildProcess.state(of: id)
            if state != .running { end = state }
        }
        return end != nil
    }

    /// The descriptors of which one becomes readable when it says something, or ends; then ask `hasEnded`, which may
    /// close one of them.
    package var numbers: [Int32] { [output.number] + [errorNumber].compactMap(\.self) }

    private static func isReadable(_ number: Int32) -> Bool {
        var ready = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        return poll(&ready, 1, 0) > 0
    }

    /// As much as fits into a page; false if there was nothing.
    @discardableResult private func listen() -> Bool {
        guard let errorNumber, Self.isReadable(errorNumber) else { return false }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = bytes.withUnsafeMutableBytes { FileDescriptor.read(errorNumber, into: $0) }
        guard count > 0 else {
            self.errorNumber = nil
            errors = nil
            return false
        }
        hear(Array(bytes[..<count]))
        return true
    }

    /// Without its end; nil if the program ends without one, or takes too long, or the line has more than 4 KiB.
    ///
    /// `isInterrupted` is asked ten times a second; once true, the wait is over.
    package func line(within milliseconds: Int64, unless isInterrupted: () -> Bool) -> [UInt8]? {
        let end = SystemClock().uptimeMilliseconds + milliseconds
        var line: [UInt8] = []
        while !isInterrupted(), line.count < 4_096, SystemClock().uptimeMilliseconds < end {
            var ready = numbers.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&ready, nfds_t(ready.count), 100) > 0 else { continue }
            listen()
            guard ready[0].revents != 0 else { continue }
            // Byte by byte: what follows the line is somebody else's to read.
            var byte: UInt8 = 0
            guard withUnsafeMutableBytes(of: &byte, { output.read(into: $0) }) == 1 else { return nil }
            if byte == UInt8(ascii: "\n") { return line }
            line.append(byte)
        }
        return nil
    }

    /// Nothing happens where its input has been ended.
    package func send(line: String) {
        guard let inputNumber else { return }
        Array((line + "\n").utf8).withUnsafeBytes { bytes in _ = FileDescriptor.write(bytes, to: inputNumber) }
    }

    /// Ends its input, and kills it if its end takes too long.
    package func finish(within milliseconds: Int64) {
        inputNumber = nil
        input = nil
        let end = SystemClock().uptimeMilliseconds + milliseconds
        while !isGone, SystemClock().uptimeMilliseconds < end {
            if !listen() { SystemClock.pause(milliseconds: 10) }
        }
        // What a pipe holds; a program that it has left behind may go on for ever.
        var pieces = 0
        while pieces < 16, listen() { pieces += 1 }
        guard !isGone else { return }
        kill(id, SIGKILL)
        waitpid(id, nil, 0)
        self.end = .failed
    }
}
