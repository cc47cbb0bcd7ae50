internal import CLibcrypto
package import CredentialCore
internal import Glibc
package import Providers
internal import System

/// An RSA key of 2,048 to 8,192 bits, or a key on the curve P-256.
package final class PrivateKey: AssertionSigner {
    package let algorithm: SignatureAlgorithm
    private let key: LibcryptoKey

    package convenience init(named name: String) throws(SigningKeyError) {
        try self.init(pem: PrivateKeyFile.contents(of: name))
    }

    /// Parses the contents of a PEM file: PKCS #8, PKCS #1 (RSA) or SEC 1 (curves).
    package init(pem file: Secret) throws(SigningKeyError) {
        defer { ERR_clear_error() }
        let (read, isWhole) = try PEMBlock.privateKey(in: file).reveal { der in
            var next = der.baseAddress?.assumingMemoryBound(to: UInt8.self)
            let read = d2i_AutoPrivateKey(nil, &next, der.count)
            return (read, isWhole: UnsafeRawPointer(next) == der.baseAddress.map { $0 + der.count })
        }
        guard let read = LibcryptoKey(read), isWhole else { throw .malformed }
        algorithm = try Self.algorithm(of: read)
        key = read
        // Tests the key with one signature: servers would reject those of a damaged key.
        let probe = Array("probe".utf8)
        guard let signature = sign(probe), key.verifies(signature, of: probe, by: algorithm) else { throw .malformed }
    }

    package func sign(_ message: [UInt8]) -> [UInt8]? { key.sign(message, by: algorithm) }

    private static func algorithm(of key: borrowing LibcryptoKey) throws(SigningKeyError) -> SignatureAlgorithm {
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
    private static func curve(of key: borrowing LibcryptoKey) -> String {
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

/// A private key file that only its owner can read, and that nobody else can replace.
package enum PrivateKeyFile {
    /// The most bytes: more than a key of 8,192 bits with a chain of certificates.
    private static let most = 65_536

    /// Reads a file by an absolute path, or a systemd credential by a name without a slash.
    ///
    /// systemd passes credentials to this process (systemd.exec(5), `LoadCredential=`). The checks apply to the file
    /// that is read, even if the path changes meanwhile.
    package static func contents(
        of name: String, credentials: String? = Environment["CREDENTIALS_DIRECTORY"]
    ) throws(SigningKeyError) -> Secret {
        let isCredential = !name.utf8.contains(UInt8(ascii: "/"))
        guard isCredential || Path.isAbsolute(name) else { throw .relativePath }
        let path = try isCredential ? path(ofCredential: name, in: credentials) : name
        let folder = try folder(Path.folder(of: path))
        let file: FileDescriptor
        do throws(Errno) {
            let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
            file = try FileDescriptor.open(Path.name(of: path), in: folder, flags)
        } catch {
            throw error.number == ELOOP ? .symbolicLink : failure(error)
        }
        guard let status = FileStatus(of: file) else { throw .unreadable }
        guard status.kind == .regular else { throw .notAFile }
        guard !Others().own(status) else { throw .foreignOwner }
        // systemd grants a service's user access by an access control list, whose mask appears as the group's bits.
        let others: UInt32 = isCredential ? 0o037 : 0o077
        guard status.permissions & others == 0 else { throw .accessibleToOthers }
        do throws(FileReader.Failure) {
            var bytes = try FileReader.contents(of: file, atMost: most)
            defer { bytes.wipe() }
            return Secret(bytes)
        } catch {
            switch error {
            case .absent: throw .absent
            case .notRegular, .tooLarge: throw .notAFile
            case .system: throw .unreadable
            }
        }
    }

    /// Opens a file's folder; follows links, since the real folder must be safe from other users.
    private static func folder(_ path: String) throws(SigningKeyError) -> FileDescriptor {
        let folder = try rethrowing(as: failure, try FileDescriptor.open(path, FileDescriptor.pathOnly | O_DIRECTORY))
        guard let status = FileStatus(of: folder) else { throw .unreadable }
        guard !Others().canChange(folder, status) else { throw .folderOfOthers(DisplayText(untrusted: path.utf8)) }
        return folder
    }

    private static func failure(_ reason: Errno) -> SigningKeyError { reason.isAbsence ? .absent : .unreadable }

    private static func path(ofCredential name: String, in folder: String?) throws(SigningKeyError) -> String {
        guard !["", ".", ".."].contains(name) else { throw .absent }
        guard let folder, Path.isAbsolute(folder) else { throw .noCredentialsDirectory }
        return folder + "/" + name
    }
}

/// A block of a PEM file (RFC 7468), wiped at the end.
struct PEMBlock: ~Copyable {
    private let name: UnsafeMutablePointer<CChar>
    private let header: UnsafeMutablePointer<CChar>
    private let data: UnsafeMutablePointer<UInt8>
    private let count: Int

    /// Returns the private key in DER; ignores certificates and curve parameters, which some tools write beside it.
    ///
    /// - Throws: `.malformed`, `.encrypted`, `.publicKey`, `.severalKeys`, or `.unsupportedKind` for a form other than
    ///   PKCS #8, PKCS #1 and SEC 1.
    static func privateKey(in file: Secret) throws(SigningKeyError) -> Secret {
        try file.reveal { bytes throws(SigningKeyError) in
            let buffer = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count))
            guard let reader = LibcryptoObject(buffer, freedBy: { BIO_free($0) }) else { throw .malformed }
            var found: Secret?
            var hasPublicKey = false
            while let block = try PEMBlock(nextIn: reader) {
                switch block.label {
                case "ENCRYPTED PRIVATE KEY": throw .encrypted
                case "PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY":
                    guard !block.isEncrypted else { throw .encrypted }
                    guard found == nil else { throw .severalKeys }
                    found = block.contents()
                case let label where label.hasSuffix("PRIVATE KEY"):
                    throw .unsupportedKind(DisplayText(untrusted: label.utf8))
                case let label where label.hasSuffix("PUBLIC KEY"): hasPublicKey = true
                default: break
                }
            }
            guard let found else { throw hasPublicKey ? .publicKey : .malformed }
            return found
        }
    }

    /// Returns `nil` at the end of the file.
    ///
    /// - Throws: `.malformed` if the block is truncated or not base64.
    private init?(nextIn reader: borrowing LibcryptoObject) throws(SigningKeyError) {
        var (name, header): (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?)
        var data: UnsafeMutablePointer<UInt8>?
        var count = 0
        let flags = UInt32(PEM_FLAG_SECURE | PEM_FLAG_EAY_COMPATIBLE)
        let outcome = PEM_read_bio_ex(reader.pointer, &name, &header, &data, &count, flags)
        guard outcome == 1, let name, let header, let data else {
            guard gitspace_last_reason() == PEM_R_NO_START_LINE else { throw .malformed }
            return nil
        }
        self.name = name
        self.header = header
        self.data = data
        self.count = count
    }

    deinit {
        gitspace_wipe_and_free(name, strlen(name))
        gitspace_wipe_and_free(header, strlen(header))
        gitspace_wipe_and_free(data, count)
    }

    /// The words after BEGIN.
    var label: String { String(cString: name) }

    /// Whether the header lines mark the block as encrypted (RFC 1421, 4.6.1.1): OpenSSL's older format.
    var isEncrypted: Bool { String(cString: header).contains("ENCRYPTED") }
    func contents() -> Secret { Secret(copying: UnsafeRawBufferPointer(start: data, count: count)) }
}
