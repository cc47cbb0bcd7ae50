import CredentialCore
import Foundation
import Providers
import Testing

@Suite("ID tokens")
struct IDTokenTests {
    @Test(
        "refuses a forged or malformed token for its specific reason",
        arguments: ForgedSignatures.all + ForgedClaims.all)
    func forgeries(forgery: Forgery) throws {
        let token = try forgery.token(Forger())
        let keys = try forgery.keys()
        #expect(throws: forgery.reason) {
            try Forger.check(token, keys, nonce: forgery.nonce, accessToken: forgery.accessToken)
        }
    }

    @Test("returns the account of a valid token", arguments: ["rsa", "ec"])
    func sound(key: String) throws {
        let token = try Forger.check(Forger().token(with: key), Forger.keys())
        #expect(token.names.first == "octocat" && token.subject == "248289761001")
    }

    @Test(
        "accepts everything that the specification allows, and ignores the keys that a header names or contains",
        arguments: [
            (["typ": "JWT"], [:]), (["typ": "jwt"], [:]), (["typ": "application/jwt"], [:]), (["typ": .null], [:]),
            (["kid": .null], [:]), (["jku": "https://evil.example", "x5c": .array(["AAAA"]), "cty": "json"], [:]),
            ([:], ["aud": .array(["gitspace"])]), ([:], ["aud": .array(["gitspace", "other"]), "azp": "gitspace"]),
            ([:], ["azp": "gitspace"]), ([:], ["exp": .number("1800000300.75")]),
            ([:], ["exp": .number("1.8000003E9")]), ([:], ["nbf": .number("1800000060")]),
            ([:], ["exp": .number("1800000060.0"), "iat": .number("1800000060.9")]),
            ([:], ["exp": .number("1799999941"), "iat": .number("1799999900")]), ([:], ["nonce": "nobody asked"]),
            ([:], ["iat": .number("1799996340")]),
            ([:], ["groups": .array([JSONValue](repeating: "staff", count: 2_900))]),
            ([:], ["auth_time": .null]),
            ([:], ["address": .object(["country": "KR"]), "groups": .array(["a", "b"])]),
            // The hash of an access token that is not at hand.
            ([:], ["at_hash": "AAAAAAAAAAAAAAAAAAAAAA"]),
        ] as [([String: JSONValue], [String: JSONValue])])
    func allowed(header: [String: JSONValue], claims: [String: JSONValue]) throws {
        #expect(throws: Never.self) { try Forger.check(Forger().token(header, claims), Forger.keys()) }
    }

    @Test("compares the nonce, and the hash of the access token (Core 1.0, A.3)")
    func bindings() throws {
        let token = try Forger().token([:], ["nonce": "n-0S6_WzA2Mj", "at_hash": "77QmUPtjPfzWtF2AnpK9RQ"])
        #expect(throws: Never.self) {
            try Forger.check(
                token, Forger.keys(), nonce: "n-0S6_WzA2Mj", accessToken: "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y")
        }
    }

    @Test(
        "compares the access token's hash by the hash function of the signature",
        arguments: [
            ("RS384", "dgst -sha384 -sign rsa.pem -out RS384.sig", "jtAeDp945y1dDqU3nkIVGNZP1HjH_MFs"),
            ("RS512", "dgst -sha512 -sign rsa.pem -out RS512.sig", "q7nS86GgvvFaZkzALLWqJYaJIKw2wCDAVfCAsm5CrBM"),
            (
                "EdDSA", "pkeyutl -sign -rawin -inkey ed25519.pem -out EdDSA.sig -in",
                "q7nS86GgvvFaZkzALLWqJYaJIKw2wCDAVfCAsm5CrBM"
            ),
        ])
    func hashes(algorithm: String, command: String, hash: String) throws {
        let keys = try Forger.set([TestKeys.published("rsa", [:]), TestKeys.published("ed25519", [:])])
        let file = TestKeys.directory.appending(path: algorithm)
        func check(_ hash: String) throws {
            let unsigned = try Forger().token(
                ["alg": .text(Array(algorithm.utf8)), "kid": .null], ["at_hash": .text(Array(hash.utf8))])
            let message = unsigned[..<(try #require(unsigned.lastIndex(of: UInt8(ascii: "."))))]
            try Data(message).write(to: file)
            try TestKeys.openssl("\(command) \(algorithm)")
            let signature = try Array(Data(contentsOf: file.appendingPathExtension("sig")))
            _ = try Forger.check(
                message + [UInt8(ascii: ".")] + Base64URL.encode(signature), keys,
                accessToken: "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y")
        }
        try check(hash)
        #expect(throws: IDTokenError.wrongAccessToken) { try check("77QmUPtjPfzWtF2AnpK9RQ") }
    }

    @Test(
        "uses the name that the person knows, if git and a terminal can take it",
        arguments: [
            ("alice@example.com", "alice@example.com"), ("DOMAIN\\alice", "DOMAIN\\alice"), (nil, "248289761001"),
            ("", "248289761001"), ("al ice", "248289761001"), ("alice\0", "248289761001"),
            ("alice\nquit=1", "248289761001"), ("앨리스", "248289761001"), ("a:b", "248289761001"),
            (String(repeating: "a", count: 256), "248289761001"),
        ])
    func accounts(preferred: String?, account: String) throws {
        let claim = preferred.map { JSONValue.string(Array($0.utf8)) } ?? .null
        let token = try Forger().token([:], ["preferred_username": claim])
        #expect(try Forger.check(token, Forger.keys()).names.first == account)
    }

    @Test("fetches new keys if the token names an unknown one, and uses them")
    func rotation() throws {
        let token = try Forger().token(["kid": "rsa-2"], with: "rsa-other")
        #expect(throws: IDTokenError.signature(.unknownKey("rsa-2"))) { try Forger.check(token, Forger.keys()) }
        let keys = try Forger.keys(TestKeys.published("rsa-other", ["kid": "rsa-2"]))
        #expect(try Forger.check(token, keys).names.first == "octocat")
        #expect(try Forger.check(token, Forger.keys(), keys).names.first == "octocat")
    }

    @Test("selects among keys with the same ID by the algorithm (RFC 7517, 4.5)")
    func oneName() throws {
        let keys = try Forger.set([TestKeys.published("rsa", ["kid": "1"]), TestKeys.published("ec", ["kid": "1"])])
        for key in ["rsa", "ec"] {
            #expect(throws: Never.self) { try Forger.check(Forger().token(["kid": "1"], with: key), keys) }
        }
    }
}
