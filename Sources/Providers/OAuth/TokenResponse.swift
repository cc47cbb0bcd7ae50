package import CredentialCore

/// A successful token response (RFC 6749, 5.1).
package struct TokenResponse {
    package var accessToken: Secret
    /// The lifetime in seconds, or `nil` for never.
    package var expiresIn: Int64?
    package var refreshToken: Secret?
    /// The lifetime of the refresh token in seconds, sent by GitHub and defined by no RFC.
    package var refreshTokenExpiresIn: Int64?
    /// The scopes separated by spaces; `nil` means the requested ones.
    package var scope: String?
    /// The unverified ID token (OpenID Connect Core 1.0, 3.1.3.3).
    package var idToken: [UInt8]?

    /// Returns `nil` unless the token is of type bearer, and does not expire immediately.
    init?(_ fields: JSONValue, _ server: OAuthServer) {
        guard let token = fields.secret("access_token").flatMap(Self.token),
            let type = fields.text("token_type"), ASCII.equalsIgnoringCase(type, "bearer")
        else { return nil }
        accessToken = token
        if fields["expires_in"] != nil {
            guard let seconds = fields.seconds("expires_in"), seconds > 0 else { return nil }
            expiresIn = seconds
        }
        if let secret = fields.secret("refresh_token") {
            guard let token = Self.token(secret) else { return nil }
            refreshToken = token
        }
        refreshTokenExpiresIn = fields.seconds("refresh_token_expires_in").flatMap { $0 > 0 ? $0 : nil }
        idToken = fields.text("id_token")
        scope = fields.text("scope").flatMap { Self.scope($0, server.scopeSeparator) }
    }

    /// Returns a token (RFC 6749, A.12 and A.17, `VSCHAR`) of at most 16,384 characters: a signed one that lists roles
    /// has several thousand.
    static func token(_ secret: Secret) -> Secret? {
        let isToken = secret.reveal { text in
            (1...16_384).contains(text.count) && text.allSatisfy(ASCII.isPrintable)
        }
        return isToken ? secret : nil
    }

    private static func scope(_ text: [UInt8], _ separator: UInt8?) -> String? {
        guard text.count <= 1_024, text.allSatisfy(ASCII.isPrintable) else { return nil }
        let names = text.split { $0 == UInt8(ascii: " ") || $0 == separator }
        return names.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    }
}
