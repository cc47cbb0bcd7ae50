package import CredentialCore
package import OAuth

/// What signs, and what checks signatures.
package struct Signatures {
    /// Checks what a server has signed.
    package var verifier: any SignatureVerifier
    /// Reads a private key by its path, or without a slash by the name of a systemd credential.
    package var key: (String) throws(SigningKeyError) -> any AssertionSigner

    package init(
        verifier: any SignatureVerifier, key: @escaping (String) throws(SigningKeyError) -> any AssertionSigner
    ) {
        self.verifier = verifier
        self.key = key
    }
}

/// Why there is no private key.
package enum SigningKeyError: Error, Equatable {
    /// There is no such file.
    case absent
    /// It cannot be read, or is no file.
    case unreadable
    /// The path is relative.
    case relativePath
    /// It was given by name, and systemd has handed no credentials to this process.
    case noCredentialsDirectory
    /// What is at the path is a symbolic link.
    case symbolicLink
    /// It belongs to somebody else.
    case foreignOwner
    /// Others may read or change it.
    case accessibleToOthers
    /// Nothing in it is a private key.
    case malformed
    /// The key has a passphrase.
    case encrypted
    /// It has more than one private key.
    case severalKeys
    /// The key is of a kind, on a curve or of a size that is not used here; what it is.
    case unsupported(DisplayText)
}
