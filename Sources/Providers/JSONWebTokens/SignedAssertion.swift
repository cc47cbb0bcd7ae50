package import CredentialCore

/// An assertion in the compact form of RFC 7515, section 3.1.
package struct SignedAssertion {
    /// The text, with which anyone can act as us until it expires.
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

/// The registered claims of RFC 7519, section 4.1.
package struct AssertionClaims: Equatable {
    /// The claim `iss`.
    package var issuer: String
    /// The claim `sub`.
    package var subject: String?
    /// The claim `aud`.
    package var audience: String?
    /// The claim `jti`, unique to the assertion.
    package var identifier: String?
    /// The claim `iat`, in seconds since 1970.
    package var issuedAt: Int64
    /// The claim `exp`, in seconds since 1970.
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

    /// Seconds for one request; servers refuse more than five minutes, by a clock that may be behind ours.
    private static let clientAuthenticationLifetime: Int64 = 180

    /// The claims of `private_key_jwt` (RFC 7523, section 3).
    ///
    /// For one request: a server may refuse to see an assertion twice. The audience is the server's issuer or the very
    /// endpoint; servers differ. Time is in seconds since 1970.
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

    /// The JSON form; times are whole numbers, since some servers refuse others.
    var json: JSONValue {
        var members: [String: JSONValue] = ["iat": .number(String(issuedAt)), "exp": .number(String(expiresAt))]
        for (name, text) in [("iss", issuer), ("sub", subject), ("aud", audience), ("jti", identifier)] {
            members[name] = text.map { .string(Array($0.utf8)) }
        }
        return .object(members)
    }
}

/// A signer, which keeps the private key.
package protocol AssertionSigner {
    var algorithm: SignatureAlgorithm { get }

    /// Signs by RFC 7518, 3.3 and 3.4; returns `nil` if the library fails.
    func sign(_ message: [UInt8]) -> [UInt8]?
}

package enum SigningKeyError: Error, Equatable {
    case absent
    case unreadable
    /// The path is no regular file, or one too long for a key.
    case notAFile
    /// The path is relative, so it would name another file in every folder, repositories included.
    case relativePath
    /// The key was given by name, and systemd has passed no credentials to this process (`$CREDENTIALS_DIRECTORY`).
    case noCredentialsDirectory
    case symbolicLink
    case foreignOwner
    /// Others can read or change the file.
    case accessibleToOthers
    /// Others can replace the file.
    case folderOfOthers(DisplayText)
    /// The key has a passphrase.
    case encrypted
    case publicKey
    case severalKeys
    /// The file has no key in PEM (RFC 7468), a damaged one, or one whose halves do not match.
    case malformed
    /// The kind of key is not supported; named as in libcrypto or the file: `EC`, `ED25519`.
    case unsupportedKind(DisplayText)
    /// The RSA key has fewer than 2,048 bits, or more than 8,192.
    case unsupportedSize(bits: Int)
    /// The library failed.
    case signing
}
