internal import Glibc

/// A password, token or device code: bytes that can be used but not printed by accident.
///
/// The bytes are in pages of their own, which are kept out of swap and core dumps where the kernel allows it, and which
/// are wiped when the last reference is released. Copies that libraries make are not wiped; what helps more is that the
/// process lives for milliseconds (SECURITY.md).
package final class Secret {
    package let count: Int
    private let pages: UnsafeMutableRawPointer
    private let mappedBytes: Int

    /// Inlinable, because a generic function of another module takes a seventh of all instructions on git's path.
    @inlinable
    package convenience init(_ bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
    }

    package convenience init(copying bytes: UnsafeRawBufferPointer) {
        self.init(count: bytes.count) { $0.copyMemory(from: bytes) }
    }

    @usableFromInline
    package init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
        self.count = count
        let pageBytes = Int(sysconf(Int32(_SC_PAGESIZE)))
        mappedBytes = max(1, (count + pageBytes - 1) / pageBytes) * pageBytes
        let mapping = mmap(nil, mappedBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapping, mapping != MAP_FAILED else {
            preconditionFailure("no memory for a secret")
        }
        pages = mapping
        // A failure (RLIMIT_MEMLOCK, an old kernel) weakens the protection, but is no reason to fail.
        _ = mlock(pages, mappedBytes)
        _ = madvise(pages, mappedBytes, Int32(MADV_DONTDUMP))
        fill(UnsafeMutableRawBufferPointer(start: pages, count: count))
    }

    deinit {
        explicit_bzero(pages, mappedBytes)
        munmap(pages, mappedBytes)
    }

    /// An empty password is still a password (gitcredentials(7)).
    package var isEmpty: Bool { count == 0 }

    /// The only way to read a secret; `body` must keep no pointer.
    package func reveal<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: pages, count: count))
    }
}

extension Secret: Equatable {
    /// Compares every byte, even after a difference, so that the time taken reveals nothing about the content.
    package static func == (left: Secret, right: Secret) -> Bool {
        guard left.count == right.count else { return false }
        return left.reveal { leftBytes in
            right.reveal { rightBytes in
                leftBytes.indices.reduce(UInt8(0)) { $0 | (leftBytes[$1] ^ rightBytes[$1]) } == 0
            }
        }
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "****" }
    package var debugDescription: String { description }
    /// No children, so that `dump` and reflection find nothing.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Array where Element == UInt8 {
    /// Overwrites every byte in a way that the optimiser cannot remove, then empties the array.
    package mutating func wipe() {
        withUnsafeMutableBytes { bytes in
            if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
        }
        removeAll()
    }
}

package enum FileContents {
    case absent
    case contents(Secret)
    /// Or it is not a regular file.
    case unreadable
}
