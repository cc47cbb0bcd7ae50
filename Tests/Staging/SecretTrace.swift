package import CredentialCore
import Glibc

/// A secret, and the search for its copies outside of its own pages; only its complement is stored here.
package struct SecretTrace: Sendable {
    package static let length = 3_000
    /// The searched part from the middle of the secret, because malloc(3) overwrites the first bytes of freed memory.
    private static let part = 1_000..<1_064
    private let complement: [UInt8]

    package init() {
        complement = (0..<Self.length).map { _ in ~UInt8.random(in: UInt8(ascii: "a")...UInt8(ascii: "z")) }
    }

    package var secret: Secret {
        Secret(count: Self.length) { bytes in
            for index in complement.indices { bytes[index] = ~complement[index] }
        }
    }

    /// Runs `work` often enough that other threads do not overwrite every copy, and returns the number of copies.
    package func copiesAfter(_ work: () -> Void) -> Int {
        for _ in 0..<16 { work() }
        return copies
    }

    /// The number of copies in this process's writable memory.
    package var copies: Int {
        // Both are needed to compare, and must not be found themselves.
        guard let own = mmap(nil, Self.window, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            own != MAP_FAILED
        else { return -1 }
        defer { munmap(own, Self.window) }
        for (offset, index) in Self.part.enumerated() {
            own.storeBytes(of: ~complement[index], toByteOffset: offset, as: UInt8.self)
        }
        let memory = open("/proc/self/mem", O_RDONLY)
        defer { close(memory) }
        let start = UInt(bitPattern: own)
        // The kernel joins what is adjacent and of one kind.
        let others = Self.writable.flatMap { range in
            range.contains(start) ? [range.lowerBound..<start, start + UInt(Self.window)..<range.upperBound] : [range]
        }
        return others.reduce(0) { $0 + Self.copies(of: own, in: $1, memory, by: own + Self.page) }
    }

    private static let page = 4_096
    private static let window = page + piece
    private static let piece = 1 << 20

    private static func copies(
        of part: UnsafeMutableRawPointer, in range: Range<UInt>, _ memory: Int32, by bytes: UnsafeMutableRawPointer
    ) -> Int {
        var (count, place) = (0, range.lowerBound)
        while place < range.upperBound {
            let length = pread(memory, bytes, min(piece, Int(range.upperBound - place)), off_t(place))
            // Another thread may have given a page back since; behind it, the range goes on.
            guard length >= Self.part.count else {
                place = (place / UInt(page) + 1) * UInt(page)
                continue
            }
            var (start, left) = (bytes, length)
            while left >= Self.part.count, let found = memchr(start, Int32(part.load(as: UInt8.self)), left) {
                left -= found - start
                if left >= Self.part.count, memcmp(found, part, Self.part.count) == 0 { count += 1 }
                (start, left) = (found + 1, left - 1)
            }
            guard place + UInt(length) < range.upperBound else { break }
            // A copy across the border is whole in the next piece.
            place += UInt(length - Self.part.count + 1)
        }
        return count
    }

    /// Anonymous, by proc(5).
    private static var writable: [Range<UInt>] {
        let file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        // proc(5) gives some lines at a time.
        var lines: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = read(file, &piece, piece.count), count > 0 { lines += piece[..<count] }
        return String(decoding: lines, as: UTF8.self).split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            guard fields.count == 5 || fields.last == "[heap]", fields[1].hasPrefix("rw") else { return nil }
            let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            return ends.count == 2 ? ends[0]..<ends[1] : nil
        }
    }
}
