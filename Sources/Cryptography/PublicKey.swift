internal import CLibcrypto
package import Providers

/// Made from published numbers.
struct PublicKey: ~Copyable {
    private let key: KeyPair

    /// Nil for a modulus of less than 2,048 bits, which can be broken, or of more than 8,192, which only costs time;
    /// and for an even number, or an exponent of 1, which would make every signature valid.
    init?(modulus: [UInt8], exponent: [UInt8]) {
        defer { ERR_clear_error() }
        guard let n = LibcryptoObject.number(modulus), let e = LibcryptoObject.number(exponent),
            (2_048...8_192).contains(BN_num_bits(n.pointer)), BN_is_odd(n.pointer) == 1,
            (2...32).contains(BN_num_bits(e.pointer)), BN_is_odd(e.pointer) == 1,
            let key = Self.rsa(n, e)
        else { return nil }
        self.key = KeyPair(key, .rs256)
    }

    /// On the curve P-256; nil if the point is not on it.
    init?(x: [UInt8], y: [UInt8]) {
        defer { ERR_clear_error() }
        guard x.count == 32, y.count == 32, let key = Self.p256(point: [4] + x + y) else { return nil }
        self.key = KeyPair(key, .es256)
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

    /// Nil unless the point is uncompressed (SEC 1, 2.3.3) and on the curve.
    private static func p256(point: [UInt8]) -> LibcryptoObject? {
        var made: OpaquePointer?
        guard let context = LibcryptoObject(gitspace_p256_context(), freedBy: EVP_PKEY_CTX_free),
            EVP_PKEY_paramgen(context.pointer, &made) == 1,
            let key = LibcryptoObject(made, freedBy: EVP_PKEY_free),
            EVP_PKEY_set1_encoded_public_key(key.pointer, point, point.count) == 1,
            let check = LibcryptoObject(EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil), freedBy: EVP_PKEY_CTX_free),
            EVP_PKEY_public_check(check.pointer) == 1
        else { return nil }
        return key
    }
}

/// RFC 7518, section 3.
package struct LibcryptoVerifier: SignatureVerifier {
    package init() {}

    package func verifies(
        _ signature: [UInt8], of message: [UInt8], with key: JSONWebKey.Numbers
    ) -> Bool? {
        switch key {
        case .rsa(let modulus, let exponent):
            guard let key = PublicKey(modulus: modulus, exponent: exponent) else { return nil }
            return key.verifies(signature, of: message)
        case .p256(let x, let y):
            guard let key = PublicKey(x: x, y: y) else { return nil }
            return key.verifies(signature, of: message)
        }
    }
}

/// An ECDSA signature on the curve P-256 in two forms: R and S one after the other, 32 bytes each (RFC 7518, 3.4), as
/// in tokens; and DER (RFC 3279, 2.2.3), as in libcrypto.
enum ECDSASignature {
    private static let numberBytes: Int32 = 32

    /// Nil unless the signature has 64 bytes and both numbers are nonzero, as in every signature.
    static func der(fromRaw raw: [UInt8]) -> [UInt8]? {
        let half = Int(numberBytes)
        guard raw.count == 2 * half,
            let signature = LibcryptoObject(ECDSA_SIG_new(), freedBy: ECDSA_SIG_free),
            let r = BN_bin2bn(Array(raw[..<half]), numberBytes, nil)
        else { return nil }
        guard let s = BN_bin2bn(Array(raw[half...]), numberBytes, nil) else {
            BN_free(r)
            return nil
        }
        // From here on the signature owns both numbers.
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

    static func raw(fromDER der: [UInt8]) -> [UInt8]? {
        let parsed = der.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            return d2i_ECDSA_SIG(nil, &next, buffer.count)
        }
        guard let signature = LibcryptoObject(parsed, freedBy: ECDSA_SIG_free) else { return nil }
        var raw: [UInt8] = []
        for number in [ECDSA_SIG_get0_r(signature.pointer), ECDSA_SIG_get0_s(signature.pointer)] {
            var bytes = [UInt8](repeating: 0, count: Int(numberBytes))
            guard BN_bn2binpad(number, &bytes, numberBytes) == numberBytes else { return nil }
            raw += bytes
        }
        return raw
    }
}
