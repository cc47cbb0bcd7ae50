import Testing

@testable import Share

@Suite("gateway: framing of a body")
struct BodyReaderTests {
    private struct Body: Equatable {
        var bytes: [UInt8] = []
        var end: Outcome<Bool, HTTPRefusal>

        init(_ framing: BodyFraming, _ pieces: [ArraySlice<UInt8>]) {
            var (reader, bytes) = (BodyReader(framing), [UInt8]())
            end = Outcome(pieces) { (input: inout ArraySlice<UInt8>) throws(HTTPRefusal) -> Bool? in
                while true {
                    switch try reader.next(&input) {
                    case .bytes(let more):
                        #expect(!more.isEmpty)
                        bytes += more
                    case .needsMore:
                        #expect(input.isEmpty)
                        return nil
                    case .end: return true
                    }
                }
            }
            self.bytes = bytes
        }

        var isComplete: Bool { end.value == true }
    }

    private func body(_ framing: BodyFraming, _ text: String) -> Body {
        Pieces.outcome(of: Array(text.utf8)) { Body(framing, $0) }
    }

    @Test("reads a body of the given length, and no byte of the next request")
    func length() {
        let read = body(.length(5), "helloGET /")
        #expect(read.isComplete && read.bytes == Array("hello".utf8) && read.end.rest == Array("GET /".utf8))
        #expect(!body(.length(6), "hello").isComplete)
        #expect(!body(.length(.max), "hello").isComplete)
        let empty = body(.length(0), "GET /")
        #expect(empty.isComplete && empty.bytes.isEmpty && empty.end.rest == Array("GET /".utf8))
    }

    @Test(
        "reads chunks",
        arguments: [
            ("0\r\n\r\n", ""), ("5\r\nhello\r\n0\r\n\r\n", "hello"), ("1\r\na\r\n2\r\nbc\r\n0\r\n\r\n", "abc"),
            ("00000005\r\nhello\r\n00000000\r\n\r\n", "hello"), ("A\r\n0123456789\r\n0\r\n\r\n", "0123456789"),
            ("a\r\n0123456789\r\n000\r\n\r\n", "0123456789"), ("2\r\n\r\n\r\n0\r\n\r\n", "\r\n"),
            ("5\r\n0\r\n\r\n\r\n0\r\n\r\n", "0\r\n\r\n"), ("1\r\na\r\n0\r\nX: y\r\nContent-Length: 9\r\n\r\n", "a"),
        ])
    func chunks(text: String, content: String) {
        let read = body(.chunked, text + "POST /")
        #expect(read.isComplete && read.bytes == Array(content.utf8) && read.end.rest == Array("POST /".utf8))
        for count in 0..<text.utf8.count {
            let cut = body(.chunked, String(decoding: text.utf8.prefix(count), as: UTF8.self))
            #expect(cut.end.result == .success(nil))
        }
    }

    @Test(
        "refuses chunks that two readers could read differently",
        arguments: [
            "5;a=b\r\nhello\r\n", "5 \r\nhello\r\n", " 5\r\nhello\r\n", "5\nhello\r\n", "5\r\rhello", "\r\nhello",
            "\r\n", "000000005\r\nhello\r\n", "fffffffff\r\n", "-5\r\nhello\r\n", "+5\r\n", "0x5\r\nhello\r\n",
            "5\r\nhello0\r\n\r\n", "5\r\nhello\n0\r\n\r\n", "5\r\nhello\n\n0\r\n\r\n", "5\r\nhelloX\n0\r\n\r\n",
            "5\r\nhello\r0\r\n", "5\r\nhello\r\n\r\n", "g\r\n", "5\u{0}\r\nhello\r\n", "0\n\r\n", "0\r\nX: y\n\r\n",
            "0\r\nX\r\n\r\n", "0\r\n X: y\r\n\r\n", "0\r\nX : y\r\n\r\n", "0\r\n\n", "0\r\nX: \u{0}\r\n\r\n",
            "5\u{660}\r\nhello\r\n", "0\r\n5\r\nhello\r\n\r\n",
        ])
    func ambiguous(text: String) { #expect(body(.chunked, text).end.failure == .malformed) }

    @Test("drops trailers, up to a limit")
    func trailers() {
        let line = "X: \(String(repeating: "a", count: 1_000))\r\n"
        #expect(body(.chunked, "0\r\n" + String(repeating: line, count: 8) + "\r\n").isComplete)
        #expect(body(.chunked, "0\r\n" + String(repeating: line, count: 9) + "\r\n").end.failure == .headTooLarge)
        #expect(body(.chunked, "0\r\n" + String(repeating: "X: a\r\n", count: 32) + "\r\n").isComplete)
        #expect(
            body(.chunked, "0\r\n" + String(repeating: "X: a\r\n", count: 33) + "\r\n").end.failure == .headTooLarge)
    }

    @Test("reads the largest chunk without storing it")
    func large() throws(HTTPRefusal) {
        var reader = BodyReader(.chunked)
        var head = Array("ffffffff\r\n".utf8)[...]
        let mebibyte = [UInt8](repeating: 7, count: 1 << 20)
        #expect(try reader.next(&head) == .needsMore)
        var total = 0
        while total < 0xffff_ffff {
            var input = mebibyte[...]
            guard case .bytes(let bytes) = try reader.next(&input) else { break }
            total += bytes.count
        }
        #expect(total == 0xffff_ffff)
    }
}
