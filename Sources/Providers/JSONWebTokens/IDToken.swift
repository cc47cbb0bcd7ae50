package import CredentialCore

/// OpenID Connect Core 1.0, section 2.
///
/// A value of this type has passed every check of section 3.1.3.7.
package struct IDToken: Equatable {
    /// `sub`; never given to anybody else.
    package let subject: String
    /// For git and the keyring the first (`OpenIDAccount`).
    package let names: [String]
    /// Whether one of them is a name that the person knows, and not only the subject.
    package let hasName: Bool

    /// - Throws: the first reason why the token is not believed. The keys are fetched not before everything else is
    ///   right, and once more if the token's is not among them, since the issuer may have changed them just now
    ///   (10.1.1).
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
        try Self.checkAccessToken(claims, expectation, token.algorithm, verifier)
        guard let subject = try claims.text(.subject) else { throw .missing(.subject) }
        guard (1...255).contains(subject.count), subject.allSatisfy(ASCII.isPrintable) else {
            throw .malformed(.subject)
        }
        self.subject = String(decoding: subject, as: UTF8.self)
        names = try claims.names(subject: subject)
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
                throw .wrongType(DisplayText(untrusted: type))
            }
        }
        return token
    }

    /// 3.1.3.7, 2.
    private static func checkIssuer(
        _ claims: IDTokenClaims, _ expectation: IDTokenExpectation
    ) throws(IDTokenError) {
        guard let issuer = try claims.text(.issuer) else { throw .missing(.issuer) }
        guard issuer.elementsEqual(expectation.issuer.utf8) else { throw .wrongIssuer(DisplayText(untrusted: issuer)) }
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

    /// 3.1.3.8: the left half of the access token's digest, by the hash function of the signature.
    private static func checkAccessToken(
        _ claims: IDTokenClaims, _ expectation: IDTokenExpectation, _ algorithm: SignatureAlgorithm,
        _ verifier: any SignatureVerifier
    ) throws(IDTokenError) {
        guard let hash = try claims.text(.accessTokenHash), let accessToken = expectation.accessToken else { return }
        guard let digest = verifier.digest(of: accessToken, by: algorithm.hash),
            Base64URL.encode(digest.prefix(digest.count / 2)) == hash
        else { throw .wrongAccessToken }
    }
}

/// Read by their types: OpenID Connect Core 1.0, section 2.
struct IDTokenClaims {
    private static let mostAudiences = 32

    private let value: JSONValue

    /// - Throws: `.malformedClaims`.
    init(parsing payload: [UInt8]) throws(IDTokenError) {
        guard let value = JSONValue(parsing: payload), case .object = value else { throw .malformedClaims }
        self.value = value
    }

    /// Nil if it is absent.
    func text(_ claim: IDTokenError.Claim) throws(IDTokenError) -> [UInt8]? {
        guard let value = value[claim.rawValue] else { return nil }
        guard let text = value.string else { throw .malformed(claim) }
        return text
    }

    /// Nil if it is absent.
    func time(_ claim: IDTokenError.Claim) throws(IDTokenError) -> Int64? {
        guard let value = value[claim.rawValue] else { return nil }
        guard let time = value.numericDate else { throw .malformed(claim) }
        return time
    }

    /// A text, or a list of texts (RFC 7519, 4.1.3).
    func audiences() throws(IDTokenError) -> [[UInt8]] {
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

    /// At least one, first the one by which git and the keyring know the account.
    ///
    /// - Throws: `.unusableAccount`.
    func names(subject: [UInt8]) throws(IDTokenError) -> [String] {
        let names = OpenIDAccount.names(in: value, subject: subject)
        guard !names.isEmpty else { throw .unusableAccount }
        return names
    }
}

package struct IDTokenExpectation {
    /// Letter by letter as it was configured or discovered.
    package var issuer: String
    package var clientID: String
    /// Nil if none was sent: the device flow has none.
    package var nonce: String?
    /// The one that came with the ID token.
    package var accessToken: Secret?
    /// Seconds since 1970.
    package var now: Int64
    /// Between the two clocks, in seconds.
    package var clockSkew: Int64 = 60
    /// In seconds: the token comes straight from the issuer, who may have made it while the person signed in.
    package var greatestAge: Int64 = 3_600

    package init(issuer: String, clientID: String, nonce: String? = nil, accessToken: Secret? = nil, now: Int64) {
        self.issuer = issuer
        self.clientID = clientID
        self.nonce = nonce
        self.accessToken = accessToken
        self.now = now
    }
}

/// OpenID Connect Core 1.0, section 5.1.
package enum OpenIDAccount {
    /// First the one to store the account under: one that the person knows, else the one that never changes (`sub`).
    ///
    /// The claims are of an ID token, or of a userinfo response. There are none if none can be the name of an account.
    package static func names(in claims: JSONValue, subject: [UInt8]) -> [String] {
        let known = [IDTokenError.Claim.preferredUsername.rawValue, "nickname", "email"].map { claims[$0]?.string }
        return (known + [subject]).compactMap(\.self).filter(OpenIDProvider.facts.isAccountName)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}

package enum IDTokenError: Error, Equatable {
    /// It is no signed token, or not signed by whom it should be.
    case signature(JSONWebSignatureError)
    /// Its `typ`, such as an access token's.
    case wrongType(DisplayText)
    /// It is no JSON object, or names a claim twice.
    case malformedClaims
    case missing(Claim)
    /// Of the wrong type or out of every range.
    case malformed(Claim)
    /// Who issued it.
    case wrongIssuer(DisplayText)
    case foreignAudience
    /// Meant for this client among others, but not issued to it (`azp`).
    case foreignAuthorizedParty
    case expired
    /// Issued in the future, or not valid yet (`nbf`): one of the two clocks is wrong.
    case fromTheFuture
    /// Too old to be the answer to what was asked just now.
    case stale
    case wrongNonce
    /// Not the one beside it (`at_hash`).
    case wrongAccessToken
    /// Neither the name nor the subject can be the name of an account: git's protocol or a terminal would act on it.
    case unusableAccount
    /// The person has configured the endpoints alone.
    case noIssuer
    case keysUnavailable
    /// No set of keys, or too large a one; or the issuer publishes none.
    case unusableKeys

    /// A claim, by its name in the token.
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
