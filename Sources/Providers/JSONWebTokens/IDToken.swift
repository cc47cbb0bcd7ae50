package import CredentialCore

/// An ID token (OpenID Connect Core 1.0, section 2) that has passed every check of section 3.1.3.7.
package struct IDToken: Equatable {
    /// The subject (`sub`), which is never reassigned.
    package let subject: String
    /// The names, the first for git and the keyring.
    package let names: [String]
    /// Whether there is a name other than the subject.
    package let hasName: Bool

    private static let mostAudiences = 32
    /// The allowed difference between the clocks, in seconds.
    private static let clockSkew: Int64 = 60
    /// The greatest age in seconds; the token may have been created when the person's sign-in began.
    private static let greatestAge: Int64 = 3_600

    /// Verifies a token by every check of section 3.1.3.7.
    ///
    /// `nonce` is `nil` if none was sent, as in the device flow; `accessToken` came with the ID token; `now` is in seconds
    /// since 1970.
    ///
    /// - Throws: the first failed check. Keys are fetched after all other checks, and once more if the token's is
    ///   missing, since the issuer may just have changed them (10.1.1).
    package init(
        verifying text: [UInt8], from issuer: String, for clientID: String, nonce: String? = nil,
        accessToken: Secret? = nil, at now: Int64, by verifier: any SignatureVerifier,
        keys: () throws(IDTokenError) -> JSONWebKeySet
    ) throws(IDTokenError) {
        let token = try rethrowing(as: IDTokenError.signature, try JSONWebSignature(parsing: text))
        // An access token of the same issuer may have the same claims (RFC 8725, 3.11). The type may have the prefix
        // `application/` (RFC 7515, 4.1.9).
        if let type = token.type, !["JWT", "application/jwt"].contains(where: { ASCII.equalsIgnoringCase(type, $0) }) {
            throw .wrongType(DisplayText(untrusted: type))
        }
        guard let claims = JSONValue(parsing: token.payload), case .object = claims else { throw .malformedClaims }
        guard let named = try claims.text(of: .issuer) else { throw .missing(.issuer) }
        guard named.elementsEqual(issuer.utf8) else { throw .wrongIssuer(DisplayText(untrusted: named)) }
        try Self.checkAudience(of: claims, for: Array(clientID.utf8))
        try Self.checkTimes(of: claims, at: now)
        let foundNonce = try claims.text(of: .nonce)
        if let nonce {
            guard let foundNonce else { throw .missing(.nonce) }
            guard foundNonce.elementsEqual(nonce.utf8) else { throw .wrongNonce }
        }
        // The left half of the access token's digest, by the signature's hash function (3.1.3.8).
        if let hash = try claims.text(of: .accessTokenHash), let accessToken {
            guard let digest = verifier.digest(of: accessToken, by: token.algorithm.hash),
                Base64URL.encode(digest.prefix(digest.count / 2)) == hash
            else { throw .wrongAccessToken }
        }
        guard let subject = try claims.text(of: .subject) else { throw .missing(.subject) }
        guard (1...255).contains(subject.count), subject.allSatisfy(ASCII.isPrintable) else {
            throw .malformed(.subject)
        }
        self.subject = String(decoding: subject, as: UTF8.self)
        names = OpenIDProvider.names(in: claims, subject: subject)
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

    /// Checks the audience (3.1.3.7, 3 to 5), a text or a list of texts (RFC 7519, 4.1.3).
    ///
    /// One of several could have passed the token on, so it must name us as its party.
    private static func checkAudience(of claims: JSONValue, for client: [UInt8]) throws(IDTokenError) {
        let audiences: [[UInt8]]
        switch claims[IDTokenError.Claim.audience.rawValue] {
        case nil: throw .missing(.audience)
        case .string(let audience): audiences = [audience]
        case .array(let values):
            audiences = values.compactMap(\.string)
            guard audiences.count == values.count, audiences.count <= mostAudiences else { throw .malformed(.audience) }
        default: throw .malformed(.audience)
        }
        guard audiences.contains(client) else { throw .foreignAudience }
        let party = try claims.text(of: .authorizedParty)
        guard party == client || party == nil && audiences.count == 1 else { throw .foreignAuthorizedParty }
    }

    /// Checks the times (3.1.3.7, 9 and 10; `nbf` by RFC 7519, 4.1.5).
    private static func checkTimes(of claims: JSONValue, at now: Int64) throws(IDTokenError) {
        guard let expiry = try claims.time(of: .expiry) else { throw .missing(.expiry) }
        guard let issuedAt = try claims.time(of: .issuedAt) else { throw .missing(.issuedAt) }
        let notBefore = try claims.time(of: .notBefore) ?? 0
        let (earliest, latest) = (now - clockSkew, now + clockSkew)
        guard expiry > earliest else { throw .expired }
        guard issuedAt <= latest, notBefore <= latest else { throw .fromTheFuture }
        guard issuedAt >= earliest - greatestAge else { throw .stale }
        guard expiry >= issuedAt else { throw .malformed(.expiry) }
    }
}

extension JSONValue {
    fileprivate func text(of claim: IDTokenError.Claim) throws(IDTokenError) -> [UInt8]? {
        guard let value = self[claim.rawValue] else { return nil }
        guard let text = value.string else { throw .malformed(claim) }
        return text
    }

    fileprivate func time(of claim: IDTokenError.Claim) throws(IDTokenError) -> Int64? {
        guard let value = self[claim.rawValue] else { return nil }
        guard let time = value.numericDate else { throw .malformed(claim) }
        return time
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
