/// ③ What the secret of an item says: a password or token, and everything about it that changes.
package struct StoredCredential {
    /// The account's name; it stands in the item's attributes, not in the secret.
    package var username: [UInt8]
    /// The password or access token.
    package var password: Secret
    /// When the password ends, in seconds since 1970; nil for never or unknown.
    package var passwordExpiryUTC: Int64?
    /// What a new access token can be had for, once.
    package var oauthRefreshToken: Secret?
    /// How we came by the credential ourselves; nil for one that was typed at git's prompt or brought by another program.
    package var grant: Grant?

    /// The own lines of a credential that we obtained: they tell it apart from one that came from outside.
    ///
    /// One of `clientID` and `since` is there always: it is what makes an item a grant (provenance).
    package struct Grant: Equatable {
        /// The OAuth client that the grant belongs to: only that client can refresh it; nil if that is not known.
        package var clientID: String?
        /// What was granted, separated by spaces; nil if the server did not say.
        package var scope: String?
        /// When the refresh token ends, in seconds since 1970; nil if unknown.
        package var refreshTokenExpiryUTC: Int64?
        /// The digest of the access token that this one replaced.
        ///
        /// A `store` of it is late, and ignored.
        package var supersededDigest: [UInt8]?
        /// When the account was first signed in here, in seconds since 1970; nil for a grant of an earlier version.
        package var since: Int64?
        /// When the server last refused an access token of this grant, in seconds since 1970; nil if that was never, or
        /// more than a renewal ago.
        package var refusedAt: Int64?

        package init(
            clientID: String?, scope: String? = nil, refreshTokenExpiryUTC: Int64? = nil,
            supersededDigest: [UInt8]? = nil, since: Int64? = nil, refusedAt: Int64? = nil
        ) {
            self.clientID = clientID
            self.scope = scope
            self.refreshTokenExpiryUTC = refreshTokenExpiryUTC
            self.supersededDigest = supersededDigest
            self.since = since
            self.refusedAt = refusedAt
        }

        /// Whether a token was refused so shortly before that the next refusal is about the grant and no longer about a
        /// token: within a minute.
        package func wasJustRefused(at now: Int64) -> Bool { refusedAt.map { now - $0 < 60 } ?? false }
    }

    package init(
        username: [UInt8], password: Secret, passwordExpiryUTC: Int64? = nil, oauthRefreshToken: Secret? = nil,
        grant: Grant? = nil
    ) {
        self.username = username
        self.password = password
        self.passwordExpiryUTC = passwordExpiryUTC
        self.oauthRefreshToken = oauthRefreshToken
        self.grant = grant
    }

    /// Whether the password lasts for at least `margin` seconds after `now`, both counted in seconds.
    package func isFresh(at now: Int64, margin: Int64) -> Bool {
        guard let passwordExpiryUTC else { return true }
        return passwordExpiryUTC >= margin && passwordExpiryUTC - margin >= now
    }

    /// Whether git would still use the password at `now`: it drops one whose expiry has passed.
    package func isAlive(at now: Int64) -> Bool { isFresh(at: now, margin: 0) }

    /// Whether `password` is the one that this credential has replaced.
    package func supersedes(_ password: Secret) -> Bool {
        grant?.supersededDigest == Self.digest(of: password)
    }

    /// By what a replaced password is remembered.
    package static func digest(of password: Secret) -> [UInt8] {
        var digest = SHA256()
        password.reveal { digest.update(field: $0) }
        return digest.finish()
    }
}

extension StoredCredential {
    /// Whether it is a token that git would still use, or can be renewed without a person.
    package func isUsable(at now: Int64) -> Bool { isAlive(at: now) || oauthRefreshToken != nil }

    /// Whether no `store` may change it: it was granted to us, and is good for something.
    ///
    /// git stores what stood in a URL, although no server has asked for it (credential_approve in http.c).
    package func isProtected(at now: Int64) -> Bool { grant != nil && isUsable(at: now) }

    /// Whether the password can be a token: what is empty, or no UTF-8, is what a keyring makes of one that it has lost.
    package var isSound: Bool {
        // Tokens are ASCII, which is seen at once.
        !password.isEmpty
            && password.reveal { bytes in
                !bytes.contains { $0 >= 0x80 } || String(validating: bytes, as: UTF8.self) != nil
            }
    }

    /// What remains of a grant when a server has refused its access token; nil if nothing does.
    ///
    /// A token that came of a renewal after a refusal, and is refused as well, shows that the server will have none: then a
    /// caller that goes on asking (git-lfs 3.6.1 does) would have us renew for ever.
    package func withoutAccessToken(at now: Int64) -> StoredCredential? {
        guard var grant, oauthRefreshToken != nil, !grant.wasJustRefused(at: now) else { return nil }
        grant.supersededDigest = Self.digest(of: password)
        grant.refusedAt = now
        return StoredCredential(
            username: username, password: Secret([]), passwordExpiryUTC: 1, oauthRefreshToken: oauthRefreshToken,
            grant: grant)
    }

    /// The refresh token as far as git may see it.
    ///
    /// git hands whatever we print to every helper in the chain; a grant of ours stays with us.
    package var foreignRefreshToken: Secret? { grant == nil ? oauthRefreshToken : nil }

    /// ⑦ The credential as git gets it.
    package var answer: Answer {
        .credential(
            Answer.Credential(
                username: username, password: password, passwordExpiryUTC: passwordExpiryUTC,
                oauthRefreshToken: foreignRefreshToken))
    }

    /// Whether a `store` brings nothing that this credential does not hold already.
    ///
    /// git before 2.41 brings the password alone: what is known beyond that stays. And a token that was renewed while git
    /// worked with the old one must not be replaced by it.
    package func makesNeedless(_ request: Request) -> Bool {
        guard let stored = request.password else { return true }
        guard stored == password else { return supersedes(stored) }
        // Where a grant's own token ends, its issuer has said; nobody else's word about that counts.
        guard grant == nil else { return true }
        return (request.passwordExpiryUTC == nil || request.passwordExpiryUTC == passwordExpiryUTC)
            && (request.oauthRefreshToken == nil || request.oauthRefreshToken == oauthRefreshToken)
    }
}
