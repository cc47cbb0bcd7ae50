package import CredentialCore
internal import Glibc

/// Standard input, output and error, prepared before any library is called.
package final class StandardStreams {
    /// Where git reads the answer: a private copy that no child and no library knows.
    private let answer: FileDescriptor
    package let trace: Trace

    /// Opens closed streams on the null device, so that no file that is opened later becomes one of them, and makes
    /// writing to a closed pipe an ordinary error.
    package static func openClosed() {
        signal(SIGPIPE, SIG_IGN)
        var null: Int32
        repeat { null = open("/dev/null", O_RDWR) } while (0...2).contains(null)
        if null > 2 { close(null) }
    }

    /// Reserves standard output for the answer: what a library or a child prints goes to standard error.
    ///
    /// The result is nil if the process has no descriptor left.
    package init?() {
        // This comes first: a descriptor that the person names must be one that the person has opened.
        trace = Trace()
        Self.openClosed()
        guard let answer = FileDescriptor(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) else { return nil }
        self.answer = answer
        dup2(STDERR_FILENO, STDOUT_FILENO)
    }

    /// False if not all of it was written.
    package func send(_ text: Secret) -> Bool { text.reveal { answer.write($0) } }

    package func send(_ text: String) -> Bool { send(Array(DisplayText.lines(text).utf8)) }

    /// For bytes that are not secret.
    package func send(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { answer.write($0) } }

    /// On standard error, for people.
    package static func report(_ text: String) {
        Array(DisplayText.lines(text).utf8).withUnsafeBytes { _ = FileDescriptor.write($0, to: STDERR_FILENO) }
    }

    /// git has ended.
    package var isAbandoned: Bool { !FileDescriptor.ready(ending: [answer.number], within: 0).isEmpty }

    /// When nobody reads the answer any more, a pipe reports `POLLERR`, and a socket `POLLHUP`.
    package var answerDescriptor: Int32 { answer.number }
}

/// git writes its request there.
package enum StandardInput {
    /// How long a caller may take to send its request, in milliseconds; git needs less than one.
    ///
    /// Git writes it at once, so a caller that sends it bit by bit must not hold us any longer.
    package static let patience: Int64 = 30_000
    /// More than any request that is accepted; a larger one is rejected without reading all of it.
    private static let mostInput = 1 << 20

    /// Up to the first blank line or the end of the input; nil if the caller stopped in the middle, or the input cannot
    /// be read.
    ///
    /// The limit of time is for all of it.
    package static func read(within milliseconds: Int64 = patience) -> Secret? {
        var request = Secret.Builder()
        // As if a line had ended before.
        var last = UInt8(ascii: "\n")
        var deadline = Deadline(in: milliseconds)
        while deadline.lasts() {
            guard !FileDescriptor.ready(reading: [STDIN_FILENO], within: Deadline.interval).isEmpty else { continue }
            var isComplete = false
            let count = request.append { room in
                let count = FileDescriptor.read(STDIN_FILENO, into: room)
                isComplete = Self.hasBlankLine(
                    UnsafeRawBufferPointer(rebasing: room.prefix(max(count, 0))), after: &last)
                return count
            }
            if count == 0 { return request.finish() }
            // Another process may have been faster, at an input that does not wait.
            if count < 0, errno == EAGAIN { continue }
            guard count > 0 else { break }
            if isComplete || request.count > Self.mostInput { return request.finish() }
        }
        return nil
    }

    /// Whether a byte comes in so many milliseconds; nothing is read.
    package static func hasInput(within milliseconds: Int64) -> Bool {
        guard !FileDescriptor.ready(reading: [STDIN_FILENO], within: milliseconds).isEmpty else { return false }
        var count: Int32 = 0
        // ioctl_fifo(2): what can be read without waiting; at the end, nothing, and no device tells.
        return ioctl(STDIN_FILENO, UInt(FIONREAD), &count) == 0 && count > 0
    }

    /// True if a line end follows another one.
    ///
    /// Searching everything after each piece would take quadratic time for a large input.
    private static func hasBlankLine(_ piece: UnsafeRawBufferPointer, after last: inout UInt8) -> Bool {
        guard let start = piece.baseAddress, let end = piece.last else { return false }
        let lineEnd = UInt8(ascii: "\n")
        var previous = last == lineEnd ? -1 : -2
        last = end
        while previous + 1 < piece.count,
            let found = memchr(start + max(previous + 1, 0), Int32(lineEnd), piece.count - max(previous + 1, 0))
        {
            let index = UnsafeRawPointer(found) - start
            if index == previous + 1 { return true }
            previous = index
        }
        return false
    }
}
