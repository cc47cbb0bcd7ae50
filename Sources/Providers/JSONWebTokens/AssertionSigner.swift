package import CredentialCore

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
