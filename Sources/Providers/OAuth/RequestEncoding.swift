package import CredentialCore

/// `application/x-www-form-urlencoded`, with values that may be secrets: RFC 6749, appendix B.
package struct FormBuilder {
    private var text: [UInt8] = []

    package init() {}

    /// An empty value means the same as an absent one (RFC 6749, 3.1), and is left out.
    package mutating func add(_ name: String, _ value: some Collection<UInt8>) {
        guard !value.isEmpty else { return }
        if !text.isEmpty { text.append(UInt8(ascii: "&")) }
        text += name.utf8
        text.append(UInt8(ascii: "="))
        for byte in value { append(byte) }
    }

    package mutating func add(_ name: String, _ value: Secret) {
        value.reveal { add(name, $0) }
    }

    /// It also wipes the working copy.
    package consuming func finish() -> HTTPRequest.Body {
        let body = HTTPRequest.Body.form(Secret(text))
        text.wipe()
        return body
    }

    /// As the value of a form, without a name.
    static func encoded(_ secret: Secret) -> Secret {
        var form = FormBuilder()
        secret.reveal { for byte in $0 { form.append(byte) } }
        defer { form.text.wipe() }
        return Secret(form.text)
    }

    /// Unreserved characters (RFC 3986, 2.3) unchanged, everything else as `%XX`.
    private mutating func append(_ byte: UInt8) {
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
}

/// They follow `Basic` in an `Authorization` header: RFC 7617, 2.
package enum BasicCredentials {
    /// The username has no colon, which would begin the password.
    package static func encode(username: String, password: Secret) -> Secret {
        var pair = Array("\(username):".utf8)
        pair.reserveCapacity(pair.count + password.count)
        password.reveal { pair += $0 }
        var text = Base64.encode(pair)
        defer {
            pair.wipe()
            text.wipe()
        }
        return Secret(text)
    }
}
