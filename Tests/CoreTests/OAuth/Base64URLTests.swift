import Providers
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
