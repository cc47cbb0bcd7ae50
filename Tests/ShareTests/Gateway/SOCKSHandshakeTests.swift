import Share
import Testing

@Suite("gateway: SOCKS handshake of libcurl")
struct SOCKSHandshakeTests {
    private static let request: [UInt8] = [5, 1, 0, 3, 16] + Array("gitspace.invalid".utf8) + [0, 80]

    private struct Conversation: Equatable {
        var sent: [UInt8] = []
        var isConnected = false
        var isRefused = false
        var rest: [UInt8] = []
    }

    private func conversation(_ input: [UInt8]) -> Conversation {
        Pieces.outcome(of: input) { pieces in
            var handshake = SOCKSHandshake()
            var conversation = Conversation()
            for (number, piece) in pieces.enumerated() {
                var input = piece
                reading: while true {
                    switch handshake.take(&input) {
                    case .needsMore: break reading
                    case .chosen(let reply): conversation.sent += reply
                    case .connected(let reply):
                        conversation.sent += reply
                        conversation.isConnected = true
                        conversation.rest = Array(input) + pieces[(number + 1)...].joined()
                        return conversation
                    case .refused(let reply):
                        conversation.sent += reply
                        conversation.isRefused = true
                        return conversation
                    }
                }
            }
            return conversation
        }
    }

    @Test(
        "accepts gitspace.invalid at port 80 in any letter case, with any other methods of the client",
        arguments: [[5, 1, 0], [5, 2, 0, 1], [5, 3, 0, 1, 2], [5, 2, 2, 0]] as [[UInt8]])
    func connects(greeting: [UInt8]) {
        let talk = conversation(greeting + Self.request + Array("GET /".utf8))
        #expect(talk.isConnected && talk.rest == Array("GET /".utf8))
        #expect(talk.sent == [5, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
        #expect(conversation(greeting + [5, 1, 0, 3, 16] + Array("GitSpace.INVALID".utf8) + [0, 80]).isConnected)
    }

    @Test(
        "replies FF if the client requires authentication",
        arguments: [[5, 0], [5, 1, 2], [5, 2, 1, 2], [5, 1, 0xff]] as [[UInt8]])
    func methods(greeting: [UInt8]) {
        let talk = conversation(greeting)
        #expect(talk.isRefused && talk.sent == [5, 0xff])
    }

    @Test(
        "closes the connection of another protocol without a reply",
        arguments: [[4, 1, 0, 80, 1, 2, 3, 4, 0], [0x16, 3, 1], [0x47, 0x45, 0x54], [0]] as [[UInt8]])
    func otherProtocols(bytes: [UInt8]) {
        let talk = conversation(bytes)
        #expect(talk.isRefused && talk.sent.isEmpty)
    }

    /// The code of the reply, and the request in three parts: beginning, name and end.
    private static let refused: [(code: UInt8, start: [UInt8], name: String, end: [UInt8])] = [
        (7, [5, 2, 0, 3, 16], SOCKSHandshake.host, [0, 80]), (7, [5, 3, 0, 3, 16], SOCKSHandshake.host, [0, 80]),
        (7, [5, 0, 0, 3, 16], SOCKSHandshake.host, [0, 80]), (1, [4, 1, 0, 3, 16], SOCKSHandshake.host, [0, 80]),
        (1, [5, 1, 1, 3, 16], SOCKSHandshake.host, [0, 80]), (8, [5, 1, 0, 1, 127, 0, 0, 1], "", [0, 80]),
        (8, [5, 1, 0, 4], "sixteen bytes of", [0, 80]), (8, [5, 1, 0, 2], "", [0, 80]),
        (2, [5, 1, 0, 3, 10], "github.com", [0, 80]), (2, [5, 1, 0, 3, 17], "gitspace.invalid.", [0, 80]),
        (2, [5, 1, 0, 3, 15], "gitspace.invali", [0, 80]), (2, [5, 1, 0, 3, 17], "gitspace.invalid\u{0}", [0, 80]),
        (2, [5, 1, 0, 3, 0], "", [0, 80]), (2, [5, 1, 0, 3, 16], SOCKSHandshake.host, [1, 0xbb]),
        (2, [5, 1, 0, 3, 16], SOCKSHandshake.host, [80, 0]),
        (2, [5, 1, 0, 3, 255], String(repeating: "a", count: 255), [0, 80]),
    ]

    @Test("refuses any other command, version, kind of address, name or port", arguments: refused.indices)
    func refusals(number: Int) {
        let (code, start, name, end) = Self.refused[number]
        let talk = conversation([5, 1, 0] + start + Array(name.utf8) + end)
        #expect(talk.isRefused && talk.sent == [5, 0, 5, code, 0, 1, 0, 0, 0, 0, 0, 0])
    }

    @Test("waits for an incomplete request", arguments: 0...26)
    func incomplete(count: Int) {
        let talk = conversation(Array(([5, 1, 0] + Self.request).prefix(count)))
        #expect(talk.isConnected == (count == 26) && !talk.isRefused)
    }
}
