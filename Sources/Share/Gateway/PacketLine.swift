internal import CredentialCore

/// A pkt-line: four hexadecimal digits with the length, themselves included, and the payload (gitprotocol-common(5)).
enum PacketLine {
    /// In bytes, with the length.
    static let longest = 65_520

    static let flush = Array("0000".utf8)

    /// Nil for four bytes that are no length; 0 is a flush, and 1 to 3 have a meaning in protocol version 2 alone.
    static func length(_ digits: ArraySlice<UInt8>) -> Int? {
        var length = 0
        for byte in digits {
            guard let digit = Hexadecimal.number(byte) else { return nil }
            length = length << 4 | Int(digit)
        }
        return length <= longest ? length : nil
    }

    /// The payload must fit.
    static func append(_ payload: some Collection<UInt8>, to bytes: inout [UInt8]) {
        let digits = String(payload.count + 4, radix: 16)
        bytes += repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count)
        bytes += digits.utf8
        bytes += payload
    }
}

/// Several streams in one, as pkt-lines that begin with the number of theirs (gitprotocol-pack(5), "Packfile Data").
struct SideBand {
    enum Band: UInt8 {
        case data = 1
        /// For the person.
        case progress = 2
    }

    /// Of a pkt-line, in bytes.
    let longest: Int

    func append(_ band: Band, _ payload: [UInt8], to bytes: inout [UInt8]) {
        var rest = payload[...]
        while !rest.isEmpty {
            // Git itself leaves one byte of what the protocol allows.
            let piece = rest.prefix(longest - 5)
            rest = rest[piece.endIndex...]
            PacketLine.append([band.rawValue] + piece, to: &bytes)
        }
    }
}
