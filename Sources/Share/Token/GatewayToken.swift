package import CredentialCore
internal import Helper
package import Providers

/// What the process that shares hands to that of a connection: a credential, and the passwords for the way to its host.
///
/// In git's own lines, a block for each (git-credential(1)), so that the reader of git's requests reads it.
package struct GatewayToken {
    package let authorization: HTTPRequest.Authorization
    /// Of a proxy; nil if none is wanted, or none is stored.
    package let proxyPassword: Secret?
    /// Of the key of a client certificate, likewise.
    package let keyPassword: Secret?

    /// Instead of a token.
    static let refusal = Secret(Array("quit=1\n".utf8))

    /// Nil if it would be read as another.
    static func encoded(
        _ credential: StoredCredential, proxyPassword: Secret?, keyPassword: Secret?
    ) -> Secret? {
        let lines = "protocol=https\nhost=host\n"
        guard let request = try? Request(parsing: Secret("\(lines)capability[]=authtype\n".utf8)) else { return nil }
        var answer = Answer.Credential(username: credential.username, password: credential.password)
        answer.authtype = credential.authtype
        let encoded = Answer.credential(answer).encoded(for: request)
        guard !encoded.isEmpty else { return nil }
        var text = Secret.Builder()
        text.append(lines.utf8)
        text.append(encoded)
        for password in [proxyPassword, keyPassword] {
            text.append("\n\(lines)password=".utf8)
            if let password { text.append(password) }
            text.append(UInt8(ascii: "\n"))
        }
        return text.finish()
    }

    /// Nil for a refusal, and for a scheme that we do not know.
    package init?(parsing message: Secret) {
        let blocks = message.reveal { bytes in
            var blocks: [Request] = []
            var start = 0
            for end in 1..<max(bytes.count, 1) where bytes[end] == 0x0a && (bytes[end - 1] == 0x0a) {
                Self.append(bytes[start..<end], to: &blocks)
                start = end + 1
            }
            Self.append(bytes[start...], to: &blocks)
            return blocks
        }
        guard blocks.count == 3, let secret = blocks[0].secret, !secret.isEmpty else { return nil }
        switch blocks[0].authtype {
        case nil:
            authorization = .basic(
                username: String(decoding: blocks[0].username ?? [], as: UTF8.self), password: secret)
        case let scheme? where ASCII.equalsIgnoringCase(scheme, "bearer"): authorization = .bearer(secret)
        case .some: return nil
        }
        proxyPassword = blocks[1].password.flatMap { $0.isEmpty ? nil : $0 }
        keyPassword = blocks[2].password.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func append(_ block: Slice<UnsafeRawBufferPointer>, to blocks: inout [Request]) {
        if let request = try? Request(parsing: Secret(copying: UnsafeRawBufferPointer(rebasing: block))) {
            blocks.append(request)
        }
    }
}
