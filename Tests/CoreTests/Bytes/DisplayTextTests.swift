import CredentialCore
import Testing

@Suite("Text that can be shown")
struct DisplayTextTests {
    @Test(
        "text of this machine keeps the letters and signs of any script, and loses what a terminal acts on",
        arguments: [
            ("/home/\u{ae30}\u{c5b5}/a b·c", "/home/\u{ae30}\u{c5b5}/a b·c"), ("C:\\x", "C:\\x"),
            ("a\u{1b}[2Jb\n", "a\\x1b[2Jb\\x0a"), ("\u{202e}x\u{9b}", "\\xe2\\x80\\xaex\\xc2\\x9b"),
            ("\u{200b}\u{2028}\u{e000}", "\\xe2\\x80\\x8b\\xe2\\x80\\xa8\\xee\\x80\\x80"),
        ])
    func own(text: String, shown: String) {
        #expect(DisplayText(own: text).text == shown)
    }

    @Test("text of this machine is never cut, since it is there to be copied")
    func whole() {
        let path = String(repeating: "/folder", count: 100)
        #expect(DisplayText(own: path).text == path)
    }

    @Test("our own words take in what can be shown, numbers and addresses")
    func words() {
        let host = DisplayText(Array("h\u{1b}".utf8))
        let text: DisplayText = "see \(HTTPSAddress(host: "h.example", path: "/a")) of \(host), \(3)"
        #expect(text.text == #"see https://h.example/a of h\x1b, 3"#)
        #expect([host, "b"].joined(separator: ", ").text == #"h\x1b, b"#)
        #expect([DisplayText]().joined(separator: ", ").text == "")
    }
}
