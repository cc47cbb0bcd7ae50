import CredentialCore
import Cryptography
import Foundation
import Providers
import Staging
import Testing

@Suite("Interoperation with openssl")
struct InteroperationTests {
    private let message = Array("eyJhbGciOiJSUzI1NiJ9.e30".utf8)

    private func write(_ bytes: [UInt8], _ name: String) throws -> String {
        let name = "\(name)-\(UUID().uuidString)"
        try Data(bytes).write(to: TestKeys.directory.appending(path: name))
        return name
    }

    /// Signs the message by openssl; without options, as Ed25519 does.
    private func signed(by name: String, _ options: String) throws -> [UInt8] {
        let file = try write(message, "message")
        try TestKeys.openssl(
            options.isEmpty
                ? "pkeyutl -sign -rawin -inkey \(name).pem -in \(file) -out \(file).sig"
                : "dgst \(options) -sign \(name).pem -out \(file).sig \(file)")
        return try Array(Data(contentsOf: TestKeys.directory.appending(path: "\(file).sig")))
    }

    @Test("signs RS256 exactly as openssl does, since the signature is unique (RFC 8017, 8.2)")
    func rsa() throws {
        let theirs = try signed(by: "rsa", "-sha256")
        #expect(try TestKeys.privateKey("rsa").sign(message) == theirs)
        #expect(try TestKeys.privateKey("rsa-pkcs1").sign(message) == theirs)
    }

    @Test("signs ES256 so that openssl verifies it, whatever the lengths of R and S")
    func ourECDSA() throws {
        let key = try TestKeys.privateKey("ec")
        for _ in 1...40 {
            let raw = try #require(key.sign(message))
            try #require(raw.count == 64)
            let signature = try write(der(raw), "signature")
            let file = try write(message, "message")
            #expect(
                try TestKeys.openssl("dgst -sha256 -verify ec-public.pem -signature \(signature) \(file)")
                    == "Verified OK\n")
        }
    }

    @Test("verifies ES256 signatures of openssl, and no others")
    func theirECDSA() throws {
        let key = try Forger.set([TestKeys.published("ec", [:])]).keys[0].numbers
        for _ in 1...40 {
            let der = try signed(by: "ec", "-sha256")
            let signature = raw(der)
            let verifier = LibcryptoVerifier()
            #expect(verifier.verifies(signature, of: message, with: key, by: .es256) == true)
            #expect(verifier.verifies(signature, of: message + [0], with: key, by: .es256) == false)
            #expect(verifier.verifies(der, of: message, with: key, by: .es256) == false)
        }
    }

    @Test(
        "verifies a signature of openssl only under its own algorithm",
        arguments: [
            (.rs384, "rsa", "-sha384"), (.rs512, "rsa", "-sha512"),
            (.ps256, "rsa", "-sha256 -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:digest"),
            (.ps384, "rsa", "-sha384 -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:digest"),
            (.ps512, "rsa", "-sha512 -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:digest"),
            (.es384, "ec-384", "-sha384"), (.es512, "ec-521", "-sha512"), (.edDSA, "ed25519", ""),
        ] as [(SignatureAlgorithm, String, String)])
    func others(algorithm: SignatureAlgorithm, name: String, options: String) throws {
        let key = try #require(try Forger.set([TestKeys.published(name, [:])]).keys.first)
        var signature = try signed(by: name, options)
        if case .ecdsa(let curve) = algorithm.scheme { signature = raw(signature, curve.size) }
        let verifier = LibcryptoVerifier()
        for other in SignatureAlgorithm.allCases where key.fits(other) {
            #expect(
                verifier.verifies(signature, of: message, with: key.numbers, by: other) == (other == algorithm),
                "\(other)")
        }
        #expect(verifier.verifies(signature, of: message + [0], with: key.numbers, by: algorithm) == false)
    }

    /// DER written by hand, independent of the code under test (X.690, 8.3): no leading zeros, except one before a
    /// first bit of 1.
    private func der(_ raw: [UInt8]) -> [UInt8] {
        func number(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
            var bytes = Array(bytes.drop { $0 == 0 })
            if bytes.first.map({ $0 >= 0x80 }) ?? true { bytes.insert(0, at: 0) }
            return [2, UInt8(bytes.count)] + bytes
        }
        let numbers = number(raw[..<32]) + number(raw[32...])
        return [0x30, UInt8(numbers.count)] + numbers
    }

    private func raw(_ der: [UInt8], _ size: Int = 32) -> [UInt8] {
        // The length of larger numbers takes one more byte (X.690, 8.1.3.5).
        let start = der[1] < 0x80 ? 2 : 3
        let r = der[(start + 2)..<(start + 2 + Int(der[start + 1]))]
        let s = der[(r.endIndex + 2)...]
        return [r, s].flatMap { number -> [UInt8] in
            let bytes = number.drop { $0 == 0 }
            return [UInt8](repeating: 0, count: size - bytes.count) + bytes
        }
    }
}

@Suite("Published vectors")
struct PublishedVectorTests {
    private static let payload =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    /// RFC 7515, A.2: an RSA key and its signature.
    private static let rsa = (
        key: """
        {"kty":"RSA","e":"AQAB","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-\
        Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSH\
        SXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-D\
        WNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"}
        """,
        token: """
        eyJhbGciOiJSUzI1NiJ9.\(payload).cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0\
        Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHl\
        b1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgG\
        Y9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw
        """
    )

    /// RFC 7515, A.3: a P-256 key and its signature.
    private static let ec = (
        key: """
        {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",\
        "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
        """,
        token: """
        eyJhbGciOiJFUzI1NiJ9.\(payload).DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJq\
        PP3-Kg6NU1Q
        """
    )

    @Test("verifies RFC 7515, A.2 and A.3, unless a bit is changed")
    func signatures() throws {
        for vector in [Self.rsa, Self.ec] {
            let keys = try #require(JSONWebKeySet(parsing: Array(#"{"keys":[\#(vector.key)]}"#.utf8)))
            let token = Array(vector.token.utf8)
            #expect(throws: Never.self) {
                try JSONWebSignature(parsing: token).verify(with: keys, by: LibcryptoVerifier())
            }
            var forged = token
            let middle = token.count - 20
            forged[middle] = forged[middle] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(throws: JSONWebSignatureError.wrongSignature) {
                try JSONWebSignature(parsing: forged).verify(with: keys, by: LibcryptoVerifier())
            }
        }
    }
}

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
