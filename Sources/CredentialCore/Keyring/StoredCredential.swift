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
    /// How we came by the credential ourselves; nil for one that was typed or brought by another program.
    package var grant: Grant?

    /// The own lines of a credential that we obtained: they tell it apart from one that came from outside.
    package struct Grant: Equatable {
        /// The OAuth client that the grant belongs to: only that client can refresh it.
        package var clientID: String
        /// What was granted, separated by spaces; nil if the server did not say.
        package var scope: String?
        /// When the refresh token ends, in seconds since 1970; nil if unknown.
        package var refreshTokenExpiryUTC: Int64?
        /// The digest of the access token that this one replaced.
        ///
        /// A `store` of it is late, and ignored.
        package var supersededDigest: [UInt8]?

        package init(
            clientID: String, scope: String? = nil, refreshTokenExpiryUTC: Int64? = nil,
            supersededDigest: [UInt8]? = nil
        ) {
            self.clientID = clientID
            self.scope = scope
            self.refreshTokenExpiryUTC = refreshTokenExpiryUTC
            self.supersededDigest = supersededDigest
        }
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
    /// ⑦ The credential as git gets it.
    package var answer: Answer {
        .credential(
            Answer.Credential(
                username: username, password: password, passwordExpiryUTC: passwordExpiryUTC,
                // git hands whatever we print to every helper in the chain; a grant of ours stays with us.
                oauthRefreshToken: grant == nil ? oauthRefreshToken : nil))
    }

    /// Whether a `store` brings nothing that this credential does not hold already.
    ///
    /// git before 2.41 brings the password alone: what is known beyond that stays. And a token that was renewed while git
    /// worked with the old one must not be replaced by it.
    package func makesNeedless(_ request: Request) -> Bool {
        guard let stored = request.password else { return true }
        guard stored == password else { return supersedes(stored) }
        return (request.passwordExpiryUTC == nil || request.passwordExpiryUTC == passwordExpiryUTC)
            && (request.oauthRefreshToken == nil || request.oauthRefreshToken == oauthRefreshToken)
    }
}
