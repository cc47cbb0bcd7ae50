internal import Glibc

/// An open file that is closed when its owner goes.
package struct FileDescriptor: ~Copyable {
    /// The descriptor's number.
    package let number: Int32

    /// Takes over an open descriptor.
    package init?(_ number: Int32) {
        guard number >= 0 else { return nil }
        self.number = number
    }

    /// Opens a file, which no child inherits; why it could not be opened is in `errno`.
    ///
    /// - Parameters:
    ///   - path: the file's.
    ///   - flags: those of open(2).
    ///   - mode: whose a file becomes that has to be created.
    package init?(opening path: String, _ flags: Int32, mode: UInt32 = 0) {
        self.init(open(path, flags | O_CLOEXEC, mode))
    }

    deinit { close(number) }

    /// Reads what there is, waiting for it if need be.
    ///
    /// - Returns: how many bytes; 0 at the end, less than 0 for a failure, which is in `errno`.
    package borrowing func read(into buffer: UnsafeMutableRawBufferPointer) -> Int { Self.read(number, into: buffer) }

    /// Reads from a descriptor that somebody else owns.
    package static func read(_ number: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = Glibc.read(number, buffer.baseAddress, buffer.count)
            if count >= 0 || errno != EINTR { return count }
        }
    }

    /// Writes all of `bytes`, which a pipe or a terminal may take in pieces.
    ///
    /// - Returns: whether everything went out. A closed pipe and a full disk are failures like any other.
    package borrowing func write(_ bytes: UnsafeRawBufferPointer) -> Bool { Self.write(bytes, to: number) }

    /// Writes all of `bytes` to a descriptor that somebody else owns.
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
