/// A message from the bus, parsed as far as an answer requires.
struct IncomingMessage {
    enum Kind: UInt8 {
        case methodCall = 1
        case methodReturn = 2
        case error = 3
        case signal = 4
    }

    /// The fixed part of a header, whose last field is the length of the rest.
    static let fixedHeaderBytes = 16
    /// Longer messages are rejected: the longest secret that we read has 64 KiB.
    static let longest = 256 * 1_024

    /// Nil for an unknown kind, which is to be ignored.
    let kind: Kind?
    /// Which call it answers.
    let replySerial: UInt32?
    /// The name of an error; empty for everything else.
    let errorName: ArraySlice<UInt8>
    /// The types of the body.
    let signature: [UInt8]
    /// The arguments.
    let body: ArraySlice<UInt8>

    /// The length of a whole message, from the first 16 bytes of it.
    ///
    /// - Throws: `.oddMessage` for another byte order, another version, or a length beyond `longest`.
    static func length(_ header: ArraySlice<UInt8>) throws(FallbackReason) -> Int {
        var reader = Unmarshaller(header)
        let protocolVersion: UInt8 = 1
        guard try reader.byte() == UInt8(ascii: "l") else { throw .oddMessage }
        _ = try reader.byte()
        _ = try reader.byte()
        guard try reader.byte() == protocolVersion else { throw .oddMessage }
        let bodyBytes = Int(try reader.uint32())
        _ = try reader.uint32()
        let fieldBytes = Int(try reader.uint32())
        guard bodyBytes <= longest, fieldBytes <= longest else { throw .oddMessage }
        let length = fixedHeaderBytes + (fieldBytes + 7) / 8 * 8 + bodyBytes
        guard length <= longest else { throw .oddMessage }
        return length
    }

    /// Parses a whole message, of the length that `length` returned.
    init(_ message: ArraySlice<UInt8>) throws(FallbackReason) {
        var reader = Unmarshaller(message)
        _ = try reader.byte()
        kind = Kind(rawValue: try reader.byte())
        _ = try reader.byte()
        _ = try reader.byte()
        let bodyBytes = Int(try reader.uint32())
        _ = try reader.uint32()
        var replySerial: UInt32?
        var signature: [UInt8] = []
        var errorName: ArraySlice<UInt8> = []
        try reader.array(alignedTo: 8) { field throws(FallbackReason) in
            try field.align(to: 8)
            switch HeaderField(rawValue: try field.byte()) {
            case .replySerial:
                guard try field.signature().elementsEqual("u".utf8) else { throw .oddMessage }
                replySerial = try field.uint32()
            case .errorName:
                guard try field.signature().elementsEqual("s".utf8) else { throw .oddMessage }
                errorName = try field.string()
            case .signature:
                guard try field.signature().elementsEqual("g".utf8) else { throw .oddMessage }
                signature = Array(try field.signature())
            default: try field.skipVariant()
            }
        }
        try reader.align(to: 8)
        self.replySerial = replySerial
        self.signature = signature
        self.errorName = errorName
        body = message.dropFirst(reader.position)
        guard body.count == bodyBytes else { throw .oddMessage }
    }

    /// Reads all arguments, which must have exactly these types and end with the body.
    func arguments<Result>(
        _ types: StaticString, _ read: (inout Unmarshaller) throws(FallbackReason) -> Result
    ) throws(FallbackReason) -> Result {
        guard signature == types.bytes else { throw .oddMessage }
        var reader = Unmarshaller(body)
        let result = try read(&reader)
        guard reader.isAtEnd else { throw .oddMessage }
        return result
    }
}
