internal import CLibcrypto
package import CredentialCore

/// A private key that signs tokens: RSA of 2,048 to 8,192 bits, or on the curve P-256.
package final class PrivateKey {
    /// The `alg` that it is used for (RFC 7518, 3.1).
    package let algorithm: String
    private let key: KeyPair

    /// Reads a key from the contents of a PEM file: PKCS #8, PKCS #1 (RSA) or SEC 1 (curves).
    ///
    /// - Throws: why it cannot be used to sign.
    package init(pem file: Secret) throws(PrivateKeyError) {
        defer { ERR_clear_error() }
        let (read, isWhole) = try PEMFile.privateKey(in: file).reveal { der in
            var next = der.baseAddress?.assumingMemoryBound(to: UInt8.self)
            let read = d2i_AutoPrivateKey(nil, &next, der.count)
            return (read, isWhole: UnsafeRawPointer(next) == der.baseAddress.map { $0 + der.count })
        }
        guard let read = LibcryptoObject(read, freedBy: EVP_PKEY_free), isWhole else { throw .malformed }
        let algorithm = try Self.algorithm(of: read)
        self.algorithm = algorithm.rawValue
        key = KeyPair(read, algorithm)
        // Every server would reject the signatures of a damaged key.
        let probe = Array("probe".utf8)
        guard let signature = key.sign(probe), key.verifies(signature, of: probe) else { throw .inconsistent }
    }

    /// Signs a message.
    ///
    /// - Returns: the signature in the form of RFC 7518, 3.3 and 3.4; nil if libcrypto has failed.
    package func sign(_ message: [UInt8]) -> [UInt8]? { key.sign(message) }

    /// The algorithm that a key is for.
    ///
    /// - Throws: why it cannot be used.
    private static func algorithm(of key: borrowing LibcryptoObject) throws(PrivateKeyError) -> KeyPair.Algorithm {
        if EVP_PKEY_is_a(key.pointer, "RSA") == 1 {
            let bits = Int(EVP_PKEY_get_bits(key.pointer))
            guard (2_048...8_192).contains(bits) else { throw .unsupportedSize(bits: bits) }
            return .rs256
        }
        guard EVP_PKEY_is_a(key.pointer, "EC") == 1 else {
            throw .unsupportedKind(EVP_PKEY_get0_type_name(key.pointer).map { String(cString: $0) } ?? "")
        }
        let curve = Self.curve(of: key)
        guard curve == SN_X9_62_prime256v1 else { throw .unsupportedCurve(curve) }
        return .es256
    }

    /// The name of a key's curve; empty if the key has explicit parameters, which RFC 5480, 2.1.1, forbids.
    private static func curve(of key: borrowing LibcryptoObject) -> String {
        var isSpelledOut: Int32 = 0
        guard EVP_PKEY_get_int_param(key.pointer, OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS, &isSpelledOut) == 1,
            isSpelledOut == 0
        else { return "" }
        var name = [CChar](repeating: 0, count: 64)
        var count = 0
        guard EVP_PKEY_get_group_name(key.pointer, &name, name.count, &count) == 1 else { return "" }
        return name.prefix(count).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}
