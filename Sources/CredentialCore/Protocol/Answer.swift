/// ⑦ The answer to git.
package enum Answer {
    case credential(StoredCredential)
    /// An expired credential of a plain store, for another helper that can use the refresh token.
    case withoutPassword(username: [UInt8], oauthRefreshToken: Secret?)
    /// `quit=1`: the person cancelled or was told of an error, so git must not prompt for a username.
    case quit
    /// An empty answer: git asks other helpers, or the person.
    case nothing

    /// The lines for git; empty if a value contains a byte that would end a line early.
    ///
    /// Some attributes are returned only if the request announced their capability.
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
                // A server would reject the token as a password, and git would erase it.
                guard request.capabilities.contains(.authtype) else { return Secret([]) }
                lines.append(.capability, Capability.authtype.rawValue.utf8)
                lines.append(.authtype, authtype)
                lines.append(.credential, credential.password)
                // Other helpers must not keep the token of a grant, since only this program replaces it.
                if credential.grant != nil, credential.passwordExpiryUTC != nil { lines.append(.ephemeral, "1".utf8) }
            }
            if request.capabilities.contains(.state) { lines.append(.capability, Capability.state.rawValue.utf8) }
            if credential.authtype == nil || !credential.username.isEmpty {
                lines.append(.username, credential.username)
            }
            if credential.authtype == nil { lines.append(.password, credential.password) }
            if let expiry = credential.passwordExpiryUTC { lines.append(.passwordExpiryUTC, String(expiry).utf8) }
            if let token = credential.foreignRefreshToken { lines.append(.oauthRefreshToken, token) }
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

    fileprivate mutating func append(_ attribute: Attribute, _ value: Secret) { value.reveal { append(attribute, $0) } }
}
