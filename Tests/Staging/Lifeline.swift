import Glibc

/// A program's standard input that ends when the object or the test process does.
///
/// A socket is used because it can be made close-on-exec in one step, so that no other program inherits it.
package final class Lifeline: Sendable {
    /// The end that the program reads.
    package let programEnd: Int32
    private let ownEnd: Int32

    /// Makes a connected pair of sockets.
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

    package func write(line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = Glibc.write(ownEnd, bytes, bytes.count)
    }

    package func endInput() { shutdown(ownEnd, Int32(SHUT_WR)) }
}
