/// SHA-256 (FIPS 180-4), for names and marks that distinguish credentials without revealing them, and for an ID token's
/// digest of an access token.
///
/// The front door links nothing but the C library, so it cannot use libcrypto.
package struct SHA256 {
    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    private var block: [UInt8] = []
    private var messageBytes: UInt64 = 0
    package init() { block.reserveCapacity(Self.blockBytes) }
    package mutating func update(_ bytes: some Sequence<UInt8>) { for byte in bytes { append(byte) } }

    private mutating func append(_ byte: UInt8) {
        block.append(byte)
        messageBytes += 1
        if block.count == Self.blockBytes { compress() }
    }

    /// Adds the length, then the field, so that different lists of fields never give the same message.
    package mutating func update(field: some Collection<UInt8>) {
        update(bigEndian: UInt64(field.count))
        update(field)
    }

    /// Pads the message (FIPS 180-4, 5.1.1).
    private mutating func pad() {
        let messageBits = messageBytes &* 8
        append(0x80)
        while block.count != Self.blockBytes - 8 { append(0) }
        update(bigEndian: messageBits)
    }

    package consuming func digest() -> [UInt8] {
        pad()
        return state.flatMap { word in (1...4).map { UInt8(truncatingIfNeeded: word >> UInt32(32 - 8 * $0)) } }
    }

    /// The digest as 64 lower-case hexadecimal digits in ASCII.
    package consuming func finish() -> [UInt8] {
        pad()
        var digest: [UInt8] = []
        for word in state {
            for nibble in 1...8 {
                digest.append(Hexadecimal.digit(UInt8(truncatingIfNeeded: word >> UInt32(32 - 4 * nibble) & 0xf)))
            }
        }
        return digest
    }

    /// Plain loops, here and above: for a stride or a lazy map, the runtime searches all conformances, a sixth of all
    /// instructions on git's path.
    private mutating func update(bigEndian value: UInt64) {
        for byte in 1...8 { append(UInt8(truncatingIfNeeded: value >> UInt64(64 - 8 * byte))) }
    }

    /// The compression function (FIPS 180-4, 6.2.2).
    private mutating func compress() {
        var schedule = [UInt32](repeating: 0, count: 64)
        for index in 0..<16 { schedule[index] = block[4 * index..<4 * index + 4].reduce(0) { $0 << 8 | UInt32($1) } }
        for index in 16..<64 {
            let early = schedule[index - 15]
            let late = schedule[index - 2]
            let sigma0 = early.rotatedRight(7) ^ early.rotatedRight(18) ^ early >> 3
            let sigma1 = late.rotatedRight(17) ^ late.rotatedRight(19) ^ late >> 10
            schedule[index] = schedule[index - 16] &+ sigma0 &+ schedule[index - 7] &+ sigma1
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            let sum1 = e.rotatedRight(6) ^ e.rotatedRight(11) ^ e.rotatedRight(25)
            let choice = (e & f) ^ (~e & g)
            let first = h &+ sum1 &+ choice &+ Self.constants[index] &+ schedule[index]
            let sum0 = a.rotatedRight(2) ^ a.rotatedRight(13) ^ a.rotatedRight(22)
            let majority = (a & b) ^ (a & c) ^ (b & c)
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ sum0 &+ majority)
        }
        for (index, value) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= value }
        block.removeAll(keepingCapacity: true)
    }

    private static let blockBytes = 64

    /// The constants of FIPS 180-4, 4.2.2.
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}

extension UInt32 {
    fileprivate func rotatedRight(_ bits: UInt32) -> UInt32 { self >> bits | self << (32 - bits) }
}
