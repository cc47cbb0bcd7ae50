import CredentialCore
import Cryptography
import Providers
import Testing

/// Makes valid and forged ID tokens with the issuer's own keys.
struct Forger {
    /// The time of all tests, in seconds since 1970.
    static let now: Int64 = 1_800_000_000
    static let issuer = "https://id.example/realm"
    static let client = "gitspace"
    private let rsa: PrivateKey
    private let ec: PrivateKey

    init() throws {
        rsa = try TestKeys.privateKey("rsa")
        ec = try TestKeys.privateKey("ec")
    }

    /// The issuer's published keys, `rsa-1` and `ec-1`, with further ones.
    static func keys(_ more: JSONValue...) throws -> JSONWebKeySet {
        let ours = try [
            TestKeys.published("rsa", ["kid": "rsa-1", "use": "sig"]),
            TestKeys.published("ec", ["kid": "ec-1", "alg": "ES256"]),
        ]
        return try set(ours + more)
    }

    static func set(_ keys: [JSONValue]) throws -> JSONWebKeySet {
        guard let set = JSONWebKeySet(parsing: bytes(["keys": .array(keys)])) else { throw NoKeySet() }
        return set
    }

    struct NoKeySet: Error {}

    /// The claims of a valid token.
    static let claims: [String: JSONValue] = [
        "iss": .string(Array(issuer.utf8)), "aud": .string(Array(client.utf8)), "sub": "248289761001",
        "exp": .number("1800000300"), "iat": .number("1800000000"), "preferred_username": "octocat",
    ]

    /// A token that differs from a valid one in some members; `null` removes a member.
    func token(_ header: [String: JSONValue] = [:], _ claims: [String: JSONValue] = [:], with key: String = "rsa")
        -> [UInt8]
    {
        let plain: [String: JSONValue] = [
            "alg": key == "ec" ? "ES256" : "RS256", "kid": key == "ec" ? "ec-1" : "rsa-1",
        ]
        return token(header: json(plain, header), claims: json(Self.claims, claims), with: key)
    }

    private func json(_ members: [String: JSONValue], _ changes: [String: JSONValue]) -> [UInt8] {
        Self.bytes(members.merging(changes) { $1 }.filter { $0.value != .null })
    }

    private static func bytes(_ members: [String: JSONValue]) -> [UInt8] {
        JSONValue.object(members).serialized.reveal { Array($0) }
    }

    /// A signed token with exactly these bytes.
    func token(header: [UInt8], claims: [UInt8], with key: String = "rsa") -> [UInt8] {
        let message = Base64URL.encode(header) + Array(".".utf8) + Base64URL.encode(claims)
        return message + Array(".".utf8) + Base64URL.encode(signature(of: message, with: key))
    }

    func token(claims: String) -> [UInt8] {
        token(header: Array(#"{"alg":"RS256","kid":"rsa-1"}"#.utf8), claims: Array(claims.utf8))
    }

    func token(header: String) -> [UInt8] { token(header: Array(header.utf8), claims: Self.bytes(Self.claims)) }

    /// A signature; empty if there is no key with that name.
    func signature(of message: [UInt8], with key: String) -> [UInt8] {
        switch key {
        case "rsa": rsa.sign(message) ?? []
        case "ec": ec.sign(message) ?? []
        case "": []
        default: (try? TestKeys.privateKey(key))?.sign(message) ?? []
        }
    }

    func replacingSignature(of token: [UInt8], by change: ([UInt8]) throws -> [UInt8]) rethrows -> [UInt8] {
        let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let signature = try change(Base64URL.decode(parts[2]) ?? [])
        let dot = [UInt8(ascii: ".")]
        return Array(parts[0]) + dot + Array(parts[1]) + dot + Base64URL.encode(signature)
    }

    /// Verifies a token as the program does.
    static func check(
        _ token: [UInt8], _ keys: JSONWebKeySet..., nonce: String? = nil, accessToken: String? = nil
    ) throws(IDTokenError) -> IDToken {
        var fetched = keys[...]
        return try IDToken(
            verifying: token, from: issuer, for: client, nonce: nonce, accessToken: accessToken.map { Secret($0.utf8) },
            at: now, by: LibcryptoVerifier()
        ) {
            // The last set of keys is returned for all further requests.
            fetched.count > 1 ? fetched.removeFirst() : fetched[fetched.startIndex]
        }
    }
}

/// A token that must be refused, and the reason.
struct Forgery: Sendable, CustomTestStringConvertible {
    let name: String
    let reason: IDTokenError
    var nonce: String?
    var accessToken: String?
    /// The published keys; by default the issuer's own.
    var keys: @Sendable () throws -> JSONWebKeySet = { try Forger.keys() }
    let token: @Sendable (Forger) throws -> [UInt8]

    var testDescription: String { name }

    /// A token to refuse because of its signature.
    static func signed(
        _ name: String, _ reason: JSONWebSignatureError,
        keys: @escaping @Sendable () throws -> JSONWebKeySet = { try Forger.keys() },
        _ token: @escaping @Sendable (Forger) throws -> [UInt8]
    ) -> Forgery { Forgery(name: name, reason: .signature(reason), keys: keys, token: token) }

    static func resigned(
        _ name: String, _ reason: JSONWebSignatureError, key: String = "ec",
        _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> Forgery { .signed(name, reason) { $0.replacingSignature(of: $0.token(with: key), by: change) } }

    /// A token with a valid signature and claims that are not well formed.
    static func malformed(_ name: String, claims: String) -> Forgery {
        Forgery(name: name, reason: .malformedClaims) { $0.token(claims: claims) }
    }

    /// A token with a valid signature and these claims.
    static func claiming(
        _ name: String, _ reason: IDTokenError, nonce: String? = nil, accessToken: String? = nil,
        _ claims: [String: JSONValue]
    ) -> Forgery {
        Forgery(name: name, reason: reason, nonce: nonce, accessToken: accessToken) { $0.token([:], claims) }
    }
}
