/// Why a file is no private key that can sign here.
package enum PrivateKeyError: Error, Equatable {
    /// Nothing in it is a key in PEM (RFC 7468), or what is there is damaged.
    case malformed
    /// The key has a passphrase, which nobody is there to type.
    case encrypted
    /// It has the public half only.
    case publicKey
    /// It has more than one private key.
    case severalKeys
    /// A key of another kind, such as Ed25519, DSA or OpenSSH's own form; libcrypto's or the file's word for it.
    case unsupportedKind(String)
    /// A key on another curve than P-256; libcrypto's word for it, empty if it has no name.
    case unsupportedCurve(String)
    /// An RSA key of so many bits: fewer than 2,048, or more than 8,192.
    case unsupportedSize(bits: Int)
    /// The two halves of the key do not belong together.
    case inconsistent
}
