/// Why a file is not a private key that can sign here.
package enum PrivateKeyError: Error, Equatable {
    /// It contains no key in PEM (RFC 7468), or a damaged one.
    case malformed
    /// The key has a passphrase, for which there is no prompt.
    case encrypted
    /// It has the public half only.
    case publicKey
    /// It has more than one private key.
    case severalKeys
    /// A key of another kind, such as Ed25519, DSA or OpenSSH's own form; named as in libcrypto or the file.
    case unsupportedKind(String)
    /// A key on a curve other than P-256, with libcrypto's name for it, empty if it has none.
    case unsupportedCurve(String)
    /// An RSA key with this number of bits: fewer than 2,048, or more than 8,192.
    case unsupportedSize(bits: Int)
    /// The private and the public half do not match.
    case inconsistent
}
