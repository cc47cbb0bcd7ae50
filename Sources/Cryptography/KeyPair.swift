internal import CLibcrypto

/// A libcrypto key (`EVP_PKEY`), or the public half of one.
struct KeyPair: ~Copyable {
    /// The kinds of keys that sign tokens, by the `alg` of RFC 7518, section 3.1.
    enum Algorithm: String {
        case rs256 = "RS256"
        case es256 = "ES256"
    }

    private let key: LibcryptoObject
    private let algorithm: Algorithm

    /// Takes over a key that is known to be of this kind.
    init(_ key: consuming LibcryptoObject, _ algorithm: Algorithm) {
        self.key = key
        self.algorithm = algorithm
    }

    /// Signs a message.
    ///
    /// - Returns: nil if this is a public half, or libcrypto has failed.
    func sign(_ message: [UInt8]) -> [UInt8]? {
        defer { ERR_clear_error() }
        guard let context = LibcryptoObject.digestContext(),
            EVP_DigestSignInit(context.pointer, nil, EVP_sha256(), nil, key.pointer) == 1
        else { return nil }
        var count = Int(EVP_PKEY_get_size(key.pointer))
        guard count > 0 else { return nil }
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSign(context.pointer, &signature, &count, message, message.count) == 1 else { return nil }
        signature.removeLast(signature.count - count)
        return algorithm == .es256 ? ECDSASignature.raw(fromDER: signature) : signature
    }

    /// Whether a signature was made with this key for exactly this message.
    ///
    /// RS256 uses the RSA padding of PKCS #1, version 1.5: libcrypto's default, but set explicitly.
    func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        defer { ERR_clear_error() }
        var encoded = signature
        if algorithm == .es256 {
            guard let der = ECDSASignature.der(fromRaw: signature) else { return false }
            encoded = der
        }
        var settings: OpaquePointer?
        guard let context = LibcryptoObject.digestContext(),
            EVP_DigestVerifyInit(context.pointer, &settings, EVP_sha256(), nil, key.pointer) == 1,
            algorithm == .es256 || EVP_PKEY_CTX_set_rsa_padding(settings, RSA_PKCS1_PADDING) == 1
        else { return false }
        return EVP_DigestVerify(context.pointer, encoded, encoded.count, message, message.count) == 1
    }
}
