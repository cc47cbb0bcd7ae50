internal import CredentialCore
internal import OAuth

extension StoredCredential {
    /// The credential that a token response makes.
    ///
    /// - Parameters:
    ///   - response: what the token endpoint answered.
    ///   - username: whose token it is.
    ///   - clientID: the client that the grant belongs to.
    ///   - now: when the answer came, in seconds since 1970.
    ///   - since: when the account was first signed in here.
    ///   - predecessor: the credential that is renewed, if it is. Its refresh token stays good if the response brings none
    ///     (RFC 6749, 6).
    init(
        _ response: TokenResponse, username: [UInt8], clientID: String?, now: Int64, since: Int64?,
        renewing predecessor: StoredCredential? = nil
    ) {
        let grant = Grant(
            clientID: clientID, scope: response.scope ?? predecessor?.grant?.scope,
            refreshTokenExpiryUTC: response.refreshTokenExpiresIn.map { now + $0 }
                ?? (response.refreshToken == nil ? predecessor?.grant?.refreshTokenExpiryUTC : nil),
            supersededDigest: predecessor.flatMap { old in
                // A token that `erase` has dropped is remembered already; what stands in its place is no password.
                old.password.isEmpty ? old.grant?.supersededDigest : Self.digest(of: old.password)
            }, since: since,
            refusedAt: predecessor?.grant.flatMap { $0.wasJustRefused(at: now) ? $0.refusedAt : nil })
        self.init(
            username: username, password: response.accessToken,
            passwordExpiryUTC: response.expiresIn.map { now + $0 },
            oauthRefreshToken: response.refreshToken ?? predecessor?.oauthRefreshToken, grant: grant)
    }
}
