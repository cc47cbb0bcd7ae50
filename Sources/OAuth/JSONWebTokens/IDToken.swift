internal import CredentialCore

/// Who has signed in, by the word of an OpenID provider: OpenID Connect Core 1.0, section 2.
///
/// A value of this type has passed every check of section 3.1.3.7.
package struct IDToken: Equatable {
    /// Who the provider says it is; never given to anybody else (`sub`).
    package let subject: String
    /// The account's names: for git and the keyring the first, `preferred_username` if it is plain, else the subject.
    package let names: [String]

    /// Checks a token.
    ///
    /// - Parameters:
    ///   - text: as it came.
    ///   - expectation: what it must be about.
    ///   - verifier: knows the algorithms.
    ///   - keys: fetches those that the issuer has published: not before everything else is right, and once more if the
    ///     token's is not among them, since the issuer may have changed them just now (10.1.1).
    /// - Throws: the first reason why it is not believed.
    package init(
        verifying text: [UInt8], against expectation: IDTokenExpectation, by verifier: any SignatureVerifier,
        keys: () throws(IDTokenError) -> JSONWebKeySet
    ) throws(IDTokenError) {
        let token = try Self.parsed(text)
        let claims = try IDTokenClaims(parsing: token.payload)
        try Self.checkIssuer(claims, expectation)
        try Self.checkAudience(claims, expectation)
        try Self.checkTimes(claims, expectation)
        try Self.checkNonce(claims, expectation)
        try Self.checkAccessToken(claims, expectation, verifier)
        guard let subject = try claims.text(.subject) else { throw .missing(.subject) }
        guard (1...255).contains(subject.count), subject.allSatisfy({ (0x20...0x7e).contains($0) }) else {
            throw .malformed(.subject)
        }
        self.subject = String(decoding: subject, as: UTF8.self)
        names = try claims.names(subject: subject)
        do throws(IDTokenError) {
            try Self.verify(token, with: keys(), by: verifier)
        } catch .signature(.unknownKey) {
            try Self.verify(token, with: keys(), by: verifier)
        }
    }

    private static func verify(
        _ token: JSONWebSignature, with keys: JSONWebKeySet, by verifier: any SignatureVerifier
    ) throws(IDTokenError) {
        do throws(JSONWebSignatureError) {
            try token.verify(with: keys, by: verifier)
        } catch {
            throw .signature(error)
        }
    }

    private static func parsed(_ text: [UInt8]) throws(IDTokenError) -> JSONWebSignature {
        let token: JSONWebSignature
        do throws(JSONWebSignatureError) {
            token = try JSONWebSignature(parsing: text)
        } catch {
            throw .signature(error)
        }
        // An access token of the same issuer has the same signature, and perhaps the same claims (RFC 8725, 3.11). The
        // word may have `application/` before it (RFC 7515, 4.1.9).
        if let type = token.type {
            let names = ["JWT", "application/jwt"]
            guard names.contains(where: { ASCII.equalsIgnoringCase(type, $0) }) else {
                throw .wrongType(DisplayText(type))
            }
        }
        return token
    }

    /// 3.1.3.7, 2.
    private static func checkIssuer(
        _ claims: IDTokenClaims, _ expectation: IDTokenExpectation
    ) throws(IDTokenError) {
        guard let issuer = try claims.text(.issuer) else { throw .missing(.issuer) }
        guard issuer.elementsEqual(expectation.issuer.utf8) else { throw .wrongIssuer(DisplayText(issuer)) }
    }

    /// 3.1.3.7, 3 to 5: of several audiences any could have had the token, so it must say that it was made for us.
    private static func checkAudience(
        _ claims: IDTokenClaims, _ expectation: IDTokenExpectation
    ) throws(IDTokenError) {
        let audiences = try claims.audiences()
        let client = Array(expectation.clientID.utf8)
        guard audiences.contains(client) else { throw .foreignAudience }
        let party = try claims.text(.authorizedParty)
        guard party == client || party == nil && audiences.count == 1 else { throw .foreignAuthorizedParty }
    }

    /// 3.1.3.7, 9 and 10; and `nbf`, as RFC 7519, 4.1.5, has it.
    private static func checkTimes(
        _ claims: IDTokenClaims, _ expectation: IDTokenExpectation
    ) throws(IDTokenError) {
        guard let expiry = try claims.time(.expiry) else { throw .missing(.expiry) }
        guard let issuedAt = try claims.time(.issuedAt) else { throw .missing(.issuedAt) }
        let notBefore = try claims.time(.notBefore) ?? 0
        let (earliest, latest) = (expectation.now - expectation.clockSkew, expectation.now + expectation.clockSkew)
        guard expiry > earliest else { throw .expired }
        guard issuedAt <= latest, notBefore <= latest else { throw .fromTheFuture }
        guard issuedAt >= earliest - expectation.greatestAge else { throw .stale }
        guard expiry >= issuedAt else { throw .malformed(.expiry) }
    }

    /// 3.1.3.7, 11: a nonce that nobody has sent says nothing.
    private static func checkNonce(
        _ claims: IDTokenClaims, _ expectation: IDTokenExpectation
    ) throws(IDTokenError) {
        let nonce = try claims.text(.nonce)
        guard let sent = expectation.nonce else { return }
        guard let nonce else { throw .missing(.nonce) }
        guard nonce.elementsEqual(sent.utf8) else { throw .wrongNonce }
    }

    /// 3.1.3.8: the left half of the access token's digest, by the hash function of the signature, which is SHA-256 for
    /// both algorithms.
    private static func checkAccessToken(
        _ claims: IDTokenClaims, _ expectation: IDTokenExpectation, _ verifier: any SignatureVerifier
    ) throws(IDTokenError) {
        guard let hash = try claims.text(.accessTokenHash), let accessToken = expectation.accessToken else { return }
        let digest = accessToken.reveal { verifier.sha256($0) }
        guard Base64URL.encode(digest.prefix(digest.count / 2)) == hash else { throw .wrongAccessToken }
    }
}
