/// Text for the trace: libcurl's words hold addresses with passwords, and names that a server chose.
enum TraceText {
    /// `text` without the user part of any address, and without a byte that a terminal would obey.
    ///
    /// Rather too much is left out than too little: everything up to the last `@`, from where an address can start.
    static func redacted(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var visible = bytes[...]
        if let end = bytes.lastIndex(of: UInt8(ascii: "@")) {
            let quote = bytes.firstIndex(of: UInt8(ascii: "'")).map { $0 + 1 }
            let scheme = text.utf8Range(of: "://").map { text.utf8.distance(from: text.startIndex, to: $0.upperBound) }
            let start = min(quote ?? end, scheme ?? end)
            visible = (start < end ? bytes[..<start] : []) + Array("****".utf8) + bytes[end...]
        }
        return String(decoding: visible.map { (0x20...0x7e).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}

extension String {
    /// Where `other` stands first, byte by byte.
    func utf8Range(of other: String) -> Range<String.Index>? {
        var start = startIndex
        while start < endIndex {
            if utf8[start...].starts(with: other.utf8) {
                return start..<utf8.index(start, offsetBy: other.utf8.count)
            }
            utf8.formIndex(after: &start)
        }
        return nil
    }
}
