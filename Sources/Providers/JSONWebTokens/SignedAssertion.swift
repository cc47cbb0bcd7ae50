package import CredentialCore

/// Claims with our signature, in the compact form of RFC 7515, section 3.1.
package struct SignedAssertion {
    /// The assertion: whoever has it is taken for us until it expires.
    package let text: Secret

    /// Signs claims.
    ///
    /// The result is nil if the signer has failed.
    ///
    /// - Parameters:
    ///   - claims: what is said.
    ///   - keyID: by what name the server knows the key (`kid`), if it knows more than one.
    ///   - signer: has the private key.
    package init?(_ claims: AssertionClaims, keyID: String? = nil, by signer: any AssertionSigner) {
        var header: [String: JSONValue] = [
            "alg": .string(Array(signer.algorithm.utf8)), "typ": .string(Array("JWT".utf8)),
        ]
        header["kid"] = keyID.map { .string(Array($0.utf8)) }
        let dot = UInt8(ascii: ".")
        var message = Base64URL.encode(JSONValue.object(header).serialized)
        message.append(dot)
        message += Base64URL.encode(claims.json.serialized)
        guard let signature = signer.sign(message) else { return nil }
        message.append(dot)
        message += Base64URL.encode(signature)
        text = Secret(message)
        message.wipe()
    }
}

/// What this client says of itself in an assertion that it signs: the registered claims of RFC 7519, section 4.1.
package struct AssertionClaims: Equatable {
    /// Who says it (`iss`).
    package var issuer: String
    /// Of whom it is said (`sub`).
    package var subject: String?
    /// To whom (`aud`).
    package var audience: String?
    /// What no other assertion of ours has (`jti`).
    package var identifier: String?
    /// Seconds since 1970 (`iat`).
    package var issuedAt: Int64
    /// Seconds since 1970 (`exp`).
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

    /// For how long a client's assertion is good, in seconds: one request takes no longer.
    ///
    /// Servers refuse what lasts for more than five minutes, by a clock that may be behind ours.
    private static let clientAuthenticationLifetime: Int64 = 180

    /// A client that proves who it is (`private_key_jwt`): RFC 7523, section 3.
    ///
    /// - Parameters:
    ///   - clientID: the client's.
    ///   - audience: the server's issuer or the very endpoint that is asked; servers differ.
    ///   - now: seconds since 1970.
    ///   - generator: makes the assertion one that was never seen before; the system's, except in tests.
    /// - Returns: the claims of an assertion for one request: a server may refuse to see it twice.
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

    /// As they stand in the assertion; times are whole numbers, since some servers refuse any other.
    var json: JSONValue {
        var members: [String: JSONValue] = ["iat": .number(String(issuedAt)), "exp": .number(String(expiresAt))]
        for (name, text) in [("iss", issuer), ("sub", subject), ("aud", audience), ("jti", identifier)] {
            members[name] = text.map { .string(Array($0.utf8)) }
        }
        return .object(members)
    }
}

/// Signs with a private key that it keeps to itself; a library of cryptography does it.
package protocol AssertionSigner {
    /// The `alg` that the key is for: `RS256` or `ES256` (RFC 7518, 3.1).
    var algorithm: String { get }

    /// Signs a message.
    ///
    /// - Returns: the signature as RFC 7518, 3.3 and 3.4, wants it; nil if the library has failed.
    func sign(_ message: [UInt8]) -> [UInt8]?
}

/// Why the private key with which this machine signs cannot be used.
package enum SigningKeyError: Error, Equatable {
    /// There is no such file.
    case absent
    /// The file cannot be read.
    case unreadable
    /// It is something else than a file, or too long for a key.
    case notAFile
    /// The path is relative: it would lead to another file in every folder, repositories included.
    case relativePath
    /// It was given by name, and systemd has passed no credentials to this process (`$CREDENTIALS_DIRECTORY`).
    case noCredentialsDirectory
    /// The path leads elsewhere: the file is a symbolic link.
    case symbolicLink
    /// The file belongs to somebody else.
    case foreignOwner
    /// Others may read or change the file.
    case accessibleToOthers
    /// Others may put another file in its place, in this folder.
    case folderOfOthers(DisplayText)
    /// The key has a passphrase.
    case encrypted
    /// It is the public half of a key.
    case publicKey
    /// It has more than one key.
    case severalKeys
    /// It is no key in PEM (RFC 7468), or a damaged one, or one whose halves do not match.
    case malformed
    /// The key is of another kind than is wanted, named as in libcrypto or the file: `EC`, `ED25519`.
    case unsupportedKind(DisplayText)
    /// An RSA key of so many bits: fewer than 2,048, or more than 8,192.
    case unsupportedSize(bits: Int)
    /// The library of cryptography has failed to sign.
    case signing
}
