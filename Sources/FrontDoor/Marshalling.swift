/// Writes D-Bus's wire format, little-endian (D-Bus specification, "Marshaling").
struct Marshaller {
    private(set) var bytes: [UInt8] = []

    mutating func align(to boundary: Int) {
        while bytes.count % boundary != 0 { bytes.append(0) }
    }

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    mutating func uint32(_ value: UInt32) {
        align(to: 4)
        for shift in stride(from: UInt32(0), through: 24, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    /// Appends a string or an object path: length, bytes, NUL.
    mutating func string(_ value: some Collection<UInt8>) {
        uint32(UInt32(truncatingIfNeeded: value.count))
        bytes += value
        bytes.append(0)
    }

    /// Appends a signature, whose length has one byte.
    mutating func signature(_ value: StaticString) {
        bytes.append(UInt8(truncatingIfNeeded: value.utf8CodeUnitCount))
        value.withUTF8Buffer { bytes += $0 }
        bytes.append(0)
    }

    /// Appends an array, whose length excludes the padding before the first element.
    mutating func array(alignedTo boundary: Int, _ elements: (inout Marshaller) -> Void) {
        align(to: 4)
        let lengthOffset = bytes.count
        uint32(0)
        align(to: boundary)
        let start = bytes.count
        elements(&self)
        Self.replace(lengthOffset, in: &bytes, by: UInt32(truncatingIfNeeded: bytes.count - start))
    }

    static func replace(_ offset: Int, in bytes: inout [UInt8], by value: UInt32) {
        for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt32(8 * index)) }
    }
}

extension StaticString {
    var bytes: [UInt8] { withUTF8Buffer { Array($0) } }
}

/// Reads the wire format, and checks every length, so that no input can trap.
struct Unmarshaller {
    private let bytes: ArraySlice<UInt8>
    private var offset: Int
    /// The start of a header or body, from which alignment counts.
    private let origin: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        offset = bytes.startIndex
        origin = bytes.startIndex
    }

    var isAtEnd: Bool { offset == bytes.endIndex }
    var position: Int { offset - origin }

    /// The deepest nesting of values, variants included.
    private static let deepest = 8

    mutating func align(to boundary: Int) throws(FallbackReason) {
        let padding = (boundary - (offset - origin) % boundary) % boundary
        _ = try take(padding)
    }

    mutating func byte() throws(FallbackReason) -> UInt8 {
        guard let byte = try take(1).first else { throw .oddMessage }
        return byte
    }

    mutating func uint32() throws(FallbackReason) -> UInt32 {
        try align(to: 4)
        return try take(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    mutating func uint64() throws(FallbackReason) -> UInt64 {
        try align(to: 8)
        return try take(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A string or an object path, without its NUL.
    mutating func string() throws(FallbackReason) -> ArraySlice<UInt8> {
        let value = try take(Int(try uint32()))
        guard try byte() == 0 else { throw .oddMessage }
        return value
    }

    mutating func signature() throws(FallbackReason) -> ArraySlice<UInt8> {
        let value = try take(Int(try byte()))
        guard try byte() == 0 else { throw .oddMessage }
        return value
    }

    mutating func byteArray() throws(FallbackReason) -> ArraySlice<UInt8> { try take(Int(try uint32())) }

    /// Calls `element` until exactly the array's bytes are used up.
    mutating func array(
        alignedTo boundary: Int, _ element: (inout Unmarshaller) throws(FallbackReason) -> Void
    ) throws(FallbackReason) {
        let length = Int(try uint32())
        try align(to: boundary)
        guard length <= bytes.endIndex - offset else { throw .oddMessage }
        let end = offset + length
        while offset < end { try element(&self) }
        guard offset == end else { throw .oddMessage }
    }

    /// Skips a value, and removes its type from the signature.
    ///
    /// - Throws: `.oddMessage` for structures, for deep nesting, and for truncated values.
    mutating func skip(_ signature: inout ArraySlice<UInt8>, depth: Int = 0) throws(FallbackReason) {
        guard depth < Self.deepest, let type = signature.popFirst() else { throw .oddMessage }
        switch type {
        case UInt8(ascii: "y"): _ = try byte()
        case UInt8(ascii: "n"), UInt8(ascii: "q"): try skip(bytes: 2)
        case UInt8(ascii: "b"), UInt8(ascii: "i"), UInt8(ascii: "u"), UInt8(ascii: "h"): try skip(bytes: 4)
        case UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"): try skip(bytes: 8)
        case UInt8(ascii: "s"), UInt8(ascii: "o"): _ = try string()
        case UInt8(ascii: "g"): _ = try self.signature()
        case UInt8(ascii: "v"): try skipVariant(depth: depth)
        case UInt8(ascii: "a"): try skipArray(&signature)
        default: throw .oddMessage
        }
    }

    mutating func skipVariant(depth: Int = 0) throws(FallbackReason) {
        var inner = try signature()
        try skip(&inner, depth: depth + 1)
        guard inner.isEmpty else { throw .oddMessage }
    }

    private mutating func skip(bytes count: Int) throws(FallbackReason) {
        try align(to: count)
        _ = try take(count)
    }

    /// Skips an array of simple types; a session's variant and a header have no others.
    private mutating func skipArray(_ signature: inout ArraySlice<UInt8>) throws(FallbackReason) {
        let boundary: Int
        guard let type = signature.popFirst() else { throw .oddMessage }
        switch type {
        case UInt8(ascii: "y"): boundary = 1
        case UInt8(ascii: "s"), UInt8(ascii: "o"), UInt8(ascii: "u"): boundary = 4
        default: throw .oddMessage
        }
        try array(alignedTo: boundary) { element throws(FallbackReason) in
            var inner: ArraySlice<UInt8> = [type]
            try element.skip(&inner)
        }
    }

    private mutating func take(_ count: Int) throws(FallbackReason) -> ArraySlice<UInt8> {
        guard count >= 0, count <= bytes.endIndex - offset else { throw .oddMessage }
        defer { offset += count }
        return bytes[offset..<offset + count]
    }
}
