internal import CProcess
internal import Glibc

/// A program with which we talk through pipes, and which sees the end of its input when we end, however we end.
///
/// Its standard error is ours, and so is the terminal, in which it may ask for a password.
package final class PipedProcess {
    private let id: pid_t
    /// Nil once the input has been ended.
    private var input: FileDescriptor?
    private let inputNumber: Int32
    private let output: FileDescriptor
    private var end: ChildProcess.State?

    /// Starts a program that is found on the PATH; nil if it could not be started.
    package init?(_ command: [String]) {
        var ends: [Int32] = [-1, -1, -1, -1]
        guard gitspace_pipe(&ends) == 0,
            ends[2...].withUnsafeMutableBufferPointer({ gitspace_pipe($0.baseAddress) }) == 0,
            let childInput = FileDescriptor(ends[0]), let input = FileDescriptor(ends[1]),
            let output = FileDescriptor(ends[2]), let childOutput = FileDescriptor(ends[3]),
            let id = ChildProcess.start(command, reading: childInput, writing: childOutput)
        else { return nil }
        self.id = id
        inputNumber = input.number
        self.input = consume input
        self.output = consume output
    }

    /// Whether it has ended.
    package var hasEnded: Bool {
        if end == nil {
            let state = ChildProcess.state(of: id)
            if state != .running { end = state }
        }
        return end != nil
    }

    /// The descriptor that becomes readable when it says something, or ends.
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

    /// Writes a line to it.
    package func send(line: String) {
        Array((line + "\n").utf8).withUnsafeBytes { bytes in _ = FileDescriptor.write(bytes, to: inputNumber) }
    }

    /// Ends its input, waits for its end, and kills it if that takes too long.
    package func finish(within milliseconds: Int64) {
        input = nil
        let end = SystemClock().uptimeMilliseconds + milliseconds
        while !hasEnded, SystemClock().uptimeMilliseconds < end { SystemClock.pause(milliseconds: 10) }
        guard !hasEnded else { return }
        kill(id, SIGKILL)
        waitpid(id, nil, 0)
        self.end = .failed
    }
}
