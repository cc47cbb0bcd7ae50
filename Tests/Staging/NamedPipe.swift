import Foundation
import Glibc
import Synchronization

/// A pipe whose reader can be closed while a program writes, as when git has gone.
///
/// It has a name so that both ends can be opened in a way that no other program inherits them.
package final class NamedPipe: Sendable {
    /// The end that a program writes to.
    package let writer: Int32
    private let reader: Mutex<Int32>

    /// Makes a pipe.
    package init(in folder: String) throws {
        let path = folder + "/pipe-\(UUID().uuidString)"
        guard mkfifo(path, 0o600) == 0 else { throw NeverHappened(description: "no pipe: error \(errno)") }
        // A reader does not wait for a writer if it says so.
        reader = Mutex(open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC))
        writer = open(path, O_WRONLY | O_CLOEXEC)
        unlink(path)
        guard writer >= 0 else { throw NeverHappened(description: "no pipe: error \(errno)") }
    }

    deinit {
        closeReader()
        close(writer)
    }

    /// Nobody reads any more.
    package func closeReader() {
        reader.withLock { reader in
            if reader >= 0 { close(reader) }
            reader = -1
        }
    }
}
