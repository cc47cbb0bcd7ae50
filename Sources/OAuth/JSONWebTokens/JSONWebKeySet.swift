internal import CredentialCore

/// The keys that a signer has published, RFC 7517, section 5.
package struct JSONWebKeySet {
    /// The most keys, which is more than any server has at once, and the most bytes.
    package static let (most, largest) = (256, 524_288)

    /// Those that verify something here.
    package let keys: [JSONWebKey]
    /// What the others are called: a token that names one of them has not to wait for newer keys.
    private let unsuitable: [[UInt8]]

    /// Reads what a signer has published.
    ///
    /// The result is nil if it is no set of keys, has a member twice, or has more than `most` keys. Keys that serve for
    /// nothing here are left out.
    package init?(parsing body: [UInt8]) {
        guard case .array(let values)? = JSONValue(parsing: body)?["keys"], values.count <= Self.most else {
            return nil
        }
        keys = values.compactMap(JSONWebKey.init)
        unsuitable = values.filter { JSONWebKey($0) == nil }.compactMap { $0["kid"]?.string }
    }

    /// The key that a token is verified by: the one that it names (`kid`), else the only one that fits.
    ///
    /// - Throws: why there is none. Keys are tried one at a time and never in turns (OpenID Connect Core 1.0, 10.1).
    func key(for token: JSONWebSignature) throws(JSONWebSignatureError) -> JSONWebKey {
        let named = token.keyID.map { id in keys.filter { $0.id == id } } ?? keys
        let fitting = named.filter { $0.algorithm == token.algorithm }
        if let key = fitting.first, fitting.count == 1 { return key }
        guard fitting.isEmpty else { throw .ambiguousKey }
        guard let id = token.keyID, !named.isEmpty || unsuitable.contains(id) else {
            throw .unknownKey(token.keyID.map { DisplayText($0) })
        }
        throw .unsuitableKey
    }
}
