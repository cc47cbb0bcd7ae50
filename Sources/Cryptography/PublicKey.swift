internal import CLibcrypto
package import CredentialCore
package import Providers

struct PublicKey: ~Copyable {
    private let key: KeyPair

    /// Returns `nil` for unsuitable numbers.
    ///
    /// A modulus of less than 2,048 bits can be broken, and one of more than 8,192 only costs time. Even numbers are
    /// invalid. An exponent of 1 would make every signature valid.
    init?(modulus: [UInt8], exponent: [UInt8], for algorithm: SignatureAlgorithm) {
        defer { ERR_clear_error() }
        guard let n = LibcryptoObject.number(modulus), let e = LibcryptoObject.number(exponent),
            (2_048...8_192).contains(BN_num_bits(n.pointer)), BN_is_odd(n.pointer) == 1,
            (2...32).contains(BN_num_bits(e.pointer)), BN_is_odd(e.pointer) == 1, let key = Self.rsa(n, e)
        else { return nil }
        self.key = KeyPair(key: key, algorithm: algorithm)
    }

    /// Returns `nil` if the point is not on the curve.
    init?(on curve: JSONWebKey.Curve, x: [UInt8], y: [UInt8], for algorithm: SignatureAlgorithm) {
        defer { ERR_clear_error() }
        guard x.count == curve.size, y.count == curve.size, let key = Self.key(on: curve, point: [4] + x + y) else {
            return nil
        }
        self.key = KeyPair(key: key, algorithm: algorithm)
    }

    /// Returns `nil` if libcrypto lacks the curve, as under FIPS 140.
    init?(ed25519 point: [UInt8]) {
        defer { ERR_clear_error() }
        guard point.count == 32,
            let key = LibcryptoObject(gitspace_ed25519_key(point, point.count), freedBy: EVP_PKEY_free)
        else { return nil }
        self.key = KeyPair(key: key, algorithm: .edDSA)
    }

    func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool { key.verifies(signature, of: message) }

    private static func rsa(_ n: borrowing LibcryptoObject, _ e: borrowing LibcryptoObject) -> LibcryptoObject? {
        guard let builder = LibcryptoObject(OSSL_PARAM_BLD_new(), freedBy: OSSL_PARAM_BLD_free),
            let numbers = gitspace_rsa_numbers(builder.pointer, n.pointer, e.pointer)
        else { return nil }
        defer { OSSL_PARAM_free(numbers) }
        var key: OpaquePointer?
        guard let context = LibcryptoObject(gitspace_rsa_context(), freedBy: EVP_PKEY_CTX_free),
            EVP_PKEY_fromdata_init(context.pointer) == 1,
            EVP_PKEY_fromdata(context.pointer, &key, Int32(GITSPACE_PUBLIC_KEY), numbers) == 1
        else { return nil }
        return LibcryptoObject(key, freedBy: EVP_PKEY_free)
    }

    /// Returns `nil` if the point is compressed (SEC 1, 2.3.3) or not on the curve.
    private static func key(on curve: JSONWebKey.Curve, point: [UInt8]) -> LibcryptoObject? {
        var made: OpaquePointer?
        guard let context = LibcryptoObject(gitspace_curve_context(Int32(curve.size)), freedBy: EVP_PKEY_CTX_free),
            EVP_PKEY_paramgen(context.pointer, &made) == 1, let key = LibcryptoObject(made, freedBy: EVP_PKEY_free),
            EVP_PKEY_set1_encoded_public_key(key.pointer, point, point.count) == 1,
            let check = LibcryptoObject(EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil), freedBy: EVP_PKEY_CTX_free),
            EVP_PKEY_public_check(check.pointer) == 1
        else { return nil }
        return key
    }
}

package struct LibcryptoVerifier: SignatureVerifier {
    package init() {}

    package func verifies(
        _ signature: [UInt8], of message: [UInt8], with key: JSONWebKey.Numbers, by algorithm: SignatureAlgorithm
    ) -> Bool? {
        switch key {
        case .rsa(let modulus, let exponent):
            guard let key = PublicKey(modulus: modulus, exponent: exponent, for: algorithm) else { return nil }
            return key.verifies(signature, of: message)
        case .point(let curve, let x, let y):
            guard let key = PublicKey(on: curve, x: x, y: y, for: algorithm) else { return nil }
            return key.verifies(signature, of: message)
        case .ed25519(let point):
            guard let key = PublicKey(ed25519: point) else { return nil }
            return key.verifies(signature, of: message)
        }
    }

    package func digest(of secret: Secret, by hash: SignatureAlgorithm.Hash) -> [UInt8]? {
        defer { ERR_clear_error() }
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        let result = secret.reveal { EVP_Digest($0.baseAddress, $0.count, &digest, &count, hash.function, nil) }
        return result == 1 ? Array(digest.prefix(Int(count))) : nil
    }
}

extension SignatureAlgorithm.Hash {
    var function: OpaquePointer? {
        switch self {
        case .sha256: EVP_sha256()
        case .sha384: EVP_sha384()
        case .sha512: EVP_sha512()
        }
    }
}

/// Converts ECDSA signatures to and from DER.
///
/// Tokens contain R and S one after the other, each as long as the curve's numbers (RFC 7518, 3.4); libcrypto needs DER
/// (RFC 3279, 2.2.3).
enum ECDSASignature {
    /// Returns `nil` if the length is wrong or one of the numbers is 0.
    static func der(fromRaw raw: [UInt8], on curve: JSONWebKey.Curve) -> [UInt8]? {
        let (half, numberBytes) = (curve.size, Int32(curve.size))
        guard raw.count == 2 * half, let signature = LibcryptoObject(ECDSA_SIG_new(), freedBy: ECDSA_SIG_free),
            let r = BN_bin2bn(Array(raw[..<half]), numberBytes, nil)
        else { return nil }
        guard let s = BN_bin2bn(Array(raw[half...]), numberBytes, nil) else {
            BN_free(r)
            return nil
        }
        // The signature owns both numbers now.
        guard ECDSA_SIG_set0(signature.pointer, r, s) == 1, BN_is_zero(r) == 0, BN_is_zero(s) == 0 else { return nil }
        let count = i2d_ECDSA_SIG(signature.pointer, nil)
        guard count > 0 else { return nil }
        var der = [UInt8](repeating: 0, count: Int(count))
        let written = der.withUnsafeMutableBufferPointer { buffer in
            var next = buffer.baseAddress
            return i2d_ECDSA_SIG(signature.pointer, &next)
        }
        return written == count ? der : nil
    }

    static func raw(fromDER der: [UInt8], on curve: JSONWebKey.Curve) -> [UInt8]? {
        let parsed = der.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            return d2i_ECDSA_SIG(nil, &next, buffer.count)
        }
        guard let signature = LibcryptoObject(parsed, freedBy: ECDSA_SIG_free) else { return nil }
        var raw: [UInt8] = []
        for number in [ECDSA_SIG_get0_r(signature.pointer), ECDSA_SIG_get0_s(signature.pointer)] {
            var bytes = [UInt8](repeating: 0, count: curve.size)
            guard BN_bn2binpad(number, &bytes, Int32(curve.size)) == curve.size else { return nil }
            raw += bytes
        }
        return raw
    }
}
