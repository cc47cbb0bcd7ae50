package import CredentialCore

/// What an ID token must be about to be the answer to what was asked.
package struct IDTokenExpectation {
    /// The issuer, letter by letter as it was configured or discovered.
    package var issuer: String
    /// The client that asked.
    package var clientID: String
    /// What was sent as `nonce`, if anything was: the device flow has none.
    package var nonce: String?
    /// The access token that came with it.
    package var accessToken: Secret?
    /// Seconds since 1970.
    package var now: Int64
    /// How far the two clocks may be apart, in seconds.
    package var clockSkew: Int64 = 60
    /// How long ago it may have been issued, in seconds: it comes straight from the issuer, who may have made it while
    /// the person signed in.
    package var greatestAge: Int64 = 3_600

    package init(issuer: String, clientID: String, nonce: String? = nil, accessToken: Secret? = nil, now: Int64) {
        self.issuer = issuer
        self.clientID = clientID
        self.nonce = nonce
        self.accessToken = accessToken
        self.now = now
    }
}
