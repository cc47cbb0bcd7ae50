internal import CredentialCore

/// RFC 7517, section 4.
package struct JSONWebKey: Equatable {
    /// The highest byte first.
    package enum Numbers: Equatable {
        /// RFC 7518, 6.3.1.
        case rsa(modulus: [UInt8], exponent: [UInt8])
        /// RFC 7518, 6.2.1: a point, each of its numbers in all of the curve's bytes.
        case point(on: Curve, x: [UInt8], y: [UInt8])
        /// RFC 8037, 2.
        case ed25519([UInt8])
    }

    /// By its name (`crv`).
    package enum Curve: String, CaseIterable {
        case p256 = "P-256"
        case p384 = "P-384"
        case p521 = "P-521"

        /// In bytes: of a coordinate, and of R and S (RFC 7518, 3.4 and 6.2.1.2).
        package var size: Int {
            switch self {
            case .p256: 32
            case .p384: 48
            case .p521: 66
            }
        }
    }

    /// `kid`.
    package let id: [UInt8]?
    /// Within the sizes accepted here; whether a point is on its curve is for the library to say.
    package let numbers: Numbers

    /// The only one that the key is for; nil for each that fits its numbers.
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

    /// Nil for a key that verifies nothing here: of another kind (a symmetric one among them), for another use, of
    /// numbers out of range (RFC 7517, 5, has such keys ignored), or whose private half stands beside it, so that
    /// anybody can sign with it.
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
            // All bytes, with the zeros at their beginning (RFC 7518, 6.2.1.2). Whether the point is on the curve is for
            // the library to say.
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
        guard let id = Self.identifier(of: value) else { return nil }
        self.id = id.isEmpty ? nil : id
        algorithm = value["alg"]?.string.flatMap(SignatureAlgorithm.init)
        if members["alg"] != nil {
            guard let algorithm, fits(algorithm) else { return nil }
        }
    }

    /// Empty if the key has none, nil if it is no text.
    private static func identifier(of value: JSONValue) -> [UInt8]? {
        guard let name = value["kid"] else { return [] }
        return name.string
    }

    /// `use` and `key_ops` (RFC 7517, 4.2 and 4.3): either may be absent, neither may say otherwise.
    private static func isForVerifying(_ value: JSONValue) -> Bool {
        if let use = value["use"] {
            guard let use = use.string, use.elementsEqual("sig".utf8) else { return false }
        }
        guard let operations = value["key_ops"] else { return true }
        guard case .array(let names) = operations else { return false }
        return names.contains(.string(Array("verify".utf8)))
    }

    private static func bytes(_ value: JSONValue?) -> [UInt8]? { value?.string.flatMap { Base64URL.decode($0) } }

    /// Base64urlUInt (RFC 7518, 2) without the zeros that some put before it (6.3.1.1).
    private static func number(_ value: JSONValue?) -> [UInt8]? { bytes(value).map { Array($0.drop { $0 == 0 }) } }

    /// Odd, of 2,048 bits at least (RFC 7518, 3.3), and of 8,192 at most: a check takes time that grows with the square.
    private static func isSound(modulus: [UInt8]) -> Bool {
        guard let first = modulus.first, let last = modulus.last, last & 1 == 1 else { return false }
        return (2_048...8_192).contains(modulus.count * 8 - first.leadingZeroBitCount)
    }

    /// Odd, of 3 at least, and of 32 bits at most: 65,537 is what there is, and a longer one only costs time.
    private static func isSound(exponent: [UInt8]) -> Bool {
        guard (1...4).contains(exponent.count), let last = exponent.last else { return false }
        return last & 1 == 1 && exponent != [1]
    }
}

/// RFC 7517, section 5.
package struct JSONWebKeySet {
    /// Keys, more than any server has at once; and bytes.
    package static let (most, largest) = (256, 524_288)

    /// Those that verify something here.
    package let keys: [JSONWebKey]
    /// `kid` of the others: a token that names one of them has not to wait for newer keys.
    private let unsuitable: [[UInt8]]

    /// Nil if the body is no set of keys, has a member twice, or has more than `most` keys.
    ///
    /// Keys that serve for nothing here are left out.
    package init?(parsing body: [UInt8]) {
        guard case .array(let values)? = JSONValue(parsing: body)?["keys"], values.count <= Self.most else {
            return nil
        }
        keys = values.compactMap(JSONWebKey.init)
        unsuitable = values.filter { JSONWebKey($0) == nil }.compactMap { $0["kid"]?.string }
    }

    /// The one that the token names (`kid`), else the only one that fits.
    ///
    /// Keys are tried one at a time and never in turns (OpenID Connect Core 1.0, 10.1).
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
