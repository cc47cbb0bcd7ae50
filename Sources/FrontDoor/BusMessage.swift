/// A method call (D-Bus specification, "Message Protocol").
struct MethodCall {
    /// The bytes of the call, which tell the bus to start no service: the full program does that.
    ///
    /// The serial is 0 until the call is sent.
    let message: [UInt8]

    static let serialOffset = 8

    /// Makes a call of the Secret Service, or of another object on the bus.
    init(
        _ member: StaticString, of interface: StaticString = "org.freedesktop.Secret.Service",
        at path: [UInt8] = SecretServiceReader.servicePath, on destination: StaticString = "org.freedesktop.secrets",
        signature: StaticString = "", arguments: (inout Marshaller) -> Void = { _ in }
    ) {
        let methodCall: UInt8 = 1
        let noAutoStart: UInt8 = 2
        let protocolVersion: UInt8 = 1
        var body = Marshaller()
        arguments(&body)
        var message = Marshaller()
        message.byte(UInt8(ascii: "l"))
        message.byte(methodCall)
        message.byte(noAutoStart)
        message.byte(protocolVersion)
        message.uint32(UInt32(truncatingIfNeeded: body.bytes.count))
        message.uint32(0)
        message.array(alignedTo: 8) { fields in
            Self.field(.path, "o", &fields) { $0.string(path) }
            Self.field(.interface, "s", &fields) { $0.string(interface.bytes) }
            Self.field(.member, "s", &fields) { $0.string(member.bytes) }
            Self.field(.destination, "s", &fields) { $0.string(destination.bytes) }
            if signature.utf8CodeUnitCount > 0 { Self.field(.signature, "g", &fields) { $0.signature(signature) } }
        }
        message.align(to: 8)
        self.message = message.bytes + body.bytes
    }

    private static func field(
        _ code: HeaderField, _ type: StaticString, _ fields: inout Marshaller, _ value: (inout Marshaller) -> Void
    ) {
        fields.align(to: 8)
        fields.byte(code.rawValue)
        fields.signature(type)
        value(&fields)
    }
}

enum HeaderField: UInt8 {
    case path = 1
    case interface = 2
    case member = 3
    case errorName = 4
    case replySerial = 5
    case destination = 6
    case signature = 8
}

/// A message, parsed as far as an answer requires.
struct IncomingMessage {
    static let methodReturn: UInt8 = 2
    static let error: UInt8 = 3

    /// The bytes of the fixed header, whose last field is the length of the rest.
    static let fixedHeaderBytes = 16
    /// The most bytes of a message; a secret that we read has up to 64 KiB.
    static let longest = 256 * 1_024

    /// The type of the message; an unknown one must be ignored.
    let kind: UInt8
    let replySerial: UInt32?
    /// The name of an error, or empty.
    let errorName: ArraySlice<UInt8>
    let signature: [UInt8]
    let body: ArraySlice<UInt8>

    /// The length of a message, from its first 16 bytes.
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

    /// Parses a whole message.
    init(_ message: ArraySlice<UInt8>) throws(FallbackReason) {
        var reader = Unmarshaller(message)
        _ = try reader.byte()
        kind = try reader.byte()
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

    /// Reads arguments of exactly these types, which must end with the body.
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
