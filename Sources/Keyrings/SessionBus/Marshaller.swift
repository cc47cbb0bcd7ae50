/// Writes values in D-Bus's wire format, little-endian (D-Bus specification, "Marshaling").
struct Marshaller {
    private(set) var bytes: [UInt8] = []

    /// Pads with zeros to a multiple of `boundary`, the alignment of the type that follows.
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

    /// A string or an object path: its length, its bytes, a NUL.
    mutating func string(_ value: some Collection<UInt8>) {
        uint32(UInt32(truncatingIfNeeded: value.count))
        bytes += value
        bytes.append(0)
    }

    /// A signature: like a string, but with a length of one byte.
    mutating func signature(_ value: StaticString) {
        bytes.append(UInt8(truncatingIfNeeded: value.utf8CodeUnitCount))
        value.withUTF8Buffer { bytes += $0 }
        bytes.append(0)
    }

    /// An array: its length in bytes, without the padding before the first element.
    mutating func array(alignedTo boundary: Int, _ elements: (inout Marshaller) -> Void) {
        align(to: 4)
        let lengthOffset = bytes.count
        uint32(0)
        align(to: boundary)
        let start = bytes.count
        elements(&self)
        var length = UInt32(truncatingIfNeeded: bytes.count - start)
        for offset in lengthOffset..<lengthOffset + 4 {
            bytes[offset] = UInt8(truncatingIfNeeded: length)
            length >>= 8
        }
    }
}

extension StaticString {
    /// The bytes, for the constant names of this module.
    var bytes: [UInt8] { withUTF8Buffer { Array($0) } }
}
