package import CredentialCore

/// The compact form of RFC 7515, section 3.1.
package struct SignedAssertion {
    /// Whoever has it is taken for us until it expires.
    package let text: Secret

    /// Nil if the signer has failed.
    package init?(_ claims: AssertionClaims, keyID: String? = nil, by signer: any AssertionSigner) {
        var header: [String: JSONValue] = [
            "alg": .string(Array(signer.algorithm.rawValue.utf8)), "typ": .string(Array("JWT".utf8)),
        ]
        header["kid"] = keyID.map { .string(Array($0.utf8)) }
        let dot = UInt8(ascii: ".")
        // Without the signature, it is good for nothing.
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

/// The registered claims of RFC 7519, section 4.1.
package struct AssertionClaims: Equatable {
    /// `iss`.
    package var issuer: String
    /// `sub`.
    package var subject: String?
    /// `aud`.
    package var audience: String?
    /// `jti`; no other assertion of ours has it.
    package var identifier: String?
    /// `iat`, in seconds since 1970.
    package var issuedAt: Int64
    /// `exp`, in seconds since 1970.
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

    /// In seconds: one request takes no longer.
    ///
    /// Servers refuse what lasts for more than five minutes, by a clock that may be behind ours.
    private static let clientAuthenticationLifetime: Int64 = 180

    /// `private_key_jwt`: RFC 7523, section 3.
    ///
    /// For one request: a server may refuse to see an assertion twice. The audience is the server's issuer or the very
    /// endpoint that is asked; servers differ. Time is in seconds since 1970.
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

    /// Times are whole numbers, since some servers refuse any other.
    var json: JSONValue {
        var members: [String: JSONValue] = ["iat": .number(String(issuedAt)), "exp": .number(String(expiresAt))]
        for (name, text) in [("iss", issuer), ("sub", subject), ("aud", audience), ("jti", identifier)] {
            members[name] = text.map { .string(Array($0.utf8)) }
        }
        return .object(members)
    }
}

/// The private key stays with the signer; a library of cryptography does it.
package protocol AssertionSigner {
    var algorithm: SignatureAlgorithm { get }

    /// As RFC 7518, 3.3 and 3.4, wants it; nil if the library has failed.
    func sign(_ message: [UInt8]) -> [UInt8]?
}

package enum SigningKeyError: Error, Equatable {
    case absent
    case unreadable
    /// Or too long for a key.
    case notAFile
    /// It would lead to another file in every folder, repositories included.
    case relativePath
    /// The key was given by name, and systemd has passed no credentials to this process (`$CREDENTIALS_DIRECTORY`).
    case noCredentialsDirectory
    case symbolicLink
    case foreignOwner
    /// To read or to change.
    case accessibleToOthers
    /// Others may put another file in its place.
    case folderOfOthers(DisplayText)
    /// With a passphrase.
    case encrypted
    case publicKey
    case severalKeys
    /// No key in PEM (RFC 7468), or a damaged one, or one whose halves do not match.
    case malformed
    /// Named as in libcrypto or the file: `EC`, `ED25519`.
    case unsupportedKind(DisplayText)
    /// RSA: fewer than 2,048, or more than 8,192.
    case unsupportedSize(bits: Int)
    /// In the library of cryptography.
    case signing
}
