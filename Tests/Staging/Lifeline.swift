import Glibc

/// A program's standard input, which ends when the object goes, or when the tests do, however they end.
///
/// A socket and not a pipe: it can be made in one step so that no other program inherits it.
package final class Lifeline: Sendable {
    /// What the program is given.
    package let programEnd: Int32
    private let ownEnd: Int32

    /// Makes a socket.
    ///
    /// - Throws: `NeverHappened` if the system has none left.
    package init() throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw NeverHappened(description: "no pair of sockets: error \(errno)")
        }
        (ownEnd, programEnd) = (ends[0], ends[1])
    }

    deinit {
        close(ownEnd)
        close(programEnd)
    }

    /// Writes a line.
    package func write(line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = Glibc.write(ownEnd, bytes, bytes.count)
    }

    /// Ends it.
    package func endInput() { shutdown(ownEnd, Int32(SHUT_WR)) }
}
