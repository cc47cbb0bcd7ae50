internal import CLibcrypto
package import CredentialCore
package import Providers

/// An RSA key of 2,048 to 8,192 bits, or a key on the curve P-256.
package final class PrivateKey: AssertionSigner {
    package let algorithm: SignatureAlgorithm
    private let key: KeyPair

    /// Reads a file by an absolute path, or a systemd credential by its name.
    package convenience init(named name: String) throws(SigningKeyError) {
        try self.init(pem: PrivateKeyFile.contents(of: name))
    }

    /// Parses the contents of a PEM file: PKCS #8, PKCS #1 (RSA) or SEC 1 (curves).
    package init(pem file: Secret) throws(SigningKeyError) {
        defer { ERR_clear_error() }
        let (read, isWhole) = try PEMFile.privateKey(in: file).reveal { der in
            var next = der.baseAddress?.assumingMemoryBound(to: UInt8.self)
            let read = d2i_AutoPrivateKey(nil, &next, der.count)
            return (read, isWhole: UnsafeRawPointer(next) == der.baseAddress.map { $0 + der.count })
        }
        guard let read = LibcryptoObject(read, freedBy: EVP_PKEY_free), isWhole else { throw .malformed }
        algorithm = try Self.algorithm(of: read)
        key = KeyPair(key: read, algorithm: algorithm)
        // Tests the key with one signature: servers would reject those of a damaged key.
        let probe = Array("probe".utf8)
        guard let signature = key.sign(probe), key.verifies(signature, of: probe) else { throw .malformed }
    }

    package func sign(_ message: [UInt8]) -> [UInt8]? { key.sign(message) }

    private static func algorithm(of key: borrowing LibcryptoObject) throws(SigningKeyError) -> SignatureAlgorithm {
        if EVP_PKEY_is_a(key.pointer, "RSA") == 1 {
            let bits = Int(EVP_PKEY_get_bits(key.pointer))
            guard (2_048...8_192).contains(bits) else { throw .unsupportedSize(bits: bits) }
            return .rs256
        }
        guard EVP_PKEY_is_a(key.pointer, "EC") == 1 else {
            let name = EVP_PKEY_get0_type_name(key.pointer).map { String(cString: $0) } ?? ""
            throw .unsupportedKind(DisplayText(untrusted: name.utf8))
        }
        guard Self.curve(of: key) == SN_X9_62_prime256v1 else { throw .unsupportedKind("EC") }
        return .es256
    }

    /// The curve's name; empty for explicit parameters, which RFC 5480, 2.1.1, forbids.
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

/// An `EVP_PKEY`, perhaps only the public half, and an algorithm that it suits.
struct KeyPair: ~Copyable {
    let key: LibcryptoObject
    let algorithm: SignatureAlgorithm

    /// Returns a signature, or `nil` if this is a public half or libcrypto fails.
    func sign(_ message: [UInt8]) -> [UInt8]? {
        defer { ERR_clear_error() }
        guard let context = LibcryptoObject.digestContext(),
            EVP_DigestSignInit(context.pointer, nil, algorithm.hash.function, nil, key.pointer) == 1
        else { return nil }
        var count = Int(EVP_PKEY_get_size(key.pointer))
        guard count > 0 else { return nil }
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSign(context.pointer, &signature, &count, message, message.count) == 1 else { return nil }
        signature.removeLast(signature.count - count)
        guard case .ecdsa(let curve) = algorithm.scheme else { return signature }
        return ECDSASignature.raw(fromDER: signature, on: curve)
    }

    func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        defer { ERR_clear_error() }
        var encoded = signature
        if case .ecdsa(let curve) = algorithm.scheme {
            guard let der = ECDSASignature.der(fromRaw: signature, on: curve) else { return false }
            encoded = der
        }
        // Ed25519 includes its own hash function.
        let function = algorithm.scheme == .edwards ? nil : algorithm.hash.function
        var settings: OpaquePointer?
        guard let context = LibcryptoObject.digestContext(),
            EVP_DigestVerifyInit(context.pointer, &settings, function, nil, key.pointer) == 1, setsPadding(settings)
        else { return false }
        return EVP_DigestVerify(context.pointer, encoded, encoded.count, message, message.count) == 1
    }

    /// Sets the padding of an RSA signature (RFC 7518, 3.5).
    ///
    /// A PSS salt is as long as the digest; libcrypto's second hash function is the same as the first.
    private func setsPadding(_ settings: OpaquePointer?) -> Bool {
        switch algorithm.scheme {
        case .pkcs1: EVP_PKEY_CTX_set_rsa_padding(settings, RSA_PKCS1_PADDING) == 1
        case .pss:
            EVP_PKEY_CTX_set_rsa_padding(settings, RSA_PKCS1_PSS_PADDING) == 1
                && EVP_PKEY_CTX_set_rsa_pss_saltlen(settings, RSA_PSS_SALTLEN_DIGEST) == 1
        case .ecdsa, .edwards: true
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

extension LibcryptoObject {
    /// Makes a number from its bytes, highest byte first.
    static func number(_ bytes: some Collection<UInt8>) -> LibcryptoObject? {
        let bytes = Array(bytes)
        return LibcryptoObject(BN_bin2bn(bytes, Int32(clamping: bytes.count), nil), freedBy: BN_free)
    }

    static func digestContext() -> LibcryptoObject? { LibcryptoObject(EVP_MD_CTX_new(), freedBy: EVP_MD_CTX_free) }
}
