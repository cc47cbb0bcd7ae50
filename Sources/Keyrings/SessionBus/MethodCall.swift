/// An outgoing method call (D-Bus specification, "Message Protocol").
struct MethodCall {
    private let destination: StaticString
    private let path: [UInt8]
    private let interface: StaticString
    private let member: StaticString
    private let signature: StaticString
    private let body: [UInt8]

    /// A call without arguments, or with those that `arguments` writes.
    init(
        _ member: StaticString, of interface: StaticString, at path: [UInt8], on destination: StaticString,
        signature: StaticString = "", arguments: (inout Marshaller) -> Void = { _ in }
    ) {
        self.destination = destination
        self.path = path
        self.interface = interface
        self.member = member
        self.signature = signature
        var body = Marshaller()
        arguments(&body)
        self.body = body.bytes
    }

    /// Encodes the message.
    ///
    /// Tells the bus not to start a service: the full program handles a keyring that is not running.
    ///
    /// - Parameter serial: identifies the answer.
    /// - Returns: the whole message, ready to be sent.
    func message(serial: UInt32) -> [UInt8] {
        let methodCall: UInt8 = 1
        let noAutoStart: UInt8 = 2
        let protocolVersion: UInt8 = 1
        var message = Marshaller()
        message.byte(UInt8(ascii: "l"))
        message.byte(methodCall)
        message.byte(noAutoStart)
        message.byte(protocolVersion)
        message.uint32(UInt32(truncatingIfNeeded: body.count))
        message.uint32(serial)
        message.array(alignedTo: 8) { fields in
            Self.field(.path, "o", &fields) { $0.string(path) }
            Self.field(.interface, "s", &fields) { $0.string(interface.bytes) }
            Self.field(.member, "s", &fields) { $0.string(member.bytes) }
            Self.field(.destination, "s", &fields) { $0.string(destination.bytes) }
            if signature.utf8CodeUnitCount > 0 { Self.field(.signature, "g", &fields) { $0.signature(signature) } }
        }
        message.align(to: 8)
        return message.bytes + body
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

/// The header fields that we write or read.
enum HeaderField: UInt8 {
    case path = 1
    case interface = 2
    case member = 3
    case errorName = 4
    case replySerial = 5
    case destination = 6
    case signature = 8
}
