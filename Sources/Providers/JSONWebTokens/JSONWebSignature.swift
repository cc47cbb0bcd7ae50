package import CredentialCore

/// The compact form, RFC 7515, sections 3.1 and 7.1: three parts in base64url with dots between them.
///
/// Of the header only `alg`, `kid`, `typ` and `crit` are read. What it says of keys (`jwk`, `jku`, `x5c`, `x5u`) is the
/// signer's own word and counts for nothing (RFC 8725, 3.10).
package struct JSONWebSignature {
    package enum Part: Equatable { case header, payload, signature }

    /// In bytes: an ID token with the person's groups in it has thousands.
    package static let longest = 32_768
    private static let longestHeader = 4_096

    package let algorithm: SignatureAlgorithm
    /// `kid`: bytes to be compared, and nothing else.
    package let keyID: [UInt8]?
    /// `typ`.
    package let type: [UInt8]?
    /// Nobody's word before `verify` has returned.
    package let payload: [UInt8]
    private let signature: [UInt8]
    private let signingInput: [UInt8]

    /// The signature is still to be verified.
    package init(parsing text: [UInt8]) throws(JSONWebSignatureError) {
        guard text.count <= Self.longest else { throw .tooLong }
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count <= Self.longestHeader else { throw .notCompact }
        guard let header = Base64URL.decode(parts[0]) else { throw .notBase64URL(.header) }
        (algorithm, keyID, type) = try Self.read(header)
        guard let payload = Base64URL.decode(parts[1]) else { throw .notBase64URL(.payload) }
        guard let signature = Base64URL.decode(parts[2]) else { throw .notBase64URL(.signature) }
        guard algorithm.signatureLengths.contains(signature.count) else { throw .malformedSignature }
        self.payload = payload
        self.signature = signature
        signingInput = Array(text[..<parts[1].endIndex])
    }

    private static func read(
        _ header: [UInt8]
    ) throws(JSONWebSignatureError) -> (SignatureAlgorithm, keyID: [UInt8]?, type: [UInt8]?) {
        guard case .object(let members)? = JSONValue(parsing: header) else { throw .malformedHeader }
        guard let name = members["alg"] else { throw .refusedAlgorithm(nil) }
        guard let algorithm = name.string.flatMap(SignatureAlgorithm.init) else {
            throw .refusedAlgorithm(name.string.map { DisplayText(untrusted: $0) })
        }
        guard members["crit"] == nil else { throw .criticalExtension }
        func text(_ name: String) throws(JSONWebSignatureError) -> [UInt8]? {
            guard let value = members[name] else { return nil }
            guard let text = value.string else { throw .malformedHeader }
            return text
        }
        return (algorithm, try text("kid"), try text("typ"))
    }

    package func verify(
        with keys: JSONWebKeySet, by verifier: any SignatureVerifier
    ) throws(JSONWebSignatureError) {
        let key = try keys.key(for: self)
        let isSigned = verifier.verifies(signature, of: signingInput, with: key.numbers, by: algorithm)
        guard let isSigned else { throw .invalidKey }
        guard isSigned else { throw .wrongSignature }
    }
}

extension SignatureAlgorithm {
    /// In bytes: those of an RSA key of 2,048 to 8,192 bits; R and S.
    fileprivate var signatureLengths: ClosedRange<Int> {
        switch scheme {
        case .pkcs1, .pss: 256...1_024
        case .ecdsa(let curve): 2 * curve.size...2 * curve.size
        case .edwards: 64...64
        }
    }
}

/// RFC 7518, 3.1, and RFC 8037, 3.1, by their `alg`.
///
/// There are no others: `none` proves nothing, and an HMAC (`HS256`) is made with the same key that checks it, so that
/// everybody who can read the published keys could make one (RFC 8725, 2.1).
package enum SignatureAlgorithm: String, CaseIterable {
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    /// On the curve Ed25519, which is the one that servers have.
    case edDSA = "EdDSA"

    /// Letter case counts (RFC 7515, 4.1.1).
    init?(_ name: [UInt8]) {
        guard let algorithm = Self.allCases.first(where: { name.elementsEqual($0.rawValue.utf8) }) else { return nil }
        self = algorithm
    }

    package enum Scheme: Equatable {
        /// RSASSA-PKCS1-v1_5.
        case pkcs1
        /// RSASSA-PSS.
        case pss
        case ecdsa(JSONWebKey.Curve)
        case edwards
    }

    package var scheme: Scheme {
        switch self {
        case .rs256, .rs384, .rs512: .pkcs1
        case .ps256, .ps384, .ps512: .pss
        case .es256: .ecdsa(.p256)
        case .es384: .ecdsa(.p384)
        case .es512: .ecdsa(.p521)
        case .edDSA: .edwards
        }
    }

    package enum Hash {
        case sha256
        case sha384
        case sha512
    }

    /// That of `at_hash` as well (OpenID Connect Core 1.0, 3.1.3.6); Ed25519 has it within (RFC 8032, 5.1).
    package var hash: Hash {
        switch self {
        case .rs256, .ps256, .es256: .sha256
        case .rs384, .ps384, .es384: .sha384
        case .rs512, .ps512, .es512, .edDSA: .sha512
        }
    }
}

/// A library of cryptography does it.
package protocol SignatureVerifier {
    /// By RFC 7518, 3.3 to 3.5, or RFC 8037, 3.1: the signature has as many bytes as the modulus; or it is R and S, each in
    /// all of the curve's bytes. The key fits the algorithm.
    ///
    /// - Returns: nil if these numbers are no RSA key that anybody should trust, or if there is no such point on the curve.
    func verifies(
        _ signature: [UInt8], of message: [UInt8], with key: JSONWebKey.Numbers, by algorithm: SignatureAlgorithm
    ) -> Bool?

    /// Nil if the library has failed.
    func digest(of secret: Secret, by hash: SignatureAlgorithm.Hash) -> [UInt8]?
}

package enum JSONWebSignatureError: Error, Equatable {
    case tooLong
    /// Not three parts with a dot between them (RFC 7515, 3.1).
    case notCompact
    /// This part is no base64url, or not the only text of its bytes.
    case notBase64URL(JSONWebSignature.Part)
    /// No JSON object, with a member twice, or with one of the wrong type.
    case malformedHeader
    /// Its name, nil if it has none.
    case refusedAlgorithm(DisplayText?)
    /// It must be understood (`crit`, RFC 7515, 4.1.11), and none is.
    case criticalExtension
    /// Not of its algorithm's form, as one in DER.
    case malformedSignature
    /// Not among those published. It may be newer than they are.
    case unknownKey(DisplayText?)
    /// The token names none, and more than one of those published would fit.
    case ambiguousKey
    case unsuitableKey
    /// It consists of numbers that no key has.
    case invalidKey
    /// Somebody else signed it, or something else was signed.
    case wrongSignature
}
