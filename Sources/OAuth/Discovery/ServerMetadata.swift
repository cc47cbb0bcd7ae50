package import CredentialCore

/// What a server has published of itself beside its endpoints: RFC 8414, section 2.
package struct ServerMetadata: Equatable {
    /// Who it is.
    package var issuer: Issuer
    /// Where the keys are by which it signs, on any host; nil if it does not say.
    ///
    /// It is for the issuer to say which keys are its own, and nothing of ours goes there.
    package var keys: HTTPSAddress?
    /// What tells whose an access token is; nil if it does not say, or if that is on a foreign host.
    package var userinfo: HTTPSAddress?
    /// The scopes that it knows; nil if it does not say.
    package var scopes: [String]?
    /// Whether a client secret is taken as HTTP Basic credentials only.
    package var wantsBasic: Bool

    package init(
        issuer: Issuer, keys: HTTPSAddress? = nil, userinfo: HTTPSAddress? = nil, scopes: [String]? = nil,
        wantsBasic: Bool = false
    ) {
        self.issuer = issuer
        self.keys = keys
        self.userinfo = userinfo
        self.scopes = scopes
        self.wantsBasic = wantsBasic
    }

    /// Of the scopes that are asked for by default, those that the server knows, as far as it says.
    ///
    /// One that it does not know may be an `invalid_scope` (RFC 6749, 5.2). Without `offline_access` in its list it gives
    /// refresh tokens unasked, or none at all.
    package func known(of scopes: String) -> String {
        guard let known = self.scopes else { return scopes }
        return scopes.split(separator: " ").filter { known.contains(String($0)) }.joined(separator: " ")
    }
}
