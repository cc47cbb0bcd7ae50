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

@Suite("ASCII folding")
struct ASCIITests {
    @Test("folds the 26 capital letters, and changes no other byte")
    func everyByte() {
        for byte in UInt8.min...UInt8.max {
            let isCapital = (0x41...0x5a).contains(byte)
            #expect(ASCII.folded(byte) == (isCapital ? byte + 32 : byte))
        }
    }

    @Test(
        "ignores the case of ASCII letters alone: Unicode folds the Kelvin sign to k, too",
        arguments: [
            ("kit.example", true), ("Kit.Example", true), ("KIT.EXAMPLE", true), ("kit.exampl", false),
            ("kit.example.", false), ("kit.example ", false), ("", false), ("kıt.example", false),
            ("ｋit.example", false), ("\u{212a}it.example", false),
        ])
    func equal(text: String, isEqual: Bool) { #expect(ASCII.equalsIgnoringCase(text.utf8, "Kit.Example") == isEqual) }
}

@Suite("Decimal numbers")
struct DecimalNumberTests {
    @Test(
        "reads digits, with or without leading zeros, and nothing but a number of 63 bits, without a trap",
        arguments: [
            ("0", 0), ("7", 7), ("007", 7), ("1700000000", 1_700_000_000), ("9223372036854775807", Int64.max),
            ("", nil), ("-1", nil), ("+1", nil), (" 1", nil), ("1 ", nil), ("1.5", nil), ("1e3", nil), ("0x10", nil),
            ("abc", nil), ("１", nil), ("9223372036854775808", nil), ("18446744073709551616", nil),
            ("99999999999999999999", nil), ("92233720368547758070", nil), ("1\0", nil),
        ] as [(String, Int64?)])
    func number(text: String, number: Int64?) { #expect(DecimalNumber.parse(text.utf8) == number) }
}

@Suite("SHA-256")
struct SHA256Tests {
    @Test(
        "returns the digests of FIPS 180-4's example messages and around the end of a block, at once and in pieces",
        arguments: [
            ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
                1, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
            ), ("a", 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
            ("a", 56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
            ("a", 63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"),
            ("a", 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
            ("a", 65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"),
            ("a", 1_000, "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"),
        ])
    func digest(part: String, count: Int, expected: String) {
        let message = String(repeating: part, count: count)
        var (whole, pieces) = (SHA256(), SHA256())
        whole.update(message.utf8)
        for byte in message.utf8 { pieces.update([byte]) }
        pieces.update("".utf8)
        #expect(String(decoding: whole.finish(), as: UTF8.self) == expected)
        #expect(String(decoding: pieces.finish(), as: UTF8.self) == expected)
    }

    @Test("distinguishes two lists of fields, wherever they are divided")
    func fields() {
        func digest(_ fields: String...) -> [UInt8] {
            var digest = SHA256()
            for field in fields { digest.update(field: field.utf8) }
            return digest.finish()
        }
        let all = [digest("ab", "c"), digest("a", "bc"), digest("abc"), digest("abc", ""), digest("", "abc")]
        #expect(Set(all).count == all.count)
    }
}
