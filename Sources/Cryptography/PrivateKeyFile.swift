internal import CLibcrypto
package import CredentialCore
internal import Glibc
package import Providers
internal import System

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

/// PEM files (RFC 7468).
enum PEMFile {
    /// Returns the private key in DER; ignores certificates and curve parameters, which some tools write beside it.
    ///
    /// - Throws: `.malformed`, `.encrypted`, `.publicKey`, `.severalKeys`, or `.unsupportedKind` for a form other than
    ///   PKCS #8, PKCS #1 and SEC 1.
    static func privateKey(in file: Secret) throws(SigningKeyError) -> Secret {
        defer { ERR_clear_error() }
        return try file.reveal { bytes throws(SigningKeyError) in
            let buffer = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count))
            guard let reader = LibcryptoObject(buffer, freedBy: { BIO_free($0) }) else { throw .malformed }
            return try privateKey(in: reader)
        }
    }

    private static func privateKey(in reader: borrowing LibcryptoObject) throws(SigningKeyError) -> Secret {
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

/// A PEM block, wiped at the end.
struct PEMBlock: ~Copyable {
    private let name: UnsafeMutablePointer<CChar>
    private let header: UnsafeMutablePointer<CChar>
    private let data: UnsafeMutablePointer<UInt8>
    private let count: Int

    /// Returns `nil` at the end of the file.
    ///
    /// - Throws: `.malformed` if the block is truncated or not base64.
    init?(nextIn reader: borrowing LibcryptoObject) throws(SigningKeyError) {
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
