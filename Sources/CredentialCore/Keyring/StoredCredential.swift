/// ③ The content of an item's secret: a password or token, and everything about it that changes.
package struct StoredCredential {
    /// In the item's attributes, not in the secret.
    package var username: [UInt8]
    /// Or the access token.
    package var password: Secret
    /// Such as `Bearer` (git-credential(1), "authtype"); nil for Basic.
    package var authtype: [UInt8]?
    /// Seconds since 1970; nil for never or unknown.
    package var passwordExpiryUTC: Int64?
    /// It can be used once.
    package var oauthRefreshToken: Secret?
    /// Nil if the credential was typed at git's prompt or came from another program.
    package var grant: Grant?
    /// Somebody has stored an empty password, such as that of a token which is the user name.
    package var isEmptyByChoice = false

    /// The additional lines of a credential that we obtained, which distinguish it from one that came from outside.
    ///
    /// Either `clientID` or `since` is always present: this is what makes an item a grant.
    package struct Grant: Equatable {
        /// It alone can refresh the grant; nil if unknown.
        package var clientID: String?
        /// It alone may see the refresh token; nil for the host itself.
        package var issuer: String?
        /// Of the token endpoint that issued the tokens (RFC 6454), the only one that the refresh token is sent to; nil
        /// for a grant of an earlier version.
        package var tokenOrigin: String?
        /// Of the access token, in seconds since 1970; nil for a grant of an earlier version.
        package var issuedAt: Int64?
        /// Separated by spaces; nil if the server did not say.
        package var scope: String?
        /// Seconds since 1970; nil if unknown.
        package var refreshTokenExpiryUTC: Int64?
        /// Of the access token that this one replaced: a `store` of that token comes too late, and is ignored.
        package var supersededDigest: [UInt8]?
        /// When the account first signed in here, in seconds since 1970; nil for a grant of an earlier version.
        package var since: Int64?
        /// When the server last rejected an access token of this grant, in seconds since 1970; nil if never, or if the
        /// token was refreshed more than a minute after that.
        package var refusedAt: Int64?
        /// Whose installation of an app the token is of: the owner's name; nil for a grant that a person has made.
        ///
        /// Such a token is for this owner's repositories alone, and the app gets the next one without a person.
        package var installation: String?
        /// When it could give no more tokens, in seconds since 1970: two tokens of an installation in a row had been
        /// rejected, or a refresh because the client has no secret; nil if neither.
        package var exhaustedAt: Int64?
        /// The account's number at the host, which stays when the account is renamed; nil if unknown.
        package var accountID: Int64?
        /// The account's name before it was renamed; remotes and settings may still use that name.
        package var formerName: String?

        package init(
            clientID: String?, issuer: String? = nil, tokenOrigin: String? = nil, issuedAt: Int64? = nil,
            scope: String? = nil, refreshTokenExpiryUTC: Int64? = nil, supersededDigest: [UInt8]? = nil,
            since: Int64? = nil, refusedAt: Int64? = nil, installation: String? = nil, exhaustedAt: Int64? = nil,
            accountID: Int64? = nil, formerName: String? = nil
        ) {
            self.accountID = accountID
            self.formerName = formerName
            self.installation = installation
            self.exhaustedAt = exhaustedAt
            self.clientID = clientID
            self.issuer = issuer
            self.tokenOrigin = tokenOrigin
            self.issuedAt = issuedAt
            self.scope = scope
            self.refreshTokenExpiryUTC = refreshTokenExpiryUTC
            self.supersededDigest = supersededDigest
            self.since = since
            self.refusedAt = refusedAt
        }

        /// Less than a minute ago, so that another rejection is about the grant and not about a single token.
        ///
        /// A time to come is that of a clock that was ahead: until it is reached, each rejection would be the second.
        package func wasJustRefused(at now: Int64) -> Bool { refusedAt.map { (0..<60).contains(now - $0) } ?? false }
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

    package func supersedes(_ password: Secret) -> Bool {
        grant?.supersededDigest == Self.digest(of: password)
    }

    /// By which a replaced password is recognised.
    package static func digest(of password: Secret) -> [UInt8] {
        var digest = SHA256()
        password.reveal { digest.update(field: $0) }
        return digest.finish()
    }
}

extension StoredCredential {
    /// The use of a credential at some moment.
    package enum Condition {
        case fresh
        /// Still valid; a token is refreshed before it is used, if it can be.
        case ending
        /// Expired, rejected or lost.
        case expired(refreshable: Bool)
        /// The keyring has lost the password, and it cannot be refreshed.
        case lost

        /// git would use the password.
        package var isValid: Bool {
            switch self {
            case .fresh, .ending: true
            case .expired, .lost: false
            }
        }

        /// Valid, or to be refreshed without a person.
        package var isUsable: Bool {
            switch self {
            case .fresh, .ending, .expired(refreshable: true): true
            case .expired(refreshable: false), .lost: false
            }
        }
    }

    /// The condition at `now`: `.fresh` for at least `margin` seconds more, or for a quarter of the password's lifetime
    /// if that is less.
    ///
    /// Otherwise a token of a short life would be refreshed at every use, and each refresh ends the token before it.
    package func condition(at now: Int64, margin: Int64 = 0, asToken: Bool = false) -> Condition {
        guard !isLost(asToken: asToken) else { return isRefreshable ? .expired(refreshable: true) : .lost }
        guard let passwordExpiryUTC else { return .fresh }
        guard passwordExpiryUTC >= max(now, 0) else { return .expired(refreshable: isRefreshable) }
        let margin = min(margin, longestMargin)
        return passwordExpiryUTC >= margin && passwordExpiryUTC - margin >= now ? .fresh : .ending
    }

    /// In seconds: a quarter of the token's lifetime; five minutes if that is unknown.
    private var longestMargin: Int64 {
        guard let issuedAt = grant?.issuedAt, let passwordExpiryUTC else { return 300 }
        return max(0, passwordExpiryUTC - issuedAt) / 4
    }

    /// A keyring that has lost a secret returns an empty one, or one that is not UTF-8; a stored password may be either.
    package func isLost(asToken: Bool) -> Bool {
        // Without a name, git itself stores an empty password (Negotiate, `https://:@host/`).
        guard asToken else { return password.isEmpty && !username.isEmpty && !isEmptyByChoice }
        // Tokens are ASCII, so this check usually decides.
        return password.isEmpty
            || password.reveal { bytes in
                bytes.contains { $0 >= 0x80 } && String(validating: bytes, as: UTF8.self) == nil
            }
    }

    /// Stands for a moment long ago: the server has rejected the token, whatever its own expiry was.
    package static let expiryOfRejected: Int64 = 1

    /// Nil for a token that was rejected before.
    package var ownExpiry: Int64? { passwordExpiryUTC == Self.expiryOfRejected ? nil : passwordExpiryUTC }

    /// Without a person: by the refresh token, or by the app's own key.
    package var isRefreshable: Bool { oauthRefreshToken != nil || grant?.installation != nil }

    /// A grant of ours that is valid or can be refreshed: no `store` may change it.
    ///
    /// git also stores a password from a URL, although no server has asked for it (credential_approve in http.c).
    package func isProtected(at now: Int64) -> Bool { grant != nil && condition(at: now).isUsable }

    /// After a server has rejected the access token; nil if nothing remains.
    ///
    /// If a token is refreshed after a rejection and rejected as well, the server rejects every token of the grant. A
    /// caller that keeps asking (git-lfs 3.6.1 does) would then make us refresh forever.
    package func withoutAccessToken(at now: Int64) -> StoredCredential? {
        guard var grant, isRefreshable else { return nil }
        if grant.wasJustRefused(at: now) {
            // The key of an app is not in the keyring, so nothing but this would keep the next call from using it.
            guard grant.installation != nil else { return nil }
            grant.exhaustedAt = now
        }
        grant.supersededDigest = Self.digest(of: password)
        grant.refusedAt = now
        var rest = self
        rest.password = Secret([])
        rest.passwordExpiryUTC = Self.expiryOfRejected
        rest.grant = grant
        return rest
    }

    /// git passes everything that we print to every helper in the chain, so that of a grant is not printed.
    package var foreignRefreshToken: Secret? { grant == nil ? oauthRefreshToken : nil }

    /// ⑦ Back to git.
    package var answer: Answer { .credential(self) }

    /// The same value, in the same scheme.
    package func isSame(as request: Request) -> Bool {
        guard request.secret == password, request.hasAuthtype == (authtype != nil) else { return false }
        guard let authtype, let asked = request.authtype else { return true }
        return ASCII.equalsIgnoringCase(authtype, asked)
    }

    /// It contains nothing that this credential does not already have.
    ///
    /// git before 2.41 sends only the password, so everything else is kept. A token that was refreshed while git worked
    /// with the old one must not be replaced by the old one.
    package func alreadyCovers(_ request: Request) -> Bool {
        guard let stored = request.secret else { return true }
        guard isSame(as: request) else { return supersedes(stored) }
        // Only the issuer of a grant's token knows when it expires, so other values are ignored.
        guard grant == nil else { return true }
        return (request.passwordExpiryUTC == nil || request.passwordExpiryUTC == passwordExpiryUTC)
            && (request.oauthRefreshToken == nil || request.oauthRefreshToken == oauthRefreshToken)
    }
}
