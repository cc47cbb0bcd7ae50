internal import CLibcrypto
package import CredentialCore
package import Providers

package struct LibcryptoVerifier: SignatureVerifier {
    package init() {}

    package func verifies(
        _ signature: [UInt8], of message: [UInt8], with numbers: JSONWebKey.Numbers, by algorithm: SignatureAlgorithm
    ) -> Bool? {
        defer { ERR_clear_error() }
        guard let key = Self.key(numbers) else { return nil }
        return key.verifies(signature, of: message, by: algorithm)
    }

    package func digest(of secret: Secret, by hash: SignatureAlgorithm.Hash) -> [UInt8]? {
        defer { ERR_clear_error() }
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        let result = secret.reveal { EVP_Digest($0.baseAddress, $0.count, &digest, &count, hash.function, nil) }
        return result == 1 ? Array(digest.prefix(Int(count))) : nil
    }

    private static func key(_ numbers: JSONWebKey.Numbers) -> LibcryptoKey? {
        switch numbers {
        case .rsa(let modulus, let exponent): return rsa(modulus, exponent)
        case .point(let curve, let x, let y): return key(on: curve, point: [4] + x + y)
        // Under FIPS 140, libcrypto lacks the curve.
        case .ed25519(let point): return LibcryptoKey(gitspace_ed25519_key(point, point.count))
        }
    }

    private static func rsa(_ modulus: [UInt8], _ exponent: [UInt8]) -> LibcryptoKey? {
        guard let n = LibcryptoObject(BN_bin2bn(modulus, Int32(clamping: modulus.count), nil), freedBy: BN_free),
            let e = LibcryptoObject(BN_bin2bn(exponent, Int32(clamping: exponent.count), nil), freedBy: BN_free),
            let builder = LibcryptoObject(OSSL_PARAM_BLD_new(), freedBy: OSSL_PARAM_BLD_free),
            let numbers = gitspace_rsa_numbers(builder.pointer, n.pointer, e.pointer)
        else { return nil }
        defer { OSSL_PARAM_free(numbers) }
        var key: OpaquePointer?
        guard let context = LibcryptoObject(gitspace_rsa_context(), freedBy: EVP_PKEY_CTX_free),
            EVP_PKEY_fromdata_init(context.pointer) == 1,
            EVP_PKEY_fromdata(context.pointer, &key, Int32(GITSPACE_PUBLIC_KEY), numbers) == 1
        else { return nil }
        return LibcryptoKey(key)
    }

    /// Returns `nil` if the point is compressed (SEC 1, 2.3.3) or not on the curve.
    private static func key(on curve: JSONWebKey.Curve, point: [UInt8]) -> LibcryptoKey? {
        var made: OpaquePointer?
        guard let context = LibcryptoObject(gitspace_curve_context(Int32(curve.size)), freedBy: EVP_PKEY_CTX_free),
            EVP_PKEY_paramgen(context.pointer, &made) == 1, let key = LibcryptoKey(made),
            EVP_PKEY_set1_encoded_public_key(key.pointer, point, point.count) == 1,
            let check = LibcryptoObject(EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil), freedBy: EVP_PKEY_CTX_free),
            EVP_PKEY_public_check(check.pointer) == 1
        else { return nil }
        return key
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

/// Owns a libcrypto object of any class.
///
/// libcrypto and libcurl use the machine's configuration (openssl.cnf, `OPENSSL_CONF`), which is the administrator's
/// policy.
struct LibcryptoObject: ~Copyable {
    /// The object, valid as long as its owner exists.
    let pointer: OpaquePointer
    private let release: @convention(c) (OpaquePointer?) -> Void

    /// Returns `nil` for a null pointer; `release` frees objects of this class.
    init?(_ pointer: OpaquePointer?, freedBy release: @escaping @convention(c) (OpaquePointer?) -> Void) {
        guard let pointer else { return nil }
        self.pointer = pointer
        self.release = release
    }

    deinit { release(pointer) }
}

/// Owns an `EVP_PKEY`, a key pair or a public half.
struct LibcryptoKey: ~Copyable {
    private let object: LibcryptoObject
    var pointer: OpaquePointer { object.pointer }

    /// Returns `nil` for a null pointer.
    init?(_ pointer: OpaquePointer?) {
        guard let object = LibcryptoObject(pointer, freedBy: EVP_PKEY_free) else { return nil }
        self.object = object
    }

    /// Returns a signature, or `nil` if this is a public half or libcrypto fails.
    func sign(_ message: [UInt8], by algorithm: SignatureAlgorithm) -> [UInt8]? {
        defer { ERR_clear_error() }
        guard let context = LibcryptoObject(EVP_MD_CTX_new(), freedBy: EVP_MD_CTX_free),
            EVP_DigestSignInit(context.pointer, nil, algorithm.hash.function, nil, pointer) == 1
        else { return nil }
        var count = Int(EVP_PKEY_get_size(pointer))
        guard count > 0 else { return nil }
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSign(context.pointer, &signature, &count, message, message.count) == 1 else { return nil }
        signature.removeLast(signature.count - count)
        guard case .ecdsa(let curve) = algorithm.scheme else { return signature }
        return ECDSASignature.raw(fromDER: signature, on: curve)
    }

    func verifies(_ signature: [UInt8], of message: [UInt8], by algorithm: SignatureAlgorithm) -> Bool {
        var encoded = signature
        if case .ecdsa(let curve) = algorithm.scheme {
            guard let der = ECDSASignature.der(fromRaw: signature, on: curve) else { return false }
            encoded = der
        }
        // Ed25519 includes its own hash function.
        let function = algorithm.scheme == .edwards ? nil : algorithm.hash.function
        var settings: OpaquePointer?
        guard let context = LibcryptoObject(EVP_MD_CTX_new(), freedBy: EVP_MD_CTX_free),
            EVP_DigestVerifyInit(context.pointer, &settings, function, nil, pointer) == 1,
            Self.setsPadding(settings, of: algorithm)
        else { return false }
        return EVP_DigestVerify(context.pointer, encoded, encoded.count, message, message.count) == 1
    }

    /// Sets the padding of an RSA signature (RFC 7518, 3.5).
    ///
    /// A PSS salt is as long as the digest; libcrypto's second hash function is the same as the first.
    private static func setsPadding(_ settings: OpaquePointer?, of algorithm: SignatureAlgorithm) -> Bool {
        switch algorithm.scheme {
        case .pkcs1: EVP_PKEY_CTX_set_rsa_padding(settings, RSA_PKCS1_PADDING) == 1
        case .pss:
            EVP_PKEY_CTX_set_rsa_padding(settings, RSA_PKCS1_PSS_PADDING) == 1
                && EVP_PKEY_CTX_set_rsa_pss_saltlen(settings, RSA_PSS_SALTLEN_DIGEST) == 1
        case .ecdsa, .edwards: true
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
