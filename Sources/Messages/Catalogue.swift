/// The texts in one language, as msgfmt(1) has written them: a table of keys, sorted by their bytes, and one of what
/// they are in that language (GNU gettext's manual, "The Format of GNU MO Files").
///
/// Read here and not by gettext(3), which needs a locale that was generated on this machine: in containers hardly any
/// is, and since glibc 2.39 the one that is always there, C.UTF-8, says everything in English. It would also have to be
/// told by setlocale(3) and setenv(3), behind the backs of libraries that have threads of their own.
package struct Catalogue: Sendable {
    private let bytes: [UInt8]
    private let count: Int
    /// Where the tables begin: lengths and places of the texts, four bytes each.
    private let keys: Int
    private let translations: Int

    /// A catalogue.
    ///
    /// - Parameter bytes: the file; nil is the result if it is none, or one of a machine with another order of bytes.
    package init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        guard Self.number(at: 0, in: bytes) == 0x9504_12de, let count = Self.number(at: 8, in: bytes),
            let keys = Self.number(at: 12, in: bytes), let translations = Self.number(at: 16, in: bytes)
        else { return nil }
        self.count = count
        self.keys = keys
        self.translations = translations
    }

    /// A text in the catalogue's language.
    ///
    /// - Parameter key: the English text.
    /// - Returns: the text; the English one if the catalogue has none.
    package func text(for key: String) -> String {
        let wanted = Array(key.utf8)
        // The empty key is the catalogue's own description.
        guard !wanted.isEmpty else { return key }
        var range = 0..<count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            guard let found = text(middle, in: keys) else { return key }
            if found.elementsEqual(wanted) {
                return text(middle, in: translations).map { String(decoding: $0, as: UTF8.self) } ?? key
            }
            range =
                found.lexicographicallyPrecedes(wanted) ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return key
    }

    private func text(_ index: Int, in table: Int) -> ArraySlice<UInt8>? {
        guard let length = Self.number(at: table + 8 * index, in: bytes),
            let start = Self.number(at: table + 8 * index + 4, in: bytes), start + length <= bytes.count
        else { return nil }
        return bytes[start..<start + length]
    }

    /// A number of four bytes, the lowest first, as every machine has it that we are built for.
    private static func number(at position: Int, in bytes: [UInt8]) -> Int? {
        guard position + 4 <= bytes.count else { return nil }
        return bytes[position..<position + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
