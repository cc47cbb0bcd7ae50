import Providers
import Testing

/// A token that must be refused, and the reason.
struct Forgery: Sendable, CustomTestStringConvertible {
    let name: String
    let reason: IDTokenError
    /// The nonce of the request.
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
    ) -> Forgery {
        Forgery(name: name, reason: .signature(reason), keys: keys, token: token)
    }

    /// A token with a valid signature and these claims.
    static func claiming(
        _ name: String, _ reason: IDTokenError, nonce: String? = nil, accessToken: String? = nil,
        _ claims: [String: JSONValue]
    ) -> Forgery {
        Forgery(name: name, reason: reason, nonce: nonce, accessToken: accessToken) { $0.token([:], claims) }
    }
}
