package import CredentialCore

/// `application/x-www-form-urlencoded` text, both ways (RFC 6749, appendix B).
package enum FormText {
    /// A form whose values may be secrets.
    package struct Builder {
        private var text: [UInt8] = []

        /// Starts an empty form.
        package init() {}

        /// Adds a parameter; an empty value is the same as an absent one (RFC 6749, 3.1), and is left out.
        package mutating func add(_ name: String, _ value: some Collection<UInt8>) {
            guard !value.isEmpty else { return }
            if !text.isEmpty { text.append(UInt8(ascii: "&")) }
            text += name.utf8
            text.append(UInt8(ascii: "="))
            for byte in value { FormText.append(byte, to: &text) }
        }

        /// Adds a parameter whose value is a secret.
        package mutating func add(_ name: String, _ value: Secret) {
            value.reveal { add(name, $0) }
        }

        /// Ends the form and wipes the working copy.
        package consuming func finish() -> HTTPRequest.Body {
            let body = HTTPRequest.Body.form(Secret(text))
            text.wipe()
            return body
        }
    }

    /// Appends a byte: unreserved characters (RFC 3986, 2.3) as they are, everything else as `%XX`.
    fileprivate static func append(_ byte: UInt8, to text: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            text.append(byte)
        default:
            let digits = Array("0123456789ABCDEF".utf8)
            text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xf)]]
        }
    }

    /// Reads form-encoded text.
    ///
    /// - Returns: nil if a pair has no `=`, an escape is no escape, a name is not UTF-8 or stands there twice.
    static func parse(_ text: [UInt8]) -> [String: [UInt8]]? {
        var pairs: [String: [UInt8]] = [:]
        for pair in text.split(separator: UInt8(ascii: "&")) {
            guard let equals = pair.firstIndex(of: UInt8(ascii: "=")), let name = decode(pair[..<equals]),
                let value = decode(pair[(equals + 1)...]), let name = String(validating: name, as: UTF8.self),
                pairs.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        return pairs.isEmpty ? nil : pairs
    }

    private static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                let digits = rest.prefix(2)
                // `UInt8` reads `-0` and `+1` as numbers, too.
                let isPlain = digits.count == 2 && !"+-".utf8.contains(digits[digits.startIndex])
                guard isPlain, let decoded = UInt8(String(decoding: digits, as: UTF8.self), radix: 16) else {
                    return nil
                }
                rest = rest.dropFirst(2)
                bytes.append(decoded)
            default: bytes.append(byte)
            }
        }
        return bytes
    }
}
