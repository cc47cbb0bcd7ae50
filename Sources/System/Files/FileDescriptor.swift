internal import Glibc

/// Closed when its owner is released.
package struct FileDescriptor: ~Copyable {
    package let number: Int32

    /// O_PATH of <fcntl.h>, which glibc declares only for _GNU_SOURCE: a folder that is opened to look for names in it,
    /// even where it may not be listed.
    package static let pathOnly: Int32 = 0o10_000_000

    package init?(_ number: Int32) {
        guard number >= 0 else { return nil }
        self.number = number
    }

    /// No child inherits the file; `errno` says why it could not be opened.
    package init?(opening path: String, _ flags: Int32, mode: UInt32 = 0) {
        self.init(open(path, flags | O_CLOEXEC, mode))
    }

    /// A name in a folder that is open, even if only as a path.
    package init?(opening name: String, in folder: borrowing FileDescriptor, _ flags: Int32) {
        self.init(openat(folder.number, name, flags | O_CLOEXEC))
    }

    deinit { close(number) }

    /// Waits if there is nothing yet.
    ///
    /// - Returns: the number of bytes; 0 at the end; negative for a failure, which is in `errno`.
    package borrowing func read(into buffer: UnsafeMutableRawBufferPointer) -> Int { Self.read(number, into: buffer) }

    /// Of a descriptor that has another owner.
    package static func read(_ number: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = Glibc.read(number, buffer.baseAddress, buffer.count)
            if count >= 0 || errno != EINTR { return count }
        }
    }

    /// A pipe or a terminal may accept the bytes in pieces; a closed pipe and a full disk are failures.
    package borrowing func write(_ bytes: UnsafeRawBufferPointer) -> Bool { Self.write(bytes, to: number) }

    /// To a descriptor that has another owner.
    package static func write(_ bytes: UnsafeRawBufferPointer, to number: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = Glibc.write(number, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if written < 0 {
                guard errno == EINTR else { return false }
                continue
            }
            rest = rest.dropFirst(written)
        }
        return true
    }
}
