/// The translations for one language, as msgfmt(1) writes them.
///
/// The file has a table of keys, sorted by their bytes, and one of translations (GNU gettext's manual, "The Format of
/// GNU MO Files"). gettext(3) is not used: its locale must have been generated on this machine, and since glibc 2.39,
/// everything is English under C.UTF-8. gettext(3) also needs setlocale(3) and setenv(3), although libraries run
/// threads of their own.
package struct Catalogue: Sendable {
    private let bytes: [UInt8]

    private static let headerBytes = 20

    /// Returns `nil` for another kind of file, or another byte order.
    package init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        guard bytes.count >= Self.headerBytes, number(at: 0) == 0x9504_12de else { return nil }
    }

    /// Returns the translation, or the key, which is the English text.
    package func text(for key: String) -> String {
        let wanted = Array(key.utf8)
        // The empty key holds the catalogue's own description. A table has lengths and offsets, four bytes each.
        guard !wanted.isEmpty, let count = number(at: 8), let keys = number(at: 12), let translations = number(at: 16)
        else { return key }
        var range = 0..<count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            guard let found = text(middle, in: keys) else { return key }
            if found.elementsEqual(wanted) {
                return text(middle, in: translations).map { String(decoding: $0, as: UTF8.self) } ?? key
            }
            range = found.lexicographicallyPrecedes(wanted) ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return key
    }

    private func text(_ index: Int, in table: Int) -> ArraySlice<UInt8>? {
        guard let length = number(at: table + 8 * index), let start = number(at: table + 8 * index + 4),
            start + length <= bytes.count
        else { return nil }
        return bytes[start..<start + length]
    }

    /// Reads four bytes in little-endian order, which every supported machine has.
    private func number(at position: Int) -> Int? {
        guard position + 4 <= bytes.count else { return nil }
        return bytes[position..<position + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
