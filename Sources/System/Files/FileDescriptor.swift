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

    deinit { close(number) }

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
