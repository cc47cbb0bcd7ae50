internal import CLibcrypto

/// Checks signatures with published keys: RFC 7518, section 3.
package struct LibcryptoVerifier {
    package init() {}

    /// RS256; nil if these numbers are not an RSA key that can be trusted.
    package func verifiesRS256(
        _ signature: [UInt8], of message: [UInt8], modulus: [UInt8], exponent: [UInt8]
    ) -> Bool? {
        guard let key = PublicKey(modulus: modulus, exponent: exponent) else { return nil }
        return key.verifies(signature, of: message)
    }

    /// ES256; nil if there is no such point on the curve P-256.
    package func verifiesES256(_ signature: [UInt8], of message: [UInt8], x: [UInt8], y: [UInt8]) -> Bool? {
        guard let key = PublicKey(x: x, y: y) else { return nil }
        return key.verifies(signature, of: message)
    }

    /// The SHA-256 digest of a message; empty, which equals no digest, if libcrypto has failed.
    package func sha256(_ message: UnsafeRawBufferPointer) -> [UInt8] {
        defer { ERR_clear_error() }
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard EVP_Digest(message.baseAddress, message.count, &digest, &count, EVP_sha256(), nil) == 1 else { return [] }
        return Array(digest[..<Int(count)])
    }
}
