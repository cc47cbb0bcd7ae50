import CredentialCore
import Testing

@Suite("Hexadecimal digits and percent-encoding")
struct HexadecimalTests {
    private static let all = (UInt8.min...UInt8.max).map { $0 }

    @Test("encodes every byte as two digits, and reads them in either case")
    func bytes() {
        let digits = Self.all.flatMap(Hexadecimal.digits)
        #expect(String(decoding: digits.prefix(36), as: UTF8.self) == "000102030405060708090a0b0c0d0e0f1011")
        #expect(String(decoding: digits.suffix(4), as: UTF8.self) == "feff")
        #expect(Hexadecimal.bytes(digits) == Self.all)
        #expect(Hexadecimal.bytes(String(decoding: digits, as: UTF8.self).uppercased().utf8) == Self.all)
        #expect(Hexadecimal.bytes([]) == [])
    }

    @Test(
        "refuses text that is no pair of digits",
        arguments: ["0", "0g", "g0", "000", "0x", " 0", "-1", "0@", "0`", "é"])
    func others(text: String) {
        #expect(Hexadecimal.bytes(text.utf8) == nil)
        #expect(PercentEncoding.decoded("%\(text)".utf8) == nil || text == "000")
    }

    @Test("percent-encodes all but plain characters, and decodes them again (RFC 3986, 2.1)")
    func percent() {
        let text = PercentEncoding.encoded("a-Z0 /ü%~\u{1f}".utf8) { ASCII.isLetterOrDigit($0, or: "-~") }
        #expect(String(decoding: text, as: UTF8.self) == "a-Z0%20%2F%C3%BC%25~%1F")
        #expect(PercentEncoding.decoded(text) == Array("a-Z0 /ü%~\u{1f}".utf8))
        #expect(PercentEncoding.decoded(PercentEncoding.encoded(Self.all) { _ in false }) == Self.all)
        #expect(PercentEncoding.decoded("%aF%Af+".utf8) == [0xaf, 0xaf, UInt8(ascii: "+")])
    }

    @Test("takes only ASCII letters and digits and the named signs as plain")
    func plain() {
        let plain = Self.all.filter { ASCII.isPlain([$0], with: "-_") }
        #expect(plain == Array("-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz".utf8))
        #expect(ASCII.isPlain("".utf8) && !ASCII.isPlain("a-".utf8) && !ASCII.isPlain("a_".utf8, with: "-"))
    }
}
