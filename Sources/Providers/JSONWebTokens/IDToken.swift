package import CredentialCore

/// An ID token (OpenID Connect Core 1.0, section 2) that has passed every check of section 3.1.3.7.
package struct IDToken: Equatable {
    /// The subject (`sub`), which is never reassigned.
    package let subject: String
    /// The names, the first for git and the keyring (`OpenIDAccount`).
    package let names: [String]
    /// Whether there is a name other than the subject.
    package let hasName: Bool

    /// - Throws: the first failed check. Keys are fetched after all other checks, and once more if the token's is
    ///   missing, since the issuer may just have changed them (10.1.1).
    package init(
        verifying text: [UInt8], against expectation: IDTokenExpectation, by verifier: any SignatureVerifier,
        keys: () throws(IDTokenError) -> JSONWebKeySet
    ) throws(IDTokenError) {
        let token = try Self.parsed(text)
        let claims = try IDTokenClaims(parsing: token.payload, against: expectation)
        try claims.checkIssuer()
        try claims.checkAudience()
        try claims.checkTimes()
        try claims.checkNonce()
        try claims.checkAccessToken(token.algorithm, verifier)
        guard let subject = try claims.text(.subject) else { throw .missing(.subject) }
        guard (1...255).contains(subject.count), subject.allSatisfy(ASCII.isPrintable) else {
            throw .malformed(.subject)
        }
        self.subject = String(decoding: subject, as: UTF8.self)
        names = OpenIDAccount.names(in: claims.value, subject: subject)
        guard !names.isEmpty else { throw .unusableAccount }
        hasName = names != [self.subject]
        do throws(IDTokenError) {
            try Self.verify(token, with: keys(), by: verifier)
        } catch .signature(.unknownKey) {
            try Self.verify(token, with: keys(), by: verifier)
        }
    }

    private static func verify(
        _ token: JSONWebSignature, with keys: JSONWebKeySet, by verifier: any SignatureVerifier
    ) throws(IDTokenError) {
        try rethrowing(as: IDTokenError.signature, try token.verify(with: keys, by: verifier))
    }

    private static func parsed(_ text: [UInt8]) throws(IDTokenError) -> JSONWebSignature {
        let token = try rethrowing(as: IDTokenError.signature, try JSONWebSignature(parsing: text))
        // An access token of the same issuer may have the same claims (RFC 8725, 3.11). The type may have the prefix
        // `application/` (RFC 7515, 4.1.9).
        if let type = token.type, !["JWT", "application/jwt"].contains(where: { ASCII.equalsIgnoringCase(type, $0) }) {
            throw .wrongType(DisplayText(untrusted: type))
        }
        return token
    }
}

/// The claims of an ID token (OpenID Connect Core 1.0, section 2).
struct IDTokenClaims {
    private static let mostAudiences = 32
    fileprivate let value: JSONValue
    private let expectation: IDTokenExpectation

    init(parsing payload: [UInt8], against expectation: IDTokenExpectation) throws(IDTokenError) {
        guard let value = JSONValue(parsing: payload), case .object = value else { throw .malformedClaims }
        self.value = value
        self.expectation = expectation
    }

    fileprivate func text(_ claim: IDTokenError.Claim) throws(IDTokenError) -> [UInt8]? {
        guard let value = value[claim.rawValue] else { return nil }
        guard let text = value.string else { throw .malformed(claim) }
        return text
    }

    private func time(_ claim: IDTokenError.Claim) throws(IDTokenError) -> Int64? {
        guard let value = value[claim.rawValue] else { return nil }
        guard let time = value.numericDate else { throw .malformed(claim) }
        return time
    }

    /// The audiences: a text, or a list of texts (RFC 7519, 4.1.3).
    private func audiences() throws(IDTokenError) -> [[UInt8]] {
        switch value[IDTokenError.Claim.audience.rawValue] {
        case nil: throw .missing(.audience)
        case .string(let audience): return [audience]
        case .array(let values):
            let audiences = values.compactMap(\.string)
            guard audiences.count == values.count, audiences.count <= Self.mostAudiences else {
                throw .malformed(.audience)
            }
            return audiences
        default: throw .malformed(.audience)
        }
    }

    /// Checks the issuer (3.1.3.7, 2).
    func checkIssuer() throws(IDTokenError) {
        guard let issuer = try text(.issuer) else { throw .missing(.issuer) }
        guard issuer.elementsEqual(expectation.issuer.utf8) else { throw .wrongIssuer(DisplayText(untrusted: issuer)) }
    }

