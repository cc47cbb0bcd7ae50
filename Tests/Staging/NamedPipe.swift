import Foundation
import Glibc
import Synchronization

/// A pipe whose reader can be closed while a program writes, as when git has exited.
///
/// It has a name so that both ends can be opened close-on-exec, and no other program inherits them.
package final class NamedPipe: Sendable {
    /// The end that a program writes to.
    package let writer: Int32
    private let reader: Mutex<Int32>

    package init(in folder: String) throws {
        let path = folder + "/pipe-\(UUID().uuidString)"
        guard mkfifo(path, 0o600) == 0 else { throw NeverHappened(description: "no pipe: error \(errno)") }
        // O_NONBLOCK: opening the reader first would otherwise wait for a writer.
        reader = Mutex(open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC))
        writer = open(path, O_WRONLY | O_CLOEXEC)
        unlink(path)
        guard writer >= 0 else { throw NeverHappened(description: "no pipe: error \(errno)") }
    }

    deinit {
        closeReader()
        close(writer)
    }

    package func closeReader() {
        reader.withLock { reader in
            if reader >= 0 { close(reader) }
            reader = -1
        }
    }
}
