package import CredentialCore

/// A signature in the compact form (RFC 7515, 3.1 and 7.1): three parts in base64url, separated by dots.
///
/// Only `alg`, `kid`, `typ` and `crit` of the header are read. Keys in it (`jwk`, `jku`, `x5c`, `x5u`) are the signer's
/// own claim, and ignored (RFC 8725, 3.10).
package struct JSONWebSignature {
    package enum Part: Equatable { case header, payload, signature }

    /// The most bytes: an ID token with the person's groups has thousands.
    package static let longest = 32_768
    private static let longestHeader = 4_096
    package let algorithm: SignatureAlgorithm
    package let keyID: [UInt8]?
    package let type: [UInt8]?
    /// The payload, untrusted before `verify` has returned.
    package let payload: [UInt8]
    private let signature: [UInt8]
    private let signingInput: [UInt8]

    /// Parses a token without verifying it.
    package init(parsing text: [UInt8]) throws(JSONWebSignatureError) {
        guard text.count <= Self.longest else { throw .tooLong }
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count <= Self.longestHeader else { throw .notCompact }
        guard let header = Base64URL.decode(parts[0]) else { throw .notBase64URL(.header) }
        guard case .object(let members)? = JSONValue(parsing: header) else { throw .malformedHeader }
        guard let name = members["alg"] else { throw .refusedAlgorithm(nil) }
        guard let algorithm = name.string.flatMap(SignatureAlgorithm.init) else {
            throw .refusedAlgorithm(name.string.map { DisplayText(untrusted: $0) })
        }
        guard members["crit"] == nil else { throw .criticalExtension }
        func member(_ name: String) throws(JSONWebSignatureError) -> [UInt8]? {
            guard let value = members[name] else { return nil }
            guard let text = value.string else { throw .malformedHeader }
            return text
        }
        self.algorithm = algorithm
        keyID = try member("kid")
        type = try member("typ")
        guard let payload = Base64URL.decode(parts[1]) else { throw .notBase64URL(.payload) }
        guard let signature = Base64URL.decode(parts[2]) else { throw .notBase64URL(.signature) }
        guard algorithm.signatureLengths.contains(signature.count) else { throw .malformedSignature }
        self.payload = payload
        self.signature = signature
        signingInput = Array(text[..<parts[1].endIndex])
    }

    package func verify(with keys: JSONWebKeySet, by verifier: any SignatureVerifier) throws(JSONWebSignatureError) {
        let key = try keys.key(for: self)
        let isSigned = verifier.verifies(signature, of: signingInput, with: key.numbers, by: algorithm)
        guard let isSigned else { throw .invalidKey }
        guard isSigned else { throw .wrongSignature }
    }
}

/// An algorithm, named as in `alg` (RFC 7518, 3.1; RFC 8037, 3.1).
///
/// `none` is missing because it proves nothing, and HMACs (`HS256`) because anyone with the published key could make
/// them (RFC 8725, 2.1).
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
    /// EdDSA on the curve Ed25519 only.
    case edDSA = "EdDSA"

    /// Compares with letter case (RFC 7515, 4.1.1).
    init?(_ name: [UInt8]) {
        guard let algorithm = Self.allCases.first(where: { name.elementsEqual($0.rawValue.utf8) }) else { return nil }
        self = algorithm
    }

    package enum Scheme: Equatable {
        case pkcs1
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

    /// The lengths in bytes for an RSA key of 2,048 to 8,192 bits, or of R and S.
    fileprivate var signatureLengths: ClosedRange<Int> {
        switch scheme {
        case .pkcs1, .pss: 256...1_024
        case .ecdsa(let curve): 2 * curve.size...2 * curve.size
        case .edwards: 64...64
        }
    }

    package enum Hash {
        case sha256
        case sha384
        case sha512
    }

    /// The hash of the signature and of `at_hash` (OpenID Connect Core 1.0, 3.1.3.6); Ed25519 has it built in (RFC
    /// 8032, 5.1).
    package var hash: Hash {
        switch self {
        case .rs256, .ps256, .es256: .sha256
        case .rs384, .ps384, .es384: .sha384
        case .rs512, .ps512, .es512, .edDSA: .sha512
        }
    }
}

package protocol SignatureVerifier {
    /// Verifies by RFC 7518, 3.3 to 3.5, or RFC 8037, 3.1.
    ///
    /// The key must fit the algorithm; the signature must have the modulus's length, or be R and S in all of the
    /// curve's bytes.
    ///
    /// - Returns: `nil` if the library cannot use the numbers, or the point is not on the curve.
    func verifies(
        _ signature: [UInt8], of message: [UInt8], with key: JSONWebKey.Numbers, by algorithm: SignatureAlgorithm
    ) -> Bool?

    func digest(of secret: Secret, by hash: SignatureAlgorithm.Hash) -> [UInt8]?
}

