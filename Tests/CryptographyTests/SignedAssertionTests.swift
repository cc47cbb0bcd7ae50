import CredentialCore
import Cryptography
import Providers
import Staging
import Testing

@Suite("Assertions that the program signs")
struct SignedAssertionTests {
    private let now: Int64 = 1_800_000_000

    /// Verifies an assertion by its public key, and returns its parts.
    private func read(
        _ claims: JSONValue, keyID: String? = nil, _ key: String
    ) throws -> (header: String, claims: String) {
        let assertion = try #require(try TestKeys.privateKey(key).assertion(of: claims, keyID: keyID))
        let text = assertion.reveal { Array($0) }
        let keys = try Forger.set([TestKeys.published(key, keyID.map { ["kid": .string(Array($0.utf8))] } ?? [:])])
        try JSONWebSignature(parsing: text).verify(with: keys, by: LibcryptoVerifier())
        let parts = text.split(separator: UInt8(ascii: ".")).map { Base64URL.decode($0) ?? [] }
        return (String(decoding: parts[0], as: UTF8.self), String(decoding: parts[1], as: UTF8.self))
    }

    @Test("signs a client assertion of three minutes in whole numbers (RFC 7523, 3)", arguments: ["ec", "rsa"])
    func clientAuthentication(key: String) throws {
        let claims = AssertionClaims.clientAuthentication(
            clientID: "gitspace", audience: "https://id.example/token", now: now)
        let identifier = String(decoding: try #require(claims["jti"]?.string), as: UTF8.self)
        #expect(identifier.utf8.count == 22)
        let assertion = try read(claims, keyID: "client-key-1", key)
        #expect(assertion.header == #"{"alg":"\#(key == "ec" ? "ES256" : "RS256")","kid":"client-key-1","typ":"JWT"}"#)
        #expect(
            assertion.claims
                == #"{"aud":"https://id.example/token","exp":1800000180,"iat":1800000000,"iss":"gitspace","#
                + #""jti":"\#(identifier)","sub":"gitspace"}"#)
        let next = AssertionClaims.clientAuthentication(
            clientID: "gitspace", audience: "https://id.example/token", now: now)
        #expect(next["jti"] != claims["jti"])
    }

    @Test("signs a GitHub App's assertion by RS256 without a key ID, from a minute ago to nine minutes ahead")
    func gitHubApp() throws {
        let assertion = try read(GitHubApp.claims(of: "12345", now: now), "rsa")
        #expect(assertion.header == #"{"alg":"RS256","typ":"JWT"}"#)
        #expect(assertion.claims == #"{"exp":1800000540,"iat":1799999940,"iss":"12345"}"#)
    }

    /// "Creating a client secret" of Sign in with Apple.
    ///
    /// The issuer is the team, the header has the key's ID, and the lifetime is at most six months (15,777,000
    /// seconds).
    @Test("signs a client secret as Apple requires it")
    func appleClientSecret() throws {
        let claims = AssertionClaims.registered(
            issuer: "DEF123GHIJ", subject: "com.mytest.app", audience: "https://appleid.apple.com", issuedAt: now,
            expiresAt: now + 15_777_000)
        let assertion = try read(claims, keyID: "ABC123DEFG", "ec")
        #expect(assertion.header == #"{"alg":"ES256","kid":"ABC123DEFG","typ":"JWT"}"#)
        #expect(
            assertion.claims
                == #"{"aud":"https://appleid.apple.com","exp":1815777000,"iat":1800000000,"iss":"DEF123GHIJ","#
                + #""sub":"com.mytest.app"}"#)
    }

    @Test("escapes quotes in a name")
    func injection() throws {
        let claims = AssertionClaims.registered(issuer: "a\",\"sub\":\"root", issuedAt: now, expiresAt: now)
        let assertion = try read(claims, keyID: "k\\\"\n", "ec")
        #expect(assertion.claims == #"{"exp":1800000000,"iat":1800000000,"iss":"a\",\"sub\":\"root"}"#)
        #expect(assertion.header == #"{"alg":"ES256","kid":"k\\\"\u000a","typ":"JWT"}"#)
    }
}
