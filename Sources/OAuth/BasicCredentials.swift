package import CredentialCore

/// What follows `Basic` in an `Authorization` header: RFC 7617, 2.
package enum BasicCredentials {
    /// The pair in the form in which it is sent.
    ///
    /// - Parameters:
    ///   - username: without a colon, which would begin the password.
    ///   - password: any bytes.
    /// - Returns: the text, which is as secret as the password.
    package static func encode(username: String, password: Secret) -> Secret {
        var pair = Array("\(username):".utf8)
        pair.reserveCapacity(pair.count + password.count)
        password.reveal { pair += $0 }
        var text = base64(pair)
        defer {
            pair.wipe()
            text.wipe()
        }
        return Secret(text)
    }

    /// RFC 4648, 4.
    private static func base64(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        // Growing would leave unwiped copies behind.
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = (0..<3).reduce(0 as UInt32) { $0 << 8 | UInt32($1 < group.count ? group[start + $1] : 0) }
            for position in 0..<4 {
                let digit = alphabet[Int(bits >> UInt32(18 - 6 * position) & 0x3f)]
                text.append(position <= group.count ? digit : UInt8(ascii: "="))
            }
        }
        return text
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}
