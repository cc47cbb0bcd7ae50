/// Checks signatures by public keys; a library of cryptography does it.
package protocol SignatureVerifier {
    /// Whether the signature is the key's: RS256 (RFC 7518, 3.3).
    ///
    /// - Parameters:
    ///   - signature: as many bytes as the modulus has.
    ///   - message: what was signed.
    ///   - modulus: a number, the highest byte first.
    ///   - exponent: a number, the highest byte first.
    /// - Returns: nil if these numbers are no RSA key that anybody should trust.
    func verifiesRS256(
        _ signature: [UInt8], of message: [UInt8], modulus: [UInt8], exponent: [UInt8]
    ) -> Bool?

    /// Whether the signature is the key's: ES256 (RFC 7518, 3.4).
    ///
    /// - Parameters:
    ///   - signature: R and S, 32 bytes each.
    ///   - message: what was signed.
    ///   - x: 32 bytes.
    ///   - y: 32 bytes.
    /// - Returns: nil if there is no such point on the curve P-256.
    func verifiesES256(_ signature: [UInt8], of message: [UInt8], x: [UInt8], y: [UInt8]) -> Bool?

    /// The SHA-256 digest of a message, 32 bytes.
    func sha256(_ message: UnsafeRawBufferPointer) -> [UInt8]
}
