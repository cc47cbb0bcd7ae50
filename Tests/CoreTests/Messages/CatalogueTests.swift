import Helper
import Language
import Testing

@Suite("Catalogues")
struct CatalogueTests {
    /// Writes a catalogue in the form of GNU gettext's manual.
    private func file(_ texts: [String: String]) -> [UInt8] {
        let sorted = texts.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        let start = 28 + 16 * sorted.count
        var body: [UInt8] = []
        func table(_ texts: [String]) -> [UInt8] {
            texts.flatMap { text in
                defer { body += Array(text.utf8) + [0] }
                return number(text.utf8.count) + number(start + body.count)
            }
        }
        let tables = table(sorted.map(\.key)) + table(sorted.map(\.value))
        let header = [0x9504_12de, 0, sorted.count, 28, 28 + 8 * sorted.count, 0, 0]
        return header.flatMap(number) + tables + body
    }

    private func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }

    private let texts = [
        "": "Content-Type: text/plain; charset=UTF-8\n", "a": "가", "ab": "나", "b": "다", "it is full": "가득 찼습니다",
        "é": "라",
    ]

    @Test("finds every text of catalogues of any size, and returns a missing text unchanged")
    func found() throws {
        for count in 0...texts.count {
            let some = texts.filter { texts.keys.sorted().prefix(count).contains($0.key) }
            let catalogue = try #require(Catalogue(file(some)))
            for key in texts.keys { #expect(catalogue.text(for: key) == (key.isEmpty ? "" : some[key] ?? key)) }
            #expect(catalogue.text(for: "aa") == "aa" && catalogue.text(for: "zz") == "zz")
        }
    }

    @Test("accepts a file that is cut off, or whose offsets are wrong")
    func damaged() throws {
        let whole = file(texts)
        for length in whole.indices {
            guard let catalogue = Catalogue(Array(whole[..<length])) else { continue }
            for key in texts.keys { _ = catalogue.text(for: key) }
        }
        for position in whole.indices {
            var bytes = whole
            bytes[position] = 0xff
            guard let catalogue = Catalogue(bytes) else { continue }
            for key in texts.keys { _ = catalogue.text(for: key) }
        }
        #expect(Catalogue([]) == nil && Catalogue(Array("msgid".utf8)) == nil)
        #expect(Catalogue(whole.prefix(4).reversed() + whole.dropFirst(4)) == nil)
    }
}
