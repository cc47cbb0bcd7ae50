/// ③ A password or token, and everything about it that changes.
package struct StoredCredential {
    package var username: [UInt8]
    /// The password, or a grant's access token.
    package var password: Secret
    /// The scheme, such as `Bearer` (git-credential(1), "authtype"), or `nil` for Basic.
    package var authtype: [UInt8]?
    /// The expiry in seconds since 1970, or `nil` for never or unknown.
    package var passwordExpiryUTC: Int64?
    package var oauthRefreshToken: Secret?
    /// The grant, or `nil` if the credential was typed at git's prompt or came from another program.
    package var grant: Grant?
    /// Whether the password was stored empty on purpose, such as where the user name is a token.
    package var isEmptyByChoice = false

    /// The additional lines of a credential that we obtained, marked by `clientID`, `since` or `installation`.
    package struct Grant: Equatable {
        /// The only client that can refresh the grant, or `nil` if unknown.
        package var clientID: String?
        /// The only issuer that may see the refresh token, or `nil` for the host itself.
        package var issuer: String?
        /// The origin (RFC 6454) of the token endpoint, the only one that gets the refresh token, or `nil` for a grant
        /// of an earlier version.
        package var tokenOrigin: String?
        /// The time of issue of the access token, in seconds since 1970, or `nil` for a grant of an earlier version.
        package var issuedAt: Int64?
        /// The scopes separated by spaces, or `nil` if the server did not name them.
        package var scope: String?
        /// The expiry in seconds since 1970, or `nil` if unknown.
        package var refreshTokenExpiryUTC: Int64?
        /// The digest of the replaced access token: a late `store` of that token is ignored.
        package var supersededDigest: [UInt8]?
        /// The account's first sign-in here, in seconds since 1970, or `nil` for a grant of an earlier version.
        package var since: Int64?
        /// The last rejection of an access token of this grant, in seconds since 1970.
        ///
        /// A refresh more than a minute later clears it.
        package var refusedAt: Int64?
        /// The owner of the app's installation, or `nil` for a person's grant.
        ///
        /// An installation's token is for this owner's repositories alone, and the app gets the next one without a
        /// person.
        package var installation: String?
        /// The time in seconds since 1970 when an installation's second token in a row, or a refresh without the
        /// client's secret, was rejected.
        package var exhaustedAt: Int64?
        /// The account's number at the host, which outlasts a renaming, or `nil` if unknown.
        package var accountID: Int64?
        /// The account's name before a renaming; remotes and settings may still use it.
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

        /// Whether a token was rejected less than a minute ago, so that another rejection is about the whole grant.
        ///
        /// A future time does not count: the clock was ahead, and each rejection until that time would be the second.
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

    package func supersedes(_ password: Secret) -> Bool { grant?.supersededDigest == Self.digest(of: password) }

    package static func digest(of password: Secret) -> [UInt8] {
        var digest = SHA256()
        password.reveal { digest.update(field: $0) }
        return digest.finish()
    }

    package enum Condition {
        case fresh
        /// Valid for less than the margin; a token is refreshed before it is used, if possible.
        case ending
        /// Expired, rejected or lost.
        case expired(refreshable: Bool)
        /// The keyring has lost the password, and there is no way to refresh it.
        case lost

        /// Whether git would use the password.
        package var isValid: Bool {
            switch self {
            case .fresh, .ending: true
            case .expired, .lost: false
            }
        }

        package var isUsable: Bool {
            switch self {
            case .fresh, .ending, .expired(refreshable: true): true
            case .expired(refreshable: false), .lost: false
            }
        }
    }

    /// `.fresh` if the password is valid for `margin` more seconds, or for a quarter of its lifetime if that is less.
    ///
    /// Without the second rule, a short-lived token would be refreshed at every use, and each refresh ends the token
    /// before.
    package func condition(at now: Int64, margin: Int64 = 0, asToken: Bool = false) -> Condition {
        guard !isLost(asToken: asToken) else { return isRefreshable ? .expired(refreshable: true) : .lost }
        guard let passwordExpiryUTC else { return .fresh }
        guard passwordExpiryUTC >= max(now, 0) else { return .expired(refreshable: isRefreshable) }
        let margin = min(margin, longestMargin)
        return passwordExpiryUTC >= margin && passwordExpiryUTC - margin >= now ? .fresh : .ending
    }

    /// A quarter of the token's lifetime in seconds; five minutes if the lifetime is unknown.
    private var longestMargin: Int64 {
        guard let issuedAt = grant?.issuedAt, let passwordExpiryUTC else { return 300 }
        return max(0, passwordExpiryUTC - issuedAt) / 4
    }

    /// Whether the keyring has lost the secret: it then returns an empty one, or bytes that no token has.
    package func isLost(asToken: Bool) -> Bool {
        // Without a name, git itself stores an empty password (Negotiate, `https://:@host/`).
        guard asToken else { return password.isEmpty && !username.isEmpty && !isEmptyByChoice }
        // Tokens are ASCII, so this check usually decides.
        return password.isEmpty
            || password.reveal { bytes in
                bytes.contains { $0 >= 0x80 } && String(validating: bytes, as: UTF8.self) == nil
            }
    }

    package static let expiryOfRejected: Int64 = 1

    /// The token's own expiry, or `nil` if the token was rejected.
    package var ownExpiry: Int64? { passwordExpiryUTC == Self.expiryOfRejected ? nil : passwordExpiryUTC }

    /// Whether a new token needs no person: there is a refresh token, or an app's own key.
    package var isRefreshable: Bool { oauthRefreshToken != nil || grant?.installation != nil }

    /// Whether this is a usable grant of ours, which no `store` may change.
    ///
    /// git also stores a password from a URL, although no server has asked for it (credential_approve in http.c).
    package func isProtected(at now: Int64) -> Bool { grant != nil && condition(at: now).isUsable }

    /// The credential after its access token was rejected, or `nil` if nothing remains.
    ///
    /// Nothing remains if a refreshed token is rejected as well: the server rejects every token of the grant, and a
    /// caller that keeps asking (git-lfs 3.6.1 does) would make us refresh forever.
    package func withoutAccessToken(at now: Int64) -> StoredCredential? {
        guard var grant, isRefreshable else { return nil }
        if grant.wasJustRefused(at: now) {
            // The app's key is not in the keyring, so this note is all that keeps the next call from using it.
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

    /// The refresh token, or `nil` for a grant: git passes everything that we print to every helper in the chain.
    package var foreignRefreshToken: Secret? { grant == nil ? oauthRefreshToken : nil }

    /// ⑦ The answer to git.
    package var answer: Answer { .credential(self) }

    /// Whether a request has the same secret in the same scheme.
    package func isSame(as request: Request) -> Bool {
        guard request.secret == password, request.hasAuthtype == (authtype != nil) else { return false }
        guard let authtype, let asked = request.authtype else { return true }
        return ASCII.equalsIgnoringCase(authtype, asked)
    }

    /// Whether a request has nothing that this credential lacks.
    ///
    /// git before 2.41 sends only the password, so everything else is kept. The old token of a refreshed grant is
    /// covered too: git may have used it meanwhile.
    package func alreadyCovers(_ request: Request) -> Bool {
        guard let stored = request.secret else { return true }
        guard isSame(as: request) else { return supersedes(stored) }
        // Only the issuer of a grant's token knows its expiry, so other values are ignored.
        guard grant == nil else { return true }
        return (request.passwordExpiryUTC == nil || request.passwordExpiryUTC == passwordExpiryUTC)
            && (request.oauthRefreshToken == nil || request.oauthRefreshToken == oauthRefreshToken)
    }
}
