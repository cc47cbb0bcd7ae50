package import CredentialCore
internal import Glibc

/// Standard input, output and error, prepared before any library is called.
package final class StandardStreams {
    /// A private copy of standard output that no child and no library knows.
    private let answer: FileDescriptor
    package let trace: Trace

    /// Opens closed streams on the null device, so that files opened later do not become standard streams, and turns
    /// SIGPIPE into an error of write(2).
    package static func openClosed() {
        signal(SIGPIPE, SIG_IGN)
        var null: Int32
        repeat { null = open("/dev/null", O_RDWR) } while (0...2).contains(null)
        if null > 2 { close(null) }
    }

    /// Reserves standard output for the answer: output of libraries and children goes to standard error.
    ///
    /// Returns `nil` if the process has no descriptor left.
    package init?() {
        // First, since a descriptor that the person names must be one that the person has opened.
        trace = Trace()
        Self.openClosed()
        guard let answer = FileDescriptor(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) else { return nil }
        self.answer = answer
        dup2(STDERR_FILENO, STDOUT_FILENO)
    }

    package func send(_ text: Secret) -> Bool { text.reveal { answer.write($0) } }
    package func send(_ text: String) -> Bool { send(Array(DisplayText.lines(text).utf8)) }
    package func send(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { answer.write($0) } }

    /// Prints for people, on standard error.
    package static func report(_ text: String) {
        Array(DisplayText.lines(text).utf8).withUnsafeBytes { _ = FileDescriptor.write($0, to: STDERR_FILENO) }
    }

    /// Whether the reader of the answer, git, has ended.
    package var isAbandoned: Bool { !FileDescriptor.ready(ending: [answer.number], within: 0).isEmpty }

    /// Reports `POLLERR` (a pipe) or `POLLHUP` (a socket) once the answer has no reader.
    package var answerDescriptor: Int32 { answer.number }
}

package enum StandardInput {
    /// Milliseconds that a caller may take for its request; git writes it in less than one.
    package static let patience: Int64 = 30_000
    /// More than any request that is accepted; of a larger one, the rest is not read.
    private static let mostInput = 1 << 20

    /// Reads up to the first blank line or the end; `nil` if the input breaks off, cannot be read, or takes too long.
    package static func read(within milliseconds: Int64 = patience) -> Secret? {
        var request = Secret.Builder()
        var lines = LineEnds()
        var deadline = Deadline(in: milliseconds)
        while deadline.lasts() {
            guard FileDescriptor.isReady(STDIN_FILENO, within: Deadline.interval) else { continue }
            var isComplete = false
            let count = request.append { lines.read(STDIN_FILENO, into: $0, &isComplete) }
            if count == 0 { return request.finish() }
            // Another process may have read the bytes first, if the input is non-blocking.
            if count < 0, errno == EAGAIN { continue }
            guard count > 0 else { break }
            if isComplete || request.count > Self.mostInput { return request.finish() }
        }
        return nil
    }

    /// Whether a byte arrives in that time; reads nothing.
    package static func hasInput(within milliseconds: Int64) -> Bool {
        guard FileDescriptor.isReady(STDIN_FILENO, within: milliseconds) else { return false }
        var count: Int32 = 0
        // The bytes that can be read without waiting (ioctl_fifo(2)): 0 at the end; the call fails for devices.
        return ioctl(STDIN_FILENO, UInt(FIONREAD), &count) == 0 && count > 0
    }
}

/// Looks for a blank line in a request that arrives in pieces; each byte is examined once.
struct LineEnds {
    /// The start of a request counts as the start of a line.
    private var last = UInt8(ascii: "\n")

    /// Reads a piece; returns the number of bytes as `FileDescriptor.read` does.
    mutating func read(_ number: Int32, into room: UnsafeMutableRawBufferPointer, _ isComplete: inout Bool) -> Int {
        let count = FileDescriptor.read(number, into: room)
        for byte in room.prefix(max(count, 0)) where !isComplete {
            isComplete = byte == UInt8(ascii: "\n") && last == byte
            last = byte
        }
        return count
    }
}
