package import CredentialCore

/// Why the private key with which this machine signs cannot be used.
package enum SigningKeyError: Error, Equatable {
    /// There is no such file.
    case absent
    /// The file cannot be read.
    case unreadable
    /// It is something else than a file, or too long for a key.
    case notAFile
    /// The path is relative, so that it would lead to another file in every folder.
    case relativePath
    /// A systemd credential is named, and systemd has given this process none.
    case noCredentialsDirectory
    /// The path leads elsewhere.
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
    /// It is no key, or a damaged one.
    case malformed
    /// The key is of another kind than is wanted: `EC`, `ED25519`.
    case unsupportedKind(DisplayText)
    /// An RSA key of so many bits.
    case unsupportedSize(bits: Int)
    /// The library of cryptography has failed to sign.
    case signing
}
