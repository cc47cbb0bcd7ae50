import Providers
import Testing

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

    /// A token whose signature is changed.
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
