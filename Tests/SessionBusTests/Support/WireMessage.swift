@testable import FrontDoor

/// A message from a bus, which may be wrong in any detail.
struct WireMessage {
    var byteOrder = UInt8(ascii: "l")
    var kind: UInt8 = 2
    var version: UInt8 = 1
    var replySerial: UInt32?
    var signature: StaticString = ""
    var body: [UInt8] = []
    var claimedBodyBytes: UInt32?
    /// Writes further header fields before the usual ones.
    var oddFields: @Sendable (inout Marshaller) -> Void = { _ in }

    /// A reply with arguments of the given types.
    static func answer(
        to serial: UInt32, _ signature: StaticString = "", _ arguments: (inout Marshaller) -> Void = { _ in }
    ) -> WireMessage {
        var body = Marshaller()
        arguments(&body)
        return WireMessage(replySerial: serial, signature: signature, body: body.bytes)
    }

    /// A reply with a variant of a type.
    static func variant(to serial: UInt32, _ type: StaticString, _ value: (inout Marshaller) -> Void) -> WireMessage {
        .answer(to: serial, "v") { body in
            body.signature(type)
            value(&body)
        }
    }

    var bytes: [UInt8] {
        var message = Marshaller()
        message.byte(byteOrder)
        message.byte(kind)
        message.byte(0)
        message.byte(version)
        message.uint32(claimedBodyBytes ?? UInt32(body.count))
        message.uint32(77)
        message.array(alignedTo: 8) { fields in
            oddFields(&fields)
            if let replySerial {
                fields.align(to: 8)
                fields.byte(5)
                fields.signature("u")
                fields.uint32(replySerial)
            }
            if signature.utf8CodeUnitCount > 0 {
                fields.align(to: 8)
                fields.byte(8)
                fields.signature("g")
                fields.signature(signature)
            }
        }
        message.align(to: 8)
        return message.bytes + body
    }

    /// Sets a header field before the usual ones.
    mutating func addField(_ code: UInt8, _ value: @escaping @Sendable (inout Marshaller) -> Void) {
        oddFields = { fields in
            fields.align(to: 8)
            fields.byte(code)
            value(&fields)
        }
    }

    func but(_ change: (inout WireMessage) -> Void) -> WireMessage {
        var changed = self
        change(&changed)
        return changed
    }
}

/// A call from the reader, with the fields that a bus needs.
struct Call: Equatable {
    let member: String
    let serial: UInt32
    /// The requested property; empty for other calls.
    var property = ""
    /// The path of the object; empty if it does not matter.
    var path = ""

    /// A short name: the method, with the property if there is one.
    var name: String { property.isEmpty ? member : "\(member) \(property)" }
}

extension Call {
    /// Parses a whole message.
    init(_ message: ArraySlice<UInt8>) throws {
        var reader = Unmarshaller(message)
        for _ in 0..<4 { _ = try reader.byte() }
        _ = try reader.uint32()
        serial = try reader.uint32()
        var member = ""
        var path = ""
        try reader.array(alignedTo: 8) { field throws(FallbackReason) in
            try field.align(to: 8)
            let code = try field.byte()
            guard code == 1 || code == 3 else { return try field.skipVariant() }
            _ = try field.signature()
            let text = String(decoding: try field.string(), as: UTF8.self)
            if code == 1 { path = text } else { member = text }
        }
        try reader.align(to: 8)
        self.member = member
        self.path = path
        guard member == "Get" else { return }
        _ = try reader.string()
        property = String(decoding: try reader.string(), as: UTF8.self)
    }
}
