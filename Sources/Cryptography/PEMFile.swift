internal import CLibcrypto
internal import CredentialCore

/// The blocks of a PEM file: RFC 7468.
enum PEMFile {
    /// The only private key of a file, in DER.
    ///
    /// Ignores certificates and curve parameters beside it, since tools write such files.
    ///
    /// - Throws: `.malformed`, `.encrypted`, `.publicKey`, `.severalKeys`, or `.unsupportedKind` for a form other than
    ///   PKCS #8, PKCS #1 and SEC 1.
    static func privateKey(in file: Secret) throws(PrivateKeyError) -> Secret {
        defer { ERR_clear_error() }
        return try file.reveal { bytes throws(PrivateKeyError) in
            let buffer = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count))
            guard let reader = LibcryptoObject(buffer, freedBy: { BIO_free($0) }) else { throw .malformed }
            return try privateKey(in: reader)
        }
    }

    private static func privateKey(in reader: borrowing LibcryptoObject) throws(PrivateKeyError) -> Secret {
        var found: Secret?
        var hasPublicKey = false
        while let block = try PEMBlock(nextIn: reader) {
            switch block.label {
            case "ENCRYPTED PRIVATE KEY": throw .encrypted
            case "PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY":
                guard !block.isEncrypted else { throw .encrypted }
                guard found == nil else { throw .severalKeys }
                found = block.contents()
            case let label where label.hasSuffix("PRIVATE KEY"): throw .unsupportedKind(label)
            case let label where label.hasSuffix("PUBLIC KEY"): hasPublicKey = true
            default: break
            }
        }
        guard let found else { throw hasPublicKey ? .publicKey : .malformed }
        return found
    }
}
