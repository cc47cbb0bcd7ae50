import CredentialCore
import Providers

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
        .claiming("an expiry that is true", .malformed(.expiry), ["exp": .bool(true)]),
        .claiming("an expiry in a list", .malformed(.expiry), ["exp": .array([.number("1800000300")])]),
        .claiming("an expiry before 1970", .malformed(.expiry), ["exp": .number("-1")]),
        .claiming("an expiry of 1e308", .malformed(.expiry), ["exp": .number("1e308")]),
        .claiming("an expiry of 1e400", .malformed(.expiry), ["exp": .number("1e400")]),
        .claiming("an expiry of 63 bits", .malformed(.expiry), ["exp": .number("9223372036854775807")]),
        .claiming("an expiry of 30 digits", .malformed(.expiry), ["exp": .number("123456789012345678901234567890")]),
        .claiming("an expiry in milliseconds", .malformed(.expiry), ["exp": .number("1800000300000")]),
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
        .malformed("claims with a comma too many", claims: #"{"sub":"a",}"#),
        .malformed("claims, and something else", claims: "{}{}"),
        .malformed("a claim twice", claims: #"{"exp":1,"exp":1800000300}"#),
        .malformed("a claim twice, once by an escape", claims: #"{"sub":"a","\u0073ub":"b"}"#),
        .malformed("a claim twice, deep inside", claims: #"{"address":{"a":1,"a":2}}"#),
        .malformed(
            "claims a hundred levels deep",
            claims: String(repeating: #"{"a":"#, count: 100) + "1" + String(repeating: "}", count: 100)),
        Forgery(name: "claims that are no UTF-8", reason: .malformedClaims) {
            $0.token(
                header: Array(#"{"alg":"RS256","kid":"rsa-1"}"#.utf8),
                claims: Array(#"{"sub":""#.utf8) + [0xc0, 0x80] + Array(#""}"#.utf8))
        },
    ]
}
