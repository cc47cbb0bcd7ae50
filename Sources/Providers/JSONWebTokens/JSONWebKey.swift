internal import CredentialCore

/// A public key (RFC 7517, section 4).
package struct JSONWebKey: Equatable {
    /// The numbers of a key, highest byte first.
    package enum Numbers: Equatable {
        /// An RSA key (RFC 7518, 6.3.1).
        case rsa(modulus: [UInt8], exponent: [UInt8])
        /// A point (RFC 7518, 6.2.1), each coordinate in all of the curve's bytes.
        case point(on: Curve, x: [UInt8], y: [UInt8])
        /// An Ed25519 key (RFC 8037, 2).
        case ed25519([UInt8])
    }

    /// A curve, named as in `crv`.
    package enum Curve: String, CaseIterable {
        case p256 = "P-256"
        case p384 = "P-384"
        case p521 = "P-521"

        /// The bytes of a coordinate, and of R and S (RFC 7518, 3.4 and 6.2.1.2).
        package var size: Int {
            switch self {
            case .p256: 32
            case .p384: 48
            case .p521: 66
            }
        }
    }

    package let id: [UInt8]?
    /// The numbers, within our limits; only the verifier checks that a point is on its curve.
    package let numbers: Numbers

    /// The only algorithm of the key, or `nil` for each that fits its numbers.
    private let algorithm: SignatureAlgorithm?

    package func fits(_ algorithm: SignatureAlgorithm) -> Bool {
        let fitsNumbers =
            switch (numbers, algorithm.scheme) {
            case (.rsa, .pkcs1), (.rsa, .pss), (.ed25519, .edwards): true
            case (.point(let curve, _, _), .ecdsa(let needed)): curve == needed
            default: false
            }
        return fitsNumbers && (self.algorithm ?? algorithm) == algorithm
    }

    /// Returns `nil` for a key that cannot verify here.
    ///
    /// Such a key is of another kind or for another use, has numbers out of range (RFC 7517, 5, ignores it), or a
    /// published private half.
    init?(_ value: JSONValue) {
        guard case .object(let members) = value, members["d"] == nil, members["k"] == nil else { return nil }
        guard let kind = value["kty"]?.string, Self.isForVerifying(value) else { return nil }
        if kind.elementsEqual("RSA".utf8) {
            guard let modulus = Self.number(value["n"]), let exponent = Self.number(value["e"]),
                Self.isSound(modulus: modulus), Self.isSound(exponent: exponent)
            else { return nil }
            numbers = .rsa(modulus: modulus, exponent: exponent)
        } else if kind.elementsEqual("EC".utf8),
            let curve = Curve.allCases.first(where: { value["crv"]?.string?.elementsEqual($0.rawValue.utf8) == true })
        {
            // Leading zeros are required (RFC 7518, 6.2.1.2).
            guard let x = Self.bytes(value["x"]), let y = Self.bytes(value["y"]),
                x.count == curve.size, y.count == curve.size
            else { return nil }
            numbers = .point(on: curve, x: x, y: y)
        } else if kind.elementsEqual("OKP".utf8), value["crv"]?.string?.elementsEqual("Ed25519".utf8) == true {
            guard let point = Self.bytes(value["x"]), point.count == 32 else { return nil }
            numbers = .ed25519(point)
        } else {
            return nil
        }
        let name = value["kid"]
        guard name == nil || name?.string != nil else { return nil }
        id = name?.string.flatMap { $0.isEmpty ? nil : $0 }
        algorithm = value["alg"]?.string.flatMap(SignatureAlgorithm.init)
        guard members["alg"] == nil || algorithm.map(fits) == true else { return nil }
    }

    /// Whether `use` and `key_ops` (RFC 7517, 4.2 and 4.3) allow verifying; either may be absent.
    private static func isForVerifying(_ value: JSONValue) -> Bool {
        guard value["use"].map({ $0 == .string(Array("sig".utf8)) }) ?? true else { return false }
        guard let operations = value["key_ops"] else { return true }
        guard case .array(let names) = operations else { return false }
        return names.contains(.string(Array("verify".utf8)))
    }

    private static func bytes(_ value: JSONValue?) -> [UInt8]? { value?.string.flatMap { Base64URL.decode($0) } }

    /// A Base64urlUInt (RFC 7518, 2), without the leading zeros that some servers add (6.3.1.1).
    private static func number(_ value: JSONValue?) -> [UInt8]? { bytes(value).map { Array($0.drop { $0 == 0 }) } }

    /// Whether a modulus is odd and has 2,048 bits (RFC 7518, 3.3) to 8,192: the time of a check grows with the square.
    private static func isSound(modulus: [UInt8]) -> Bool {
        guard let first = modulus.first, let last = modulus.last, last & 1 == 1 else { return false }
        return (2_048...8_192).contains(modulus.count * 8 - first.leadingZeroBitCount)
    }

    /// Whether an exponent is odd, 3 or more, and has at most 32 bits.
    ///
    /// 65,537 is usual, longer ones only cost time, and 1 would make every signature valid.
    private static func isSound(exponent: [UInt8]) -> Bool {
        guard (1...4).contains(exponent.count), let last = exponent.last else { return false }
        return last & 1 == 1 && exponent != [1]
    }
}

/// A set of keys (RFC 7517, section 5).
package struct JSONWebKeySet {
    package static let (most, largest) = (256, 524_288)
    package let keys: [JSONWebKey]
    /// The IDs of unusable keys; newer keys need not be fetched for a token that names one.
    private let unsuitable: [[UInt8]]

    /// Drops unusable keys; returns `nil` if the set is invalid, has a member twice, or has more than `most` keys.
    package init?(parsing body: [UInt8]) {
        guard case .array(let values)? = JSONValue(parsing: body)?["keys"], values.count <= Self.most else {
            return nil
        }
        keys = values.compactMap(JSONWebKey.init)
        unsuitable = values.filter { JSONWebKey($0) == nil }.compactMap { $0["kid"]?.string }
    }

    /// The key that the token names (`kid`), else the only one that fits; keys are never tried in turn (OpenID Connect
    /// Core 1.0, 10.1).
    func key(for token: JSONWebSignature) throws(JSONWebSignatureError) -> JSONWebKey {
        let named = token.keyID.map { id in keys.filter { $0.id == id } } ?? keys
        let fitting = named.filter { $0.fits(token.algorithm) }
        if let key = fitting.first, fitting.count == 1 { return key }
        guard fitting.isEmpty else { throw .ambiguousKey }
        guard let id = token.keyID, !named.isEmpty || unsuitable.contains(id) else {
            throw .unknownKey(token.keyID.map { DisplayText(untrusted: $0) })
        }
        throw .unsuitableKey
    }
}