package enum JSONWebSignatureError: Error, Equatable {
    case tooLong
    case notCompact
    /// The part that is not base64url, or not the canonical text of its bytes.
    case notBase64URL(JSONWebSignature.Part)
    /// The header is not a JSON object, or has a member twice or of the wrong type.
    case malformedHeader
    /// The algorithm is not accepted; `nil` if none is named.
    case refusedAlgorithm(DisplayText?)
    /// The token has a critical extension (`crit`, RFC 7515, 4.1.11); we support none.
    case criticalExtension
    /// The signature does not have its algorithm's form; for example, it is DER.
    case malformedSignature
    /// The key is not among the published ones; it may be newer.
    case unknownKey(DisplayText?)
    /// The token names no key, and several would fit.
    case ambiguousKey
    case unsuitableKey
    case invalidKey
    case wrongSignature
}

package protocol AssertionSigner {
    var algorithm: SignatureAlgorithm { get }

    /// Signs by RFC 7518, 3.3 and 3.4; returns `nil` if the library fails.
    func sign(_ message: [UInt8]) -> [UInt8]?
}

extension AssertionSigner {
    /// An assertion in the compact form of RFC 7515, section 3.1; `nil` if the signer fails.
    ///
    /// Anyone who has it can act as us until it expires.
    package func assertion(of claims: JSONValue, keyID: String? = nil) -> Secret? {
        var header: [String: JSONValue] = [
            "alg": .string(Array(algorithm.rawValue.utf8)), "typ": .string(Array("JWT".utf8)),
        ]
        header["kid"] = keyID.map { .string(Array($0.utf8)) }
        let dot = UInt8(ascii: ".")
        // The message is not secret without its signature.
        let message =
            JSONValue.object(header).serialized.reveal { Base64URL.encode($0) } + [dot]
            + claims.serialized.reveal { Base64URL.encode($0) }
        guard let signature = sign(message) else { return nil }
        var text = Secret.Builder()
        text.append(message)
        text.append(dot)
        text.append(Base64URL.encode(signature))
        return text.finish()
    }
}

package enum AssertionClaims {
    /// Seconds; servers refuse more than five minutes, and their clocks may be behind ours.
    private static let clientAuthenticationLifetime: Int64 = 180

    /// The registered claims of RFC 7519, section 4.1: `iss`, `sub`, `aud`, `jti`, `iat` and `exp`.
    ///
    /// Times are in seconds since 1970; whole numbers, since some servers refuse others.
    package static func registered(
        issuer: String, subject: String? = nil, audience: String? = nil, identifier: [UInt8]? = nil, issuedAt: Int64,
        expiresAt: Int64
    ) -> JSONValue {
        var members: [String: JSONValue] = ["iat": .number(String(issuedAt)), "exp": .number(String(expiresAt))]
        for (name, text) in [("iss", issuer), ("sub", subject), ("aud", audience)] {
            members[name] = text.map { .string(Array($0.utf8)) }
        }
        members["jti"] = identifier.map(JSONValue.string)
        return .object(members)
    }

    /// The claims of `private_key_jwt` (RFC 7523, section 3), for one request: a server may refuse an assertion that it
    /// has seen.
    ///
    /// The audience is the issuer or the endpoint; servers differ. `now` is in seconds since 1970.
    package static func clientAuthentication(clientID: String, audience: String, now: Int64) -> JSONValue {
        registered(
            issuer: clientID, subject: clientID, audience: audience, identifier: Base64URL.random(bytes: 16),
            issuedAt: now, expiresAt: now + clientAuthenticationLifetime)
    }
}

package enum SigningKeyError: Error, Equatable {
    case absent
    case unreadable
    /// The path leads to no regular file, or to one that is too long for a key.
    case notAFile
    /// A relative path would name another file in every folder, repositories included.
    case relativePath
    /// The key is given by a systemd credential's name, but `$CREDENTIALS_DIRECTORY` is not set.
    case noCredentialsDirectory
    case symbolicLink
    case foreignOwner
    case accessibleToOthers
    /// The folder in which other users can replace the file.
    case folderOfOthers(DisplayText)
    case encrypted
    case publicKey
    case severalKeys
    /// The file has no key in PEM (RFC 7468), or a damaged one.
    case malformed
    /// A kind of key that is not supported, named as in libcrypto or the file: `EC`, `ED25519`.
    case unsupportedKind(DisplayText)
    /// An RSA key of fewer than 2,048 bits, or more than 8,192.
    case unsupportedSize(bits: Int)
    case signing
}
