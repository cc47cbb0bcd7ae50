package import CredentialCore
internal import Glibc

/// Standard input, output and error, prepared before any library is called.
package final class StandardStreams {
    /// Where git reads the answer: a private copy that no child and no library knows.
    private let answer: FileDescriptor
    /// The trace that the person asked for.
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

    /// Sends the answer.
    ///
    /// - Returns: whether all of it was written.
    package func send(_ text: Secret) -> Bool { text.reveal { answer.write($0) } }

    /// Prints a text for people or programs: the output of a command.
    package func send(_ text: String) -> Bool { send(Array(DisplayText.lines(text).utf8)) }

    /// Prints bytes that are not secret.
    package func send(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { answer.write($0) } }

    /// Prints a text for people on standard error.
    package static func report(_ text: String) {
        Array(DisplayText.lines(text).utf8).withUnsafeBytes { _ = FileDescriptor.write($0, to: STDERR_FILENO) }
    }

    /// Whether nobody will read the answer any more, because git has ended.
    package var isAbandoned: Bool {
        var output = pollfd(fd: answer.number, events: 0, revents: 0)
        return poll(&output, 1, 0) > 0 && Int32(output.revents) & POLLERR != 0
    }

    /// The descriptor that reports `POLLERR` when nobody reads the answer any more.
    package var answerDescriptor: Int32 { answer.number }
}
