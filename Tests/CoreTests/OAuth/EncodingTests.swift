import Providers
import TestSupport
import Testing

@Suite("base64url")
struct Base64URLTests {
    @Test(
        "encodes and decodes the vectors of RFC 4648, 10, and this alphabet's own two characters",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"), ("<<???>>", "PDw_Pz8-Pg"),
        ])
    func vectors(bytes: String, text: String) {
        #expect(Base64URL.encode(bytes.utf8) == Array(text.utf8))
        #expect(Base64URL.decode(text.utf8) == Array(bytes.utf8))
    }

    @Test("decodes every byte at every position")
    func roundTrip() {
        for count in 0...4 {
            for byte in UInt8.min ... .max {
                let bytes = [UInt8](repeating: byte, count: count)
                #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
            }
        }
    }

    @Test(
        "refuses text that is not canonical",
        arguments: [
            "Zg==", "Zg=", "=", "A", "AAAAA", "Zh", "Zm9", "Zm8\n", " Zm8", "Zm 8", "Zm+v", "Zm/v", "Zm9v\0", "Zm9é",
            "Z\u{ff4d}9v", "Zm9v.", "Zm9v,",
        ])
    func strictness(text: String) { #expect(Base64URL.decode(text.utf8) == nil) }

    @Test("accepts only the canonical one of several texts for the same byte")
    func canonical() {
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        #expect(alphabet.filter { Base64URL.decode("A\($0)".utf8) != nil }.count == 4)
        #expect(alphabet.filter { Base64URL.decode("AA\($0)".utf8) != nil }.count == 16)
        #expect(alphabet.filter { Base64URL.decode("AAA\($0)".utf8) != nil }.count == 64)
    }
}

@Suite("Basic credentials (RFC 7617)")
struct BasicCredentialsTests {
    @Test(
        "encodes the RFC's own examples, and every length of a group",
        arguments: [
            ("Aladdin", "open sesame", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), ("test", "123\u{a3}", "dGVzdDoxMjPCow=="),
            ("a", "", "YTo="), ("a", "b", "YTpi"), ("a", "bc", "YTpiYw=="),
            ("oauth2", "glpat-x", "b2F1dGgyOmdscGF0LXg="),
        ])
    func encoded(username: String, password: String, text: String) {
        #expect(BasicCredentials.encode(username: username, password: Secret(password)).text == text)
    }
}

@Suite("HTTP dates")
struct HTTPDateTests {
    @Test(
        "reads the preferred form, and refuses any other",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Tue, 14 Nov 2023 22:13:20 GMT", 1_700_000_000), ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
            ("Sat, 01 Mar 2025 00:00:00 GMT", 1_740_787_200), ("Fri, 31 Dec 9999 23:59:60 GMT", 253_402_300_800),
            ("", nil), ("Sunday, 06-Nov-94 08:49:37 GMT", nil), ("Sun Nov  6 08:49:37 1994", nil),
            ("Sun, 06 Nov 1994 08:49:37 CET", nil), ("Sun, 06 Foo 1994 08:49:37 GMT", nil),
            ("Sun, 6 Nov 1994 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 24:00:00 GMT", nil),
            ("Sun, 06 Nov 1994 08:49 GMT", nil), ("Sun, 00 Nov 1994 08:49:37 GMT", nil),
            ("Sun, 06 Nov -994 08:49:37 GMT", nil), ("Tue, 31 Feb 2026 08:49:37 GMT", nil),
            ("Sun, 29 Feb 2026 08:49:37 GMT", nil), ("Fri, 31 Apr 2026 08:49:37 GMT", nil),
        ] as [(String, Int64?)])
    func date(text: String, seconds: Int64?) { #expect(HTTPDate.parse(Array(text.utf8)) == seconds) }
}

@Suite("RFC 3339 times")
struct RFC3339TimeTests {
    @Test(
        "reads whole seconds in UTC, and refuses any other form",
        arguments: [
            ("2023-11-14T22:13:20Z", 1_700_000_000), ("1970-01-01T00:00:00Z", 0),
            ("2024-02-29T23:59:59Z", 1_709_251_199), ("", nil), ("2023-11-14", nil), ("2023-11-14 22:13:20Z", nil),
            ("2023-11-14T22:13:20", nil), ("2023-11-14T22:13:20.5Z", nil), ("2023-11-14T22:13:20+01:00", nil),
            ("2023-00-14T22:13:20Z", nil), ("2023-13-14T22:13:20Z", nil), ("2023-11-31T22:13:20Z", nil),
            ("2023-02-29T22:13:20Z", nil), ("2100-02-29T22:13:20Z", nil), ("2023-12-32T22:13:20Z", nil),
            ("2023-11-14T24:13:20Z", nil), ("2023-11-14T22:60:20Z", nil), ("1969-11-14T22:13:20Z", nil),
            ("+023-11-14T22:13:20Z", nil),
        ] as [(String, Int64?)])
    func time(text: String, seconds: Int64?) { #expect(RFC3339Time.parse(Array(text.utf8)) == seconds) }
}
