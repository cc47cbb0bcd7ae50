package import CredentialCore

/// An assertion in the compact form of RFC 7515, section 3.1.
package struct SignedAssertion {
    /// The text; anyone who has it can act as us until it expires.
    package let text: Secret

    /// Returns `nil` if the signer fails.
    package init?(_ claims: AssertionClaims, keyID: String? = nil, by signer: any AssertionSigner) {
        var header: [String: JSONValue] = [
            "alg": .string(Array(signer.algorithm.rawValue.utf8)), "typ": .string(Array("JWT".utf8)),
        ]
        header["kid"] = keyID.map { .string(Array($0.utf8)) }
        let dot = UInt8(ascii: ".")
        // The message is not secret without its signature.
        let message =
            JSONValue.object(header).serialized.reveal { Base64URL.encode($0) } + [dot]
            + claims.json.serialized.reveal { Base64URL.encode($0) }
        guard let signature = signer.sign(message) else { return nil }
        var text = Secret.Builder()
        text.append(message)
        text.append(dot)
        text.append(Base64URL.encode(signature))
        self.text = text.finish()
    }
}

/// The registered claims of RFC 7519, section 4.1: `iss`, `sub`, `aud`, `jti`, `iat` and `exp`.
package struct AssertionClaims: Equatable {
    package var issuer: String
    package var subject: String?
    package var audience: String?
    /// Unique to the assertion.
    package var identifier: String?
    /// Seconds since 1970.
    package var issuedAt: Int64
    /// Seconds since 1970.
    package var expiresAt: Int64

    package init(
        issuer: String, subject: String? = nil, audience: String? = nil, identifier: String? = nil, issuedAt: Int64,
        expiresAt: Int64
    ) {
        self.issuer = issuer
        self.subject = subject
        self.audience = audience
        self.identifier = identifier
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }

    /// Seconds; servers refuse more than five minutes, and their clocks may be behind ours.
    private static let clientAuthenticationLifetime: Int64 = 180

    /// The claims of `private_key_jwt` (RFC 7523, section 3), for one request: a server may refuse an assertion that it
    /// has seen.
    ///
    /// The audience is the issuer or the endpoint; servers differ. `now` is in seconds since 1970.
    package static func clientAuthentication(
        clientID: String, audience: String, now: Int64, using generator: inout some RandomNumberGenerator
    ) -> AssertionClaims {
        var random: [UInt8] = []
        for _ in 0..<16 { random.append(.random(in: .min ... .max, using: &generator)) }
        return AssertionClaims(
            issuer: clientID, subject: clientID, audience: audience,
            identifier: String(decoding: Base64URL.encode(random), as: UTF8.self), issuedAt: now,
            expiresAt: now + clientAuthenticationLifetime)
    }

    /// Times are whole numbers, since some servers refuse others.
    var json: JSONValue {
        var members: [String: JSONValue] = ["iat": .number(String(issuedAt)), "exp": .number(String(expiresAt))]
        for (name, text) in [("iss", issuer), ("sub", subject), ("aud", audience), ("jti", identifier)] {
            members[name] = text.map { .string(Array($0.utf8)) }
        }
        return .object(members)
    }
}

package protocol AssertionSigner {
    var algorithm: SignatureAlgorithm { get }

    /// Signs by RFC 7518, 3.3 and 3.4; returns `nil` if the library fails.
    func sign(_ message: [UInt8]) -> [UInt8]?
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
