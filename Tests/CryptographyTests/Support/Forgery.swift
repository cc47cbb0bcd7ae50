import Providers
import Testing

/// A token that must be refused, and why.
struct Forgery: Sendable, CustomTestStringConvertible {
    let name: String
    let reason: IDTokenError
    /// What was sent in the request, and what came with the token.
    var nonce: String?
    var accessToken: String?
    /// The keys that are published beside the issuer's own; nil members stand for the issuer's own alone.
    var keys: @Sendable () throws -> JSONWebKeySet = { try Forger.keys() }
    let token: @Sendable (Forger) throws -> [UInt8]

    var testDescription: String { name }

    /// A token that is refused for how it is signed.
    static func signed(
        _ name: String, _ reason: JSONWebSignatureError,
        keys: @escaping @Sendable () throws -> JSONWebKeySet = { try Forger.keys() },
        _ token: @escaping @Sendable (Forger) throws -> [UInt8]
    ) -> Forgery {
        Forgery(name: name, reason: .signature(reason), keys: keys, token: token)
    }

    /// A properly signed token whose claims are these.
    static func claiming(
        _ name: String, _ reason: IDTokenError, nonce: String? = nil, accessToken: String? = nil,
        _ claims: [String: JSONValue]
    ) -> Forgery {
        Forgery(name: name, reason: reason, nonce: nonce, accessToken: accessToken) { $0.token([:], claims) }
    }
}
