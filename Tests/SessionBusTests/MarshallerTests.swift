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
