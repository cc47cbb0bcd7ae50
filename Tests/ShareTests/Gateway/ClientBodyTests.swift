import Testing

@testable import Share

@Suite("gateway: body from the client")
struct ClientBodyTests {
    @Test("returns the bytes after the body to the connection", arguments: [BodyFraming.length(3), .chunked])
    func rest(framing: BodyFraming) throws {
        let text = framing == .chunked ? "3\r\nabc\r\n0\r\n\r\nGET" : "abcGET"
        var input: [ArraySlice<UInt8>] = [Array(text.utf8.prefix(5))[...], Array(text.utf8.dropFirst(5))[...]]
        var rest: [UInt8] = []
        let body = ClientBody(framing) {
            input.isEmpty ? nil : input.removeFirst()
        } returning: {
            rest += $0
        }
        #expect(try body.skip())
        #expect(rest + input.joined() == Array("GET".utf8))
    }
}