    /// Checks the audience (3.1.3.7, 3 to 5): one of several could have passed the token on, so it must name us as its
    /// party.
    func checkAudience() throws(IDTokenError) {
        let audiences = try self.audiences()
        let client = Array(expectation.clientID.utf8)
        guard audiences.contains(client) else { throw .foreignAudience }
        let party = try text(.authorizedParty)
        guard party == client || party == nil && audiences.count == 1 else { throw .foreignAuthorizedParty }
    }

    /// Checks the times (3.1.3.7, 9 and 10; `nbf` by RFC 7519, 4.1.5).
    func checkTimes() throws(IDTokenError) {
        guard let expiry = try time(.expiry) else { throw .missing(.expiry) }
        guard let issuedAt = try time(.issuedAt) else { throw .missing(.issuedAt) }
        let notBefore = try time(.notBefore) ?? 0
        let (earliest, latest) = (expectation.now - expectation.clockSkew, expectation.now + expectation.clockSkew)
        guard expiry > earliest else { throw .expired }
        guard issuedAt <= latest, notBefore <= latest else { throw .fromTheFuture }
        guard issuedAt >= earliest - expectation.greatestAge else { throw .stale }
        guard expiry >= issuedAt else { throw .malformed(.expiry) }
    }

    /// Checks the nonce (3.1.3.7, 11) if one was sent.
    func checkNonce() throws(IDTokenError) {
        let nonce = try text(.nonce)
        guard let sent = expectation.nonce else { return }
        guard let nonce else { throw .missing(.nonce) }
        guard nonce.elementsEqual(sent.utf8) else { throw .wrongNonce }
    }

    /// Checks the left half of the access token's digest, by the signature's hash function (3.1.3.8).
    func checkAccessToken(_ algorithm: SignatureAlgorithm, _ verifier: any SignatureVerifier) throws(IDTokenError) {
        guard let hash = try text(.accessTokenHash), let accessToken = expectation.accessToken else { return }
        guard let digest = verifier.digest(of: accessToken, by: algorithm.hash),
            Base64URL.encode(digest.prefix(digest.count / 2)) == hash
        else { throw .wrongAccessToken }
    }
}

package struct IDTokenExpectation {
    package var issuer: String
    package var clientID: String
    /// The nonce, or `nil` if none was sent, as in the device flow.
    package var nonce: String?
    /// The access token that came with the ID token.
    package var accessToken: Secret?
    /// Seconds since 1970.
    package var now: Int64
    /// The allowed difference between the clocks, in seconds.
    package var clockSkew: Int64 = 60
    /// The greatest age in seconds; the token may have been created when the person's sign-in began.
    package var greatestAge: Int64 = 3_600

    package init(issuer: String, clientID: String, nonce: String? = nil, accessToken: Secret? = nil, now: Int64) {
        self.issuer = issuer
        self.clientID = clientID
        self.nonce = nonce
        self.accessToken = accessToken
        self.now = now
    }
}

/// The names of an account (OpenID Connect Core 1.0, section 5.1).
package enum OpenIDAccount {
    /// The valid names, the first for storing: one that the person knows, else the permanent `sub`.
    ///
    /// The claims are an ID token's or a userinfo response's.
    package static func names(in claims: JSONValue, subject: [UInt8]) -> [String] {
        let known = [IDTokenError.Claim.preferredUsername.rawValue, "nickname", "email"].map { claims[$0]?.string }
        return (known + [subject]).compactMap(\.self).filter(OpenIDProvider.facts.isAccountName)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}

package enum IDTokenError: Error, Equatable {
    case signature(JSONWebSignatureError)
    case wrongType(DisplayText)
    /// The claims are not a JSON object, or one occurs twice.
    case malformedClaims
    case missing(Claim)
    /// A claim has the wrong type, or is out of range.
    case malformed(Claim)
    case wrongIssuer(DisplayText)
    case foreignAudience
    /// The token names this client among others, but was issued to another (`azp`).
    case foreignAuthorizedParty
    case expired
    /// The token was issued in the future, or is not valid yet (`nbf`): one of the clocks is wrong.
    case fromTheFuture
    case stale
    case wrongNonce
    /// The digest (`at_hash`) is another access token's.
    case wrongAccessToken
    /// Neither name nor subject is safe as an account's name: git's protocol or a terminal would act on them.
    case unusableAccount
    /// Endpoints are configured without an issuer.
    case noIssuer
    case keysUnavailable
    /// The issuer publishes no set of keys, an invalid one, or too large a one.
    case unusableKeys

    package enum Claim: String {
        case issuer = "iss"
        case subject = "sub"
        case audience = "aud"
        case expiry = "exp"
        case issuedAt = "iat"
        case notBefore = "nbf"
        case authorizedParty = "azp"
        case nonce
        case accessTokenHash = "at_hash"
        case preferredUsername = "preferred_username"
    }
}
