import CredentialCore
import Providers
import Staging

/// Tokens without a signature, or with the signature of another key.
enum ForgedSignatures {
    static let all = algorithms + headers + forms + signatures + keys

    private static let algorithms: [Forgery] =
        ["none", "None", "NONE", "nOnE", "HS256", "HS384", "HS512", "ES256K", "Ed448", "rs256", "RS256 ", ""].map {
            name in
            .signed("alg \(name)", .refusedAlgorithm(DisplayText(untrusted: name.utf8))) {
                $0.token(["alg": .string(Array(name.utf8))])
            }
        } + [
            .signed("alg none, and no signature", .refusedAlgorithm("none")) { $0.token(["alg": "none"], with: "") },
            .signed("no alg", .refusedAlgorithm(nil)) { $0.token(["alg": .null]) },
            .signed("alg as a list", .refusedAlgorithm(nil)) { $0.token(["alg": .array(["RS256"])]) },
            .signed("HS256 with the public key as the secret", .refusedAlgorithm("HS256")) { forger in
                let token = forger.token(["alg": "HS256"])
                return try forger.replacingSignature(of: token) { _ in try hmac(token, "rsa-public") }
            },
            .signed(
                "HS256 by a published symmetric key", .refusedAlgorithm("HS256"),
                keys: { try Forger.keys(.object(["kty": "oct", "k": "c2VjcmV0", "kid": "shared"])) },
                { $0.token(["alg": "HS256", "kid": "shared"]) }),
        ]

