/// ⑦ The answer to git.
package enum Answer {
    /// A credential that git can use immediately.
    case credential(Credential)
    /// An expired credential of a plain store: another helper may get a new password with the refresh token.
    case withoutPassword(username: [UInt8], oauthRefreshToken: Secret?)
    /// `quit=1`: the person cancelled or was told of an error, so git must not prompt for a username.
    case quit
    /// Nothing, so that git asks other helpers, or the person.
    case nothing

    package struct Credential {
        /// The user name, which may be empty.
        package var username: [UInt8]
        package var password: Secret
        /// The expiry in seconds since 1970, or `nil` for never.
        package var passwordExpiryUTC: Int64?
        /// The scheme of the `Authorization` header, or `nil` for Basic.
        package var authtype: [UInt8]?
        /// Whether other helpers must not keep the credential.
        package var isEphemeral = false
        /// The refresh token, if it is not a grant's: git passes it to every helper in the chain.
        package var oauthRefreshToken: Secret?

        package init(
            username: [UInt8], password: Secret, passwordExpiryUTC: Int64? = nil, oauthRefreshToken: Secret? = nil
        ) {
            self.username = username
            self.password = password
            self.passwordExpiryUTC = passwordExpiryUTC
            self.oauthRefreshToken = oauthRefreshToken
        }
    }

    /// The encoded answer, empty if a value contains a byte that would end its line early; some attributes are returned
    /// only if the request announced their capability.
    package func encoded(for request: Request) -> Secret {
        switch self {
        case .nothing: return Secret([])
        case .quit: return Secret(Array("quit=1\n".utf8))
        case .withoutPassword(let username, let refreshToken):
            var lines = SecretLines()
            lines.append(.username, username)
            if let refreshToken { lines.append(.oauthRefreshToken, refreshToken) }
            return lines.finish() ?? Secret([])
        case .credential(let credential):
            var lines = SecretLines()
            if let authtype = credential.authtype {
                // As a password, the token would be rejected, and then erased.
                guard request.capabilities.contains(.authtype) else { return Secret([]) }
                lines.append(.capability, Capability.authtype.rawValue.utf8)
                lines.append(.authtype, authtype)
                lines.append(.credential, credential.password)
                if credential.isEphemeral { lines.append(.ephemeral, "1".utf8) }
            }
            if request.capabilities.contains(.state) {
                lines.append(.capability, Capability.state.rawValue.utf8)
            }
            // A credential with a scheme need not have a name.
            if credential.authtype == nil || !credential.username.isEmpty {
                lines.append(.username, credential.username)
            }
            if credential.authtype == nil { lines.append(.password, credential.password) }
            if let expiry = credential.passwordExpiryUTC { lines.append(.passwordExpiryUTC, String(expiry).utf8) }
            if let token = credential.oauthRefreshToken { lines.append(.oauthRefreshToken, token) }
            if request.capabilities.contains(.state) {
                let mark = StateValue.of(
                    host: request.host, username: credential.username, password: credential.password)
                lines.append(.state, mark)
            }
            return lines.finish() ?? Secret([])
        }
    }
}

extension SecretLines {
    fileprivate mutating func append(_ attribute: Attribute, _ value: some Collection<UInt8>) {
        append(words: attribute.rawValue)
        append(words: "=")
        append(value: value)
        append(words: "\n")
    }

    fileprivate mutating func append(_ attribute: Attribute, _ value: Secret) {
        value.reveal { append(attribute, $0) }
    }
}
