import Staging
import Testing

@testable import FrontDoor

@Suite("Values on the wire")
struct MarshallerTests {
    @Test("reads back every value that it writes")
    func roundTrip() throws {
        var writer = Marshaller()
        writer.byte(7)
        writer.uint32(0xdead_beef)
        writer.string("héllo".utf8)
        writer.signature("a{ss}")
        writer.array(alignedTo: 8) { entries in
            for word in ["a", "bcd", ""] {
                entries.align(to: 8)
                entries.string(word.utf8)
            }
        }
        var reader = Unmarshaller(writer.bytes[...])
        #expect(try reader.byte() == 7)
        #expect(try reader.uint32() == 0xdead_beef)
        #expect(try reader.string().elementsEqual("héllo".utf8))
        #expect(try reader.signature().elementsEqual("a{ss}".utf8))
        var words: [String] = []
        try reader.array(alignedTo: 8) { entry throws(FallbackReason) in
            try entry.align(to: 8)
            words.append(String(decoding: try entry.string(), as: UTF8.self))
        }
        #expect(words == ["a", "bcd", ""])
        #expect(reader.isAtEnd)
    }

    @Test("writes the bytes of the specification")
    func bytes() {
        var writer = Marshaller()
        writer.byte(1)
        writer.string("foo".utf8)
        writer.array(alignedTo: 8) { $0.byte(5) }
        #expect(writer.bytes == [1, 0, 0, 0, 3, 0, 0, 0, 0x66, 0x6f, 0x6f, 0, 1, 0, 0, 0, 5])
    }

    @Test("tells the bus to start no program for a call")
    func noAutoStart() { #expect(MethodCall("SearchItems").message[2] == 2) }

    @Test("aligns values from the start of the message, not of an array")
    func slices() throws {
        let padded: [UInt8] = [9, 9, 9, 1, 0, 0, 0, 42, 0, 0, 0]
        var reader = Unmarshaller(padded[3...])
        #expect(try reader.byte() == 1)
        #expect(try reader.uint32() == 42)
    }

    @Test(
        "refuses values that are truncated or have a wrong length",
        arguments: [[], [4, 0, 0], [4, 0, 0, 0, 1], [0xff, 0xff, 0xff, 0xff, 0], [1, 0, 0, 0, 0x61, 0x62]] as [[UInt8]])
    func refused(bytes: [UInt8]) {
        var reader = Unmarshaller(bytes[...])
        #expect(throws: FallbackReason.oddMessage) { try reader.string() }
    }
}

/// Generated messages by the hundred thousand: the parsers may refuse them, but must not trap.
@Suite("Generated messages")
struct GeneratedMessageTests {
    /// Valid messages, from which most of the others are derived.
    private static let models: [[UInt8]] = WireFaultTests.calls.enumerated().map { index, name in
        let words = name.split(separator: " ").map(String.init)
        let call = Call(member: words[0], serial: UInt32(index + 1), property: words.count > 1 ? words[1] : "")
        return ScriptedKeyring(count: 2).answer(to: call).bytes
    }

    /// A message that is mostly valid with some bytes changed, cut or inserted, and sometimes only noise.
    private static func message(_ generator: inout SeededGenerator) -> [UInt8] {
        guard Int.random(in: 0..<8, using: &generator) > 0 else {
            return (0..<Int.random(in: 0..<200, using: &generator)).map { _ in .random(in: 0...255, using: &generator) }
        }
        var message = models.randomElement(using: &generator) ?? []
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let place = Int.random(in: 0..<message.count, using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: message[place] = .random(in: 0...255, using: &generator)
            case 1: message[place] = [0, 1, 0x7f, 0x80, 0xff].randomElement(using: &generator) ?? 0
            case 2: message[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 3: message.removeSubrange(place..<min(message.count, place + 4))
            default: message.insert(.random(in: 0...255, using: &generator), at: place)
            }
            if message.isEmpty { break }
        }
        return message
    }

    /// Parses a message to its last byte, in each way that the reader does.
    private static func isReadable(_ bytes: [UInt8]) -> Bool {
        do throws(FallbackReason) {
            guard bytes.count >= IncomingMessage.fixedHeaderBytes else { throw .oddMessage }
            let length = try IncomingMessage.length(bytes[..<IncomingMessage.fixedHeaderBytes])
            guard length <= bytes.count else { throw .oddMessage }
            let message = try IncomingMessage(bytes[..<length])
            var types = message.signature[...]
            var body = Unmarshaller(message.body)
            while !types.isEmpty { try body.skip(&types) }
            return body.isAtEnd
        } catch { return false }
    }

    @Test("refuses or reads a hundred thousand messages without a trap", arguments: [1, 2, 3, 4] as [UInt64])
    func messages(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var readable = 0
        for _ in 0..<30_000 where Self.isReadable(Self.message(&generator)) { readable += 1 }
        // Ensures that the deeper parts of the parser are tested: not all messages are refused early.
        #expect(readable > 1_000 && readable < 29_000)
    }
}