    private static let headers: [Forgery] = [
        .signed("crit", .criticalExtension) { $0.token(["crit": .array(["exp"]), "exp": .number("1")]) },
        .signed("crit for a payload that is not encoded (RFC 7797)", .criticalExtension) {
            $0.token(["crit": .array(["b64"]), "b64": .bool(false)])
        }, .signed("crit of nothing", .criticalExtension) { $0.token(header: #"{"alg":"RS256","crit":null}"#) },
        .signed("alg twice", .malformedHeader) { $0.token(header: #"{"alg":"none","alg":"RS256","kid":"rsa-1"}"#) },
        .signed("a header that is a list", .malformedHeader) { $0.token(header: #"["RS256"]"#) },
        .signed("a header that is no JSON", .malformedHeader) { $0.token(header: "alg=RS256") },
        .signed("kid as a number", .malformedHeader) { $0.token(["kid": .number("1")]) },
        .signed("typ as a list", .malformedHeader) { $0.token(["typ": .array(["JWT"])]) },
        .signed("kid that names a path", .unknownKey("../../../../dev/null")) {
            $0.token(["kid": "../../../../dev/null"])
        },
        .signed("kid with a NUL behind it", .unknownKey(DisplayText(untrusted: "rsa-1\0".utf8))) {
            $0.token(["kid": "rsa-1\0"])
        }, .signed("kid in other letters", .unknownKey("RSA-1")) { $0.token(["kid": "RSA-1"]) },
        .signed("kid that is empty", .unknownKey("")) { $0.token(["kid": ""]) },
        .signed("a key of the forger's own in the header", .wrongSignature) {
            try $0.token(["jwk": TestKeys.published("rsa-other", ["kid": "rsa-1"])], with: "rsa-other")
        },
        .signed("a key of the forger's own, and its name", .unknownKey("mine")) {
            try $0.token(["kid": "mine", "jwk": TestKeys.published("rsa-other", ["kid": "mine"])], with: "rsa-other")
        },
        .signed("an address of the forger's keys", .wrongSignature) {
            $0.token(["jku": "https://evil.example/keys", "x5u": "https://evil.example/c"], with: "rsa-other")
        }, Forgery(name: "an access token", reason: .wrongType("at+jwt")) { $0.token(["typ": "at+jwt"]) },
        Forgery(name: "a logout token", reason: .wrongType("logout+jwt")) { $0.token(["typ": "logout+jwt"]) },
    ]

    private static let forms: [Forgery] = [
        .signed("nothing", .notCompact) { _ in [] },
        .signed("two parts", .notCompact) { $0.token().split(separator: UInt8(ascii: "."))[0] + Array(".e30".utf8) },
        .signed("four parts", .notCompact) { $0.token() + Array(".e30".utf8) },
        .signed("an encrypted token, of five parts", .notCompact) { $0.token() + Array(".e30.e30".utf8) },
        .signed("the JSON form", .notCompact) { _ in Array(#"{"payload":"e30","signatures":[]}"#.utf8) },
        .signed("40,000 bytes", .tooLong) { $0.token(["x": .string([UInt8](repeating: 0x61, count: 40_000))]) },
        .signed("40,000 dots", .tooLong) { _ in [UInt8](repeating: UInt8(ascii: "."), count: 40_000) },
        .signed("a header of 5,000 bytes", .notCompact) {
            $0.token(["x": .string([UInt8](repeating: 0x61, count: 5_000))])
        }, .signed("padding", .notBase64URL(.signature)) { $0.token() + Array("=".utf8) },
        .signed("a line end behind it", .notBase64URL(.signature)) { $0.token() + Array("\n".utf8) },
        .signed("a space before it", .notBase64URL(.header)) { Array(" ".utf8) + $0.token() },
        .signed("a NUL behind it", .notBase64URL(.signature)) { $0.token() + [0] },
        .signed("the other alphabet", .notBase64URL(.payload)) { _ in Array((#"eyJhbGciOiJSUzI1NiJ9.+/+/.AAAA"#).utf8)
        },
        // The last character of 256 bytes in base64url has four unused bits.
        .signed("bits left over in the signature", .notBase64URL(.signature)) { forger in
            var token = forger.token()
            token[token.count - 1] += 1
            return token
        },
    ]

    private static let signatures: [Forgery] = [
        .signed("the claims of another token", .wrongSignature) { forger in
            let (one, other) = (
                forger.token().split(separator: 0x2e), forger.token([:], ["sub": "x"]).split(separator: 0x2e)
            )
            return Array(one[0]) + [0x2e] + other[1] + [0x2e] + one[2]
        }, .resigned("a signature of RSA, cut short", .malformedSignature, key: "rsa") { Array($0.dropLast()) },
        .resigned("a signature of RSA with a byte more", .wrongSignature, key: "rsa") { [0] + $0 },
        .resigned("a signature of RSA of zeros", .wrongSignature, key: "rsa") { $0.map { _ in 0 } },
        .resigned("ECDSA in DER", .malformedSignature) { [0x30, 0x44, 2, 32] + $0[..<32] + [2, 32] + $0[32...] },
        .resigned("ECDSA, cut short", .malformedSignature) { Array($0.dropLast()) },
        .resigned("ECDSA of zeros (CVE-2022-21449)", .wrongSignature) { $0.map { _ in 0 } },
        .resigned("ECDSA, R zero", .wrongSignature) { [UInt8](repeating: 0, count: 32) + $0[32...] },
        .resigned("ECDSA, S zero", .wrongSignature) { $0[..<32] + [UInt8](repeating: 0, count: 32) },
        .resigned("ECDSA, R and S the curve's order (CVE-2022-21449)", .wrongSignature) { _ in order + order },
        .resigned("ECDSA, R and S in the other order", .wrongSignature) { Array($0[32...]) + $0[..<32] },
        .signed("RS256, said to be RS512", .wrongSignature) { $0.token(["alg": "RS512"]) },
        .signed("RS256, said to be PS256", .wrongSignature) { $0.token(["alg": "PS256"]) },
        .signed("RS256, said to be ES512", .malformedSignature) { $0.token(["alg": "ES512"]) },
        .signed("ES256, said to be EdDSA", .unsuitableKey) { $0.token(["alg": "EdDSA"], with: "ec") },
        .signed("another key of RSA", .wrongSignature) { $0.token(with: "rsa-other") },
        .signed("another key on the curve", .wrongSignature) {
            $0.token(["alg": "ES256", "kid": "ec-1"], with: "ec-other")
        },
    ]

    private static let keys: [Forgery] = [
        .signed("ES256 by a key of RSA", .unsuitableKey) { $0.token(["kid": "rsa-1"], with: "ec") },
        .signed("RS256 by a key on a curve", .unsuitableKey) { $0.token(["kid": "ec-1"]) },
        .signed("no kid, two keys", .ambiguousKey, keys: { try Forger.keys(TestKeys.published("rsa-other", [:])) }) {
            $0.token(["kid": .null])
        }, .signed("no kid, no key", .unknownKey(nil), keys: { try Forger.set([]) }) { $0.token(["kid": .null]) },
        unsuitable("a key for encryption", "rsa", ["use": "enc"]),
        unsuitable("a key for another algorithm", "rsa", ["alg": "PS256"]),
        unsuitable("a key for signing, not verifying", "rsa", ["key_ops": .array(["sign"])]),
        unsuitable("a key of 1,024 bits", "rsa-1024", [:]), unsuitable("a key of 2,047 bits", "rsa-2047", [:]),
        unsuitable("an exponent of 1", "rsa", ["e": "AQ"]), unsuitable("an even exponent", "rsa", ["e": "AQAA"]),
        unsuitable("an exponent of 33 bits", "rsa", ["e": "AQAAAAE"]),
        unsuitable("a modulus in base64 with padding", "rsa", ["n": "AQAB=="]),
        unsuitable("a key of an unknown kind", "rsa", ["kty": "AKP"]),
        unsuitable("a key on P-384", "ec-384", [:], algorithm: "ES256"),
        unsuitable("a key on P-256 by its old name", "ec", ["crv": "prime256v1"], algorithm: "ES256"),
        .signed(
            "a point that is not on the curve", .invalidKey,
            keys: {
                try Forger.set([
                    TestKeys.published("ec", ["kid": "ec-1", "y": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"])
                ])
            }, { $0.token(with: "ec") }),
        .signed(
            "the point zero", .invalidKey,
            keys: {
                let zero: JSONValue = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
                return try Forger.set([TestKeys.published("ec", ["kid": "ec-1", "x": zero, "y": zero])])
            }, { $0.token(with: "ec") }),
    ]

    /// A token signed by a published key whose members forbid this use.
    private static func unsuitable(
        _ name: String, _ key: String, _ members: [String: JSONValue], algorithm: JSONValue = "RS256"
    ) -> Forgery {
        .signed(
            name, .unsuitableKey,
            keys: { try Forger.keys(TestKeys.published(key, members.merging(["kid": "odd"]) { $1 })) },
            { $0.token(["alg": algorithm, "kid": "odd"], with: algorithm == "ES256" ? "ec" : "rsa") })
    }

    /// The number of points on the curve P-256 (FIPS 186-4, D.1.2.3).
    private static let order: [UInt8] =
        [255, 255, 255, 255, 0, 0, 0, 0] + [UInt8](repeating: 255, count: 8) + [
            0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
        ]

    /// The HMAC that a verifier would accept if it used the published key file as the secret.
    private static func hmac(_ token: [UInt8], _ key: String) throws -> [UInt8] {
        let name = "message-\(UUID().uuidString)"
        let message = token[..<(token.lastIndex(of: UInt8(ascii: ".")) ?? 0)]
        try Data(message).write(to: TestKeys.directory.appending(path: name))
        let secret = try TestKeys.file(key).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        try TestKeys.openssl("dgst -sha256 -mac HMAC -macopt hexkey:\(secret) -binary -out \(name).mac \(name)")
        return try Array(Data(contentsOf: TestKeys.directory.appending(path: "\(name).mac")))
    }
}

/// Tokens with the issuer's valid signature, but with wrong claims: for another client, at another time, or
/// contradictory.
enum ForgedClaims {
    static let all = issuers + audiences + times + bindings + subjects + texts

    private static let issuers: [Forgery] = [
        .claiming("no issuer", .missing(.issuer), ["iss": .null]),
        .claiming("another issuer", .wrongIssuer("https://evil.example"), ["iss": "https://evil.example"]),
        .claiming(
            "the issuer with a slash", .wrongIssuer("https://id.example/realm/"), ["iss": "https://id.example/realm/"]),
        .claiming(
            "the issuer in other letters", .wrongIssuer("https://ID.example/realm"),
            ["iss": "https://ID.example/realm"]),
        .claiming("the issuer over http", .wrongIssuer("http://id.example/realm"), ["iss": "http://id.example/realm"]),
        .claiming(
            "the issuer with a NUL", .wrongIssuer(#"https://id.example/realm\x00"#),
            ["iss": "https://id.example/realm\0"]),
        .claiming("an issuer as a list", .malformed(.issuer), ["iss": .array(["https://id.example/realm"])]),
        .claiming(
            "the issuer under a name with a NUL", .missing(.issuer),
            ["iss": .null, "iss\0": "https://id.example/realm"]),
    ]

    private static let audiences: [Forgery] = [
        .claiming("no audience", .missing(.audience), ["aud": .null]),
        .claiming("another audience", .foreignAudience, ["aud": "other"]),
        .claiming("an audience that begins like us", .foreignAudience, ["aud": "gitspace2"]),
        .claiming("an audience with a NUL", .foreignAudience, ["aud": "gitspace\0"]),
        .claiming("no audience in a list", .foreignAudience, ["aud": .array([])]),
        .claiming("others in a list", .foreignAudience, ["aud": .array(["a", "b"])]),
        .claiming("us and others", .foreignAuthorizedParty, ["aud": .array(["gitspace", "a"])]),
        .claiming("us twice", .foreignAuthorizedParty, ["aud": .array(["gitspace", "gitspace"])]),
        .claiming(
            "us and others, issued to another", .foreignAuthorizedParty,
            ["aud": .array(["gitspace", "a"]), "azp": "a"]),
        .claiming("us, issued to another", .foreignAuthorizedParty, ["azp": "a"]),
        .claiming("issued to a list", .malformed(.authorizedParty), ["azp": .array(["gitspace"])]),
        .claiming("an audience as a number", .malformed(.audience), ["aud": .number("1")]),
        .claiming("a number among the audiences", .malformed(.audience), ["aud": .array(["gitspace", .number("1")])]),
        .claiming(
            "33 audiences", .malformed(.audience),
            ["aud": .array([JSONValue](repeating: "gitspace", count: 33)), "azp": "gitspace"]),
    ]

    private static let times: [Forgery] = [
        .claiming("no expiry", .missing(.expiry), ["exp": .null]),
        .claiming("an expiry as a text", .malformed(.expiry), ["exp": "1800000300"]),
        .claiming("an expiry before 1970", .malformed(.expiry), ["exp": .number("-1")]),
        .claiming("expired", .expired, ["exp": .number("1799990000")]),
        .claiming("expired just beyond the skew", .expired, ["exp": .number("1799999940")]),
        .claiming("expired by a fraction", .expired, ["exp": .number("1799999940.9")]),
        .claiming("expires before it is issued", .malformed(.expiry), ["exp": .number("1799999950")]),
        .claiming("no time of issue", .missing(.issuedAt), ["iat": .null]),
        .claiming("a time of issue as a text", .malformed(.issuedAt), ["iat": "1800000000"]),
        .claiming("issued in the future", .fromTheFuture, ["iat": .number("1800000061")]),
        .claiming("issued hours ago", .stale, ["iat": .number("1799990000")]),
        .claiming("not valid yet", .fromTheFuture, ["nbf": .number("1800000061")]),
        .claiming("valid from a text", .malformed(.notBefore), ["nbf": "0"]),
    ]

    private static let bindings: [Forgery] = [
        .claiming("no nonce", .missing(.nonce), nonce: "n-0S6_WzA2Mj", [:]),
        .claiming("another nonce", .wrongNonce, nonce: "n-0S6_WzA2Mj", ["nonce": "n-0S6_WzA2Mk"]),
        .claiming("an empty nonce", .wrongNonce, nonce: "n-0S6_WzA2Mj", ["nonce": ""]),
        .claiming("a nonce as a number", .malformed(.nonce), nonce: "1", ["nonce": .number("1")]),
        // The hash from Core 1.0, A.3, with another last letter.
        .claiming(
            "another access token", .wrongAccessToken, accessToken: "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Z",
            ["at_hash": "77QmUPtjPfzWtF2AnpK9RQ"]),
        .claiming(
            "a hash with padding", .wrongAccessToken, accessToken: "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y",
            ["at_hash": "77QmUPtjPfzWtF2AnpK9RQ=="]),
        .claiming("an empty hash", .wrongAccessToken, accessToken: "token", ["at_hash": ""]),
        .claiming("a hash as a number", .malformed(.accessTokenHash), accessToken: "token", ["at_hash": .number("77")]),
    ]

    private static let subjects: [Forgery] = [
        .claiming("no subject", .missing(.subject), ["sub": .null]),
        .claiming("an empty subject", .malformed(.subject), ["sub": ""]),
        .claiming("a subject as a number", .malformed(.subject), ["sub": .number("1")]),
        .claiming("a subject with a NUL", .malformed(.subject), ["sub": "octo\0cat"]),
        .claiming("a subject with a line end", .malformed(.subject), ["sub": "octocat\nquit=1"]),
        .claiming("a subject that is not ASCII", .malformed(.subject), ["sub": "öctocat"]),
        .claiming(
            "a subject of 256 letters", .malformed(.subject), ["sub": .string([UInt8](repeating: 0x61, count: 256))]),
        .claiming("no plain name at all", .unusableAccount, ["sub": "f:1:octocat", "preferred_username": "o c"]),
    ]

    private static let texts: [Forgery] = [
        .malformed("no claims", claims: ""), .malformed("claims as a list", claims: "[]"),
        .malformed("a claim twice", claims: #"{"exp":1,"exp":1800000300}"#),
    ]
}
