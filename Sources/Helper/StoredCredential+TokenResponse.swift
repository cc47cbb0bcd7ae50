internal import CredentialCore
internal import Providers

extension StoredCredential {
    /// `now` is when the response arrived, in seconds since 1970; the issuer is nil for the host itself.
    ///
    /// The refresh token of the predecessor stays valid if the response contains no new one (RFC 6749, 6).
    init(
        _ response: TokenResponse, username: [UInt8], client: OAuthClient, issuer: String?, now: Int64,
        since: Int64?, renewing predecessor: StoredCredential? = nil
    ) {
        let grant = Grant(
            clientID: client.id, issuer: issuer, tokenOrigin: client.endpoints.token.origin, issuedAt: now,
            scope: response.scope ?? predecessor?.grant?.scope,
            refreshTokenExpiryUTC: response.refreshTokenExpiresIn.map { now + $0 }
                ?? (response.refreshToken == nil ? predecessor?.grant?.refreshTokenExpiryUTC : nil),
            supersededDigest: predecessor.flatMap { old in
                // A token that `erase` has dropped is already remembered; what replaced it is not a password.
                old.password.isEmpty ? old.grant?.supersededDigest : Self.digest(of: old.password)
            }, since: since,
            refusedAt: predecessor?.grant.flatMap { $0.wasJustRefused(at: now) ? $0.refusedAt : nil })
        self.init(
            username: username, password: response.accessToken,
            passwordExpiryUTC: response.expiresIn.map { now + $0 },
            oauthRefreshToken: response.refreshToken ?? predecessor?.oauthRefreshToken, grant: grant)
        authtype = predecessor?.authtype
    }
}
