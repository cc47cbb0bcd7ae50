import CredentialCore
import Testing

@Suite("Displayed text of a server")
struct ServerTextTests {
    @Test(
        "escapes everything but printable ASCII",
        arguments: [
            ("plain text, (with) punctuation!", "plain text, (with) punctuation!"), ("\u{1b}[2K", #"\x1b[2K"#),
            ("a\r\nb\t", #"a\x0d\x0ab\x09"#),
            ("\u{9b}", #"\xc2\x9b"#), ("\u{202e}evil", #"\xe2\x80\xaeevil"#), ("\u{200b}", #"\xe2\x80\x8b"#),
            ("é", #"\xc3\xa9"#),
            (#"\x1b"#, #"\x5cx1b"#), ("\0\u{7f}", #"\x00\x7f"#), ("", ""),
        ])
    func escaping(text: String, expected: String) { #expect(DisplayText(untrusted: text.utf8).text == expected) }

    @Test("shortens a long text")
    func length() {
        let exact = String(repeating: "x", count: 120)
        #expect(DisplayText(untrusted: exact.utf8).text == exact)
        #expect(DisplayText(untrusted: (exact + "y").utf8).text == exact + "...")
        #expect(DisplayText(untrusted: Array(repeating: 0x1b, count: 1_000_000)).text.utf8.count < 130)
    }
}
