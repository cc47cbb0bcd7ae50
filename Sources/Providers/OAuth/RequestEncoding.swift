package import CredentialCore

/// A form (`application/x-www-form-urlencoded`, RFC 6749, appendix B), whose values may be secrets.
package struct FormBuilder: ~Copyable {
    private var text = Secret.Builder()
    package init() {}
    init(continuing fields: Secret) { text.append(fields) }

    /// Omits an empty field, which means the same (RFC 6749, 3.1).
    package mutating func add(_ name: String, _ value: some Collection<UInt8>) {
        guard !value.isEmpty else { return }
        if text.count > 0 { text.append(UInt8(ascii: "&")) }
        text.append(name.utf8)
        text.append(UInt8(ascii: "="))
        for byte in value { append(byte) }
    }

    package mutating func add(_ name: String, _ value: Secret) { value.reveal { add(name, $0) } }
    package consuming func finish() -> HTTPRequest.Body { .form(fields()) }
    consuming func fields() -> Secret { text.finish() }

    /// The query of a URL (RFC 6749, 3.1).
    package consuming func query() -> String { text.finish().reveal { String(decoding: $0, as: UTF8.self) } }

    static func encoded(_ secret: Secret) -> Secret {
        var form = FormBuilder()
        secret.reveal { for byte in $0 { form.append(byte) } }
        return form.text.finish()
    }

    /// Percent-encodes all but unreserved characters (RFC 3986, 2.3).
    private mutating func append(_ byte: UInt8) {
        if ASCII.isLetterOrDigit(byte, or: "-._~") {
            text.append(byte)
        } else {
            text.append(PercentEncoding.encoded(byte))
        }
    }
}

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
