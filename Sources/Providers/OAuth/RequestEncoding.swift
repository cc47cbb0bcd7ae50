package import CredentialCore

/// The fields of a query or a form (RFC 6749, appendix B), one of which may be a code.
package struct FormFields {
    private var values: [String: Secret] = [:]

    /// Returns `nil` if the text is malformed, or a field occurs twice (RFC 6749, 3.1).
    package init?(_ text: some Collection<UInt8>) {
        for pair in text.split(separator: UInt8(ascii: "&")) {
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            var value = Secret.Builder()
            let isEncoded = PercentEncoding.decode(
                pair.dropFirst(name.count + 1).lazy.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }
            ) { value.append($0) }
            guard isEncoded,
                let name = PercentEncoding.decoded(name).flatMap({ String(validating: $0, as: UTF8.self) }),
                values.updateValue(value.finish(), forKey: name) == nil
            else { return nil }
        }
    }

    /// Returns a value that is not secret.
    package subscript(name: String) -> [UInt8]? { secret(name).map { $0.reveal { Array($0) } } }
    package func secret(_ name: String) -> Secret? { values[name] }
}

/// The credentials of `Basic` in an `Authorization` header (RFC 7617, 2).
package enum BasicCredentials {
    /// The username must have no colon, which would begin the password.
    package static func encode(username: String, password: Secret) -> Secret {
        var pair = Secret.Builder()
        pair.append("\(username):".utf8)
        pair.append(password)
        var text = Secret.Builder()
        pair.finish().reveal { Base64.encode($0) { text.append($0) } }
        return text.finish()
    }
}

/// Base64 with padding (RFC 4648, section 4).
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    package static func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        encode(bytes) { text.append($0) }
        return text
    }

    static func encode(_ bytes: some Collection<UInt8>, _ append: (UInt8) -> Void) {
        digits(of: bytes, alphabet, append)
        for _ in 0..<(2 - (bytes.count + 2) % 3) { append(UInt8(ascii: "=")) }
    }

    /// Encodes without padding.
    fileprivate static func digits(of bytes: some Collection<UInt8>, _ alphabet: [UInt8], _ append: (UInt8) -> Void) {
        var (pending, count) = (0, 0)
        for byte in bytes {
            (pending, count) = (pending << 8 | Int(byte), count + 8)
            while count >= 6 {
                count -= 6
                append(alphabet[pending >> count & 0x3f])
            }
            pending &= 0xff
        }
        if count > 0 { append(alphabet[pending << (6 - count) & 0x3f]) }
    }
}

/// Base64url without padding (RFC 4648, section 5; RFC 7515, 2).
///
/// Each sequence of bytes has exactly one text, so that the signed bytes are the ones that were read.
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    package static func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        Base64.digits(of: bytes, alphabet) { text.append($0) }
        return text
    }

    /// The text of so many random bytes, which nobody can predict.
    static func random(bytes count: Int) -> [UInt8] { encode((0..<count).map { _ in .random(in: .min ... .max) }) }

    /// Returns `nil` for padding, other characters, an impossible length, and leftover bits that are not zero (RFC
    /// 4648, 3.5).
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var (pending, count) = (0, 0)
        for character in text {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            (pending, count) = (pending << 6 | value, count + 6)
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(pending >> count))
            pending &= 1 << count - 1
        }
        return pending == 0 ? bytes : nil
    }
}
