/// Signs with a private key that it keeps to itself; a library of cryptography does it.
package protocol AssertionSigner {
    /// The `alg` that the key is for: `RS256` or `ES256` (RFC 7518, 3.1).
    var algorithm: String { get }

    /// Signs a message.
    ///
    /// - Returns: the signature as RFC 7518, 3.3 and 3.4, wants it; nil if the library has failed.
    func sign(_ message: [UInt8]) -> [UInt8]?
}
