import CredentialCore
import Testing

@Suite("Displayed text")
struct DisplayTextTests {
    @Test(
        "keeps letters of any script in trusted text, and escapes control characters",
        arguments: [
            ("/home/\u{ae30}\u{c5b5}/a b·c", "/home/\u{ae30}\u{c5b5}/a b·c"), ("C:\\x", "C:\\x"),
            ("a\u{1b}[2Jb\n", "a\\x1b[2Jb\\x0a"), ("\u{202e}x\u{9b}", "\\xe2\\x80\\xaex\\xc2\\x9b"),
            ("\u{200b}\u{2028}\u{e000}", "\\xe2\\x80\\x8b\\xe2\\x80\\xa8\\xee\\x80\\x80"),
        ])
    func own(text: String, shown: String) { #expect(DisplayText(trusted: text).text == shown) }

    @Test("does not shorten a path of this machine, which may be copied, but a flood")
    func whole() {
        let path = String(repeating: "/folder", count: 585)
        #expect(DisplayText(trusted: path).text == path)
        #expect(DisplayText(trusted: String(repeating: "\u{1b}", count: 1_000_000)).text.utf8.count == 4 * 4_096 + 3)
    }

    /// The ranges of control, invisible and direction-changing characters, and of unusual spaces.
    static let unfit: [ClosedRange<UInt32>] = [
        0x00...0x1f, 0x7f...0xa0, 0xad...0xad, 0x34f...0x34f, 0x600...0x605, 0x61c...0x61c, 0x6dd...0x6dd,
        0x70f...0x70f, 0x115f...0x1160, 0x1680...0x1680, 0x17b4...0x17b5, 0x180b...0x180f, 0x2000...0x200f,
        0x2028...0x202f, 0x205f...0x206f, 0x3000...0x3000, 0x3164...0x3164, 0xe000...0xf8ff, 0xfdd0...0xfdef,
        0xfe00...0xfe0f, 0xfeff...0xfeff, 0xffa0...0xffa0, 0xfff0...0xfffb, 0xfffe...0xffff, 0x1bca0...0x1bca3,
        0x1d173...0x1d17a, 0xe0000...0xe0fff, 0xf0000...0x10ffff,
    ]

    @Test("escapes each unfit character as its bytes, in trusted and untrusted text")
    func unfitCharacters() {
        for scalar in Self.unfit.joined().compactMap(Unicode.Scalar.init) {
            let text = String(scalar)
            let escaped = text.utf8.map { "\\x" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            #expect(DisplayText(trusted: text).text == escaped, "U+\(String(scalar.value, radix: 16))")
            #expect(DisplayText(untrusted: text.utf8).text == escaped, "U+\(String(scalar.value, radix: 16))")
        }
    }

    @Test("shows no character that Unicode calls ignorable, and no space but the usual one")
    func fitCharacters() {
        let unfit = Set(Self.unfit.joined())
        let seen = (0...0x10ffff).lazy.compactMap(Unicode.Scalar.init).filter { DisplayText.isVisible($0) }
        #expect(seen.allSatisfy { !unfit.contains($0.value) && !$0.properties.isDefaultIgnorableCodePoint })
        #expect(seen.count { $0.properties.isWhitespace } == 1, "the space")
        #expect(["A", "\u{e9}", "\u{301}", "\u{ae30}", "\u{5d0}", "\u{1f600}"].allSatisfy(DisplayText.isVisible))
    }

    @Test(
        "escapes every untrusted byte but printable ASCII",
        arguments: [
            ([0xc0, 0xaf], #"\xc0\xaf"#), ([0xed, 0xa0, 0x80], #"\xed\xa0\x80"#), ([0xff, 0x41], #"\xffA"#),
            ([0x9b, 0x32, 0x4a], #"\x9b2J"#), ([0xe2, 0x80], #"\xe2\x80"#), ([0x5c, 0x78], #"\x5cx"#),
        ] as [([UInt8], String)])
    func bytes(bytes: [UInt8], shown: String) { #expect(DisplayText(untrusted: bytes).text == shown) }

    @Test("shortens text to 120 characters including escapes, unless more is allowed")
    func cut() {
        let flood = [UInt8](repeating: 0x1b, count: 1_000_000)
        #expect(DisplayText(untrusted: flood).text == String(repeating: "\\x1b", count: 30) + "...")
        let exact = String(repeating: "x", count: 120)
        #expect([exact, exact + "y"].map { DisplayText(untrusted: $0.utf8).text } == [exact, exact + "..."])
        #expect(DisplayText(untrusted: Array(repeating: 0x41, count: 900), longest: 1_000).text.utf8.count == 900)
    }

    @Test("keeps the lines of a text, and escapes the same characters in them")
    func lines() {
        #expect(DisplayText.lines("a\n\tb \u{ae30}\u{301}\n") == "a\n\tb \u{ae30}\u{301}\n")
        #expect(DisplayText.lines("a\r\nb\u{9b}\u{1b}\u{202e}\n") == "a\\x0d\nb\\xc2\\x9b\\x1b\\xe2\\x80\\xae\n")
        for scalar in Self.unfit.joined().compactMap(Unicode.Scalar.init) where scalar != "\n" && scalar != "\t" {
            #expect(DisplayText.lines("x\(scalar)").hasPrefix("x\\x"), "U+\(String(scalar.value, radix: 16))")
        }
    }

    @Test("inserts displayable text, numbers and addresses into our own words")
    func words() {
        let host = DisplayText(untrusted: Array("h\u{1b}".utf8))
        let text: DisplayText = "see \(HTTPSAddress(host: "h.example", path: "/a")) of \(host), \(3)"
        #expect(text.text == #"see https://h.example/a of h\x1b, 3"#)
        #expect([host, "b"].joined(separator: ", ").text == #"h\x1b, b"#)
        #expect([DisplayText]().joined(separator: ", ").text == "")
    }
}
