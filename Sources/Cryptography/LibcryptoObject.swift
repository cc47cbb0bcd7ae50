internal import CLibcrypto

/// Owns one libcrypto object of any class, and frees it.
///
/// libcrypto is used with its default context and so with the machine's configuration (openssl.cnf, `OPENSSL_CONF`), as
/// libcurl uses it: that is the administrator's policy, and no request can change it.
struct LibcryptoObject: ~Copyable {
    /// Valid only as long as its owner exists.
    let pointer: OpaquePointer
    private let release: @convention(c) (OpaquePointer?) -> Void

    /// Takes over a new object; nil if libcrypto did not create one.
    ///
    /// - Parameters:
    ///   - pointer: what libcrypto's function returned.
    ///   - release: the function that frees objects of its class.
    init?(_ pointer: OpaquePointer?, freedBy release: @escaping @convention(c) (OpaquePointer?) -> Void) {
        guard let pointer else { return nil }
        self.pointer = pointer
        self.release = release
    }

    deinit { release(pointer) }
}

extension LibcryptoObject {
    /// A number, the highest byte first.
    static func number(_ bytes: some Collection<UInt8>) -> LibcryptoObject? {
        let bytes = Array(bytes)
        return LibcryptoObject(BN_bin2bn(bytes, Int32(clamping: bytes.count), nil), freedBy: BN_free)
    }

    /// A context to sign or verify a message in.
    static func digestContext() -> LibcryptoObject? { LibcryptoObject(EVP_MD_CTX_new(), freedBy: EVP_MD_CTX_free) }
}
