internal import Glibc

/// A program with which we talk through pipes, and which sees the end of its input when we end, however we end.
///
/// Its standard error is ours, and so is the terminal, in which it may ask for a password.
package final class PipedProcess {
    private let id: pid_t
    /// Its input, and the number of that; both nil once it has been ended, since the number may then be another file's.
    private var input: FileDescriptor?
    private var inputNumber: Int32?
    private let output: FileDescriptor
    private var end: ChildProcess.State?

    /// Starts a program that is found on the PATH; nil if it could not be started.
    package init?(_ command: [String]) {
        guard let toChild = Pipe(), let fromChild = Pipe(),
            let id = ChildProcess.start(command, reading: toChild.reader, writing: fromChild.writer)
        else { return nil }
        self.id = id
        let input = toChild.writer
        inputNumber = input.number
        self.input = consume input
        output = fromChild.reader
    }

    /// Whether it has ended, or has closed its output.
    ///
    /// Drops what it has written since its last line. Nobody reads that, and it would keep the descriptor readable, so
    /// that whoever waits for the end would look again and again without a pause.
    package var hasEnded: Bool {
        var ready = pollfd(fd: output.number, events: Int16(POLLIN), revents: 0)
        if poll(&ready, 1, 0) > 0 {
            var dropped = [UInt8](repeating: 0, count: 4_096)
            if dropped.withUnsafeMutableBytes({ output.read(into: $0) }) <= 0 { return true }
        }
        return isGone
    }

    /// Whether the process is no more.
    private var isGone: Bool {
        if end == nil {
            let state = ChildProcess.state(of: id)
            if state != .running { end = state }
        }
        return end != nil
    }

    /// The descriptor that becomes readable when it says something, or ends; then ask `hasEnded`.
    package var number: Int32 { output.number }

    /// The next line that it writes, without its end.
    ///
    /// - Parameters:
    ///   - milliseconds: how long it may take.
    ///   - isInterrupted: asked ten times a second; once true, the wait is over.
    /// - Returns: nil if it ends without one, or takes too long, or the line has more than 4 KiB.
    package func line(within milliseconds: Int64, unless isInterrupted: () -> Bool) -> [UInt8]? {
        let end = SystemClock().uptimeMilliseconds + milliseconds
        var line: [UInt8] = []
        while !isInterrupted(), line.count < 4_096, SystemClock().uptimeMilliseconds < end {
            var ready = pollfd(fd: output.number, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, 100) > 0 else { continue }
            // Byte by byte: what follows the line is somebody else's to read.
            var byte: UInt8 = 0
            guard withUnsafeMutableBytes(of: &byte, { output.read(into: $0) }) == 1 else { return nil }
            if byte == UInt8(ascii: "\n") { return line }
            line.append(byte)
        }
        return nil
    }

    /// Writes a line to it, unless its input has been ended.
    package func send(line: String) {
        guard let inputNumber else { return }
        Array((line + "\n").utf8).withUnsafeBytes { bytes in _ = FileDescriptor.write(bytes, to: inputNumber) }
    }

    /// Ends its input, waits for its end, and kills it if that takes too long.
    package func finish(within milliseconds: Int64) {
        inputNumber = nil
        input = nil
        let end = SystemClock().uptimeMilliseconds + milliseconds
        while !isGone, SystemClock().uptimeMilliseconds < end { SystemClock.pause(milliseconds: 10) }
        guard !isGone else { return }
        kill(id, SIGKILL)
        waitpid(id, nil, 0)
        self.end = .failed
    }
}
