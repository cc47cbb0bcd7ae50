internal import Glibc

/// A password, token or device code: bytes that can be used but not printed by accident.
///
/// The bytes are in pages of their own, kept out of swap and core dumps where the kernel allows it, and wiped when the
/// last reference is released. Copies made by libraries are not wiped (SECURITY.md).
///
/// `@unchecked Sendable`: the bytes never change.
package final class Secret: @unchecked Sendable {
    package let count: Int
    private let pages: Pages

    /// Inlinable: a generic function of another module takes a seventh of all instructions on git's path.
    @inlinable
    package convenience init(_ bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
    }

    package convenience init(copying bytes: UnsafeRawBufferPointer) {
        self.init(count: bytes.count) { $0.copyMemory(from: bytes) }
    }

    @usableFromInline
    package convenience init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
        let pages = Pages(for: count)
        fill(UnsafeMutableRawBufferPointer(start: pages.start, count: count))
        self.init(pages, count: count)
    }

    private init(_ pages: consuming Pages, count: Int) {
        self.pages = pages
        self.count = count
    }

    /// An empty password is still a password (gitcredentials(7)).
    package var isEmpty: Bool { count == 0 }

    /// The only way to read a secret; `body` must keep no pointer.
    package func reveal<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: pages.start, count: count))
    }

    /// Builds a secret in protected pages; pages that it outgrows are wiped.
    package struct Builder: ~Copyable {
        package private(set) var count = 0
        private var pages = Pages(for: 1)
        package init() {}
        package mutating func append(_ byte: UInt8) { append(CollectionOfOne(byte)) }

        package mutating func append(_ bytes: some Collection<UInt8>) {
            let more = bytes.count
            room(for: more).copyBytes(from: bytes)
            count += more
        }

        package mutating func append(_ secret: Secret) { secret.reveal { append($0) } }

        /// Appends the bytes that `read` writes, and returns its result, negative for a failure.
        package mutating func append(_ read: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
            let more = read(room(for: 1))
            count += max(0, more)
            return more
        }

        private mutating func room(for more: Int) -> UnsafeMutableRawBufferPointer {
            if count + more > pages.byteCount {
                let larger = Pages(for: max(count + more, 2 * pages.byteCount))
                larger.start.copyMemory(from: pages.start, byteCount: count)
                pages = larger
            }
            return UnsafeMutableRawBufferPointer(start: pages.start + count, count: pages.byteCount - count)
        }

        package consuming func finish() -> Secret { Secret(pages, count: count) }

        /// Returns the bytes so far, and empties the builder.
        package mutating func take() -> Secret {
            let full = self
            self = Self()
            return full.finish()
        }
    }
}

/// Anonymous pages for secret bytes only, zeroed before they are unmapped.
///
/// Not private: a module that destroys a builder needs the type's description.
package struct Pages: ~Copyable {
    fileprivate let start: UnsafeMutableRawPointer
    fileprivate let byteCount: Int

    fileprivate init(for count: Int) {
        let pageBytes = Int(sysconf(Int32(_SC_PAGESIZE)))
        byteCount = max(1, (count + pageBytes - 1) / pageBytes) * pageBytes
        let mapping = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapping, mapping != MAP_FAILED else { preconditionFailure("no memory for a secret") }
        start = mapping
        // A failure (RLIMIT_MEMLOCK, an old kernel) only weakens the protection.
        _ = mlock(start, byteCount)
        _ = madvise(start, byteCount, Int32(MADV_DONTDUMP))
    }

    deinit {
        explicit_bzero(start, byteCount)
        munmap(start, byteCount)
    }
}

extension Secret: Equatable {
    /// Compares every byte, so that the time reveals nothing about the content.
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
    /// Has no children, so that `dump` and reflection find nothing.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Array where Element == UInt8 {
    /// Overwrites every byte in a way that the optimiser cannot remove, then empties the array.
    ///
    /// The capacity stays, so that a second typed line is not copied while it grows.
    package mutating func wipe() {
        withUnsafeMutableBytes { bytes in
            if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
        }
        removeAll(keepingCapacity: true)
    }
}

package enum FileContents {
    case absent
    case contents(Secret)
    /// An unreadable file, or anything but a regular file.
    case unreadable
}

/// Lines for git or a keyring; a line end in a value is refused, since it would inject another line, such as `host=` or
/// `quit=`.
struct SecretLines: ~Copyable {
    private var text = Secret.Builder()
    private var isSound = true
    mutating func append(words: String) { text.append(words.utf8) }

    mutating func append(value: some Collection<UInt8>) {
        if value.contains(where: { $0 == 0x0a || $0 == 0x0d || $0 == 0 }) { isSound = false }
        text.append(value)
    }

    mutating func append(value: Secret) { value.reveal { append(value: $0) } }

    /// Returns `nil` if a value would be read as two lines.
    consuming func finish() -> Secret? {
        // A local copy instead of `guard self.isSound`: Swift 6.0's compiler fails if one path consumes a part, and
        // another does not.
        let isSound = isSound
        let secret = text.finish()
        return isSound ? secret : nil
    }
}
