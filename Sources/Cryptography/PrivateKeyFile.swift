internal import CLibcrypto
package import CredentialCore
internal import Glibc
package import System

/// The file of a private key, which only its owner may be able to read, and which nobody else can replace.
///
/// Here and not in System, which is linked into the front door as a whole.
package enum PrivateKeyFile {
    /// Why a key was not read.
    package enum Failure: Error, Equatable {
        /// It cannot be read as a file.
        case file(FileReader.Failure)
        /// The path is relative: it would lead to a different file in every folder, repositories included.
        case relativePath
        /// It was given by name, but systemd has passed no credentials to this process (`$CREDENTIALS_DIRECTORY`).
        case noCredentialsDirectory
        /// The file at the path is a symbolic link.
        case symbolicLink
        /// It belongs to this user, who is neither root nor the one who runs this process.
        case foreignOwner(UInt32)
        /// Others may read or change it; the mode as in chmod(2).
        case accessibleToOthers(permissions: UInt32)
        /// The folder with this path belongs to somebody else, or others may write to it: what stands there is their word.
        case folderOfOthers(String)
    }

    /// More than a key of 8,192 bits and a chain of certificates.
    private static let most = 65_536

    /// Reads a key.
    ///
    /// - Parameters:
    ///   - name: an absolute path, which may begin with `~/`; or, without a slash, the name of a credential that
    ///     systemd has passed to this process (systemd.exec(5), `LoadCredential=`).
    ///   - home: the home folder.
    ///   - credentials: the folder of systemd's credentials.
    /// - Returns: the file's contents.
    /// - Throws: why not. The checks apply to the very file that is read, even if the path changes in between.
    package static func contents(
        of name: String, home: String? = Environment["HOME"],
        credentials: String? = Environment["CREDENTIALS_DIRECTORY"]
    ) throws(Failure) -> Secret {
        let isCredential = !name.utf8.contains(UInt8(ascii: "/"))
        let path = try isCredential ? path(ofCredential: name, in: credentials) : path(ofFile: name, home: home)
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
        let folder = try folder(end == path.startIndex ? "/" : String(path[..<end]))
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        guard let file = FileDescriptor(opening: String(path[end...].dropFirst()), in: folder, flags) else {
            if errno == ELOOP { throw .symbolicLink }
            throw failure(errno)
        }
        guard let status = FileStatus(of: file) else { throw .file(.system(errno)) }
        guard status.kind == .regular else { throw .file(.notRegular) }
        guard status.isOwn || status.owner == 0 else { throw .foreignOwner(status.owner) }
        // systemd gives a service's user access by an access control list, whose mask the group's bits then show.
        let others: UInt32 = isCredential ? 0o037 : 0o077
        guard status.permissions & others == 0 else { throw .accessibleToOthers(permissions: status.permissions) }
        do throws(FileReader.Failure) {
            var bytes = try FileReader.contents(of: file, atMost: most)
            defer { bytes.wipe() }
            return Secret(bytes)
        } catch {
            throw .file(error)
        }
    }

    /// Links on the way are followed, since it is the folder at their end that has to be beyond the reach of others.
    private static func folder(_ path: String) throws(Failure) -> FileDescriptor {
        let flags = FileDescriptor.pathOnly | O_DIRECTORY
        guard let folder = FileDescriptor(opening: path, flags), let status = FileStatus(of: folder) else {
            throw failure(errno)
        }
        guard status.isOwn || status.owner == 0, status.permissions & 0o022 == 0 else { throw .folderOfOthers(path) }
        return folder
    }

    private static func failure(_ number: Int32) -> Failure {
        .file([ENOENT, ENOTDIR].contains(number) ? .absent : .system(number))
    }

    private static func path(ofFile name: String, home: String?) throws(Failure) -> String {
        if name.hasPrefix("/") { return name }
        guard name.hasPrefix("~/"), let home, home.hasPrefix("/") else { throw .relativePath }
        return home + name.dropFirst()
    }

    private static func path(ofCredential name: String, in folder: String?) throws(Failure) -> String {
        guard !["", ".", ".."].contains(name) else { throw .file(.absent) }
        guard let folder, folder.hasPrefix("/") else { throw .noCredentialsDirectory }
        return folder + "/" + name
    }
}

/// Why a file is not a private key that can sign here.
package enum PrivateKeyError: Error, Equatable {
    /// It contains no key in PEM (RFC 7468), or a damaged one.
    case malformed
    /// The key has a passphrase, for which there is no prompt.
    case encrypted
    /// It has the public half only.
    case publicKey
    /// It has more than one private key.
    case severalKeys
    /// A key of another kind, such as Ed25519, DSA or OpenSSH's own form; named as in libcrypto or the file.
    case unsupportedKind(String)
    /// A key on a curve other than P-256, with libcrypto's name for it, empty if it has none.
    case unsupportedCurve(String)
    /// An RSA key with this number of bits: fewer than 2,048, or more than 8,192.
    case unsupportedSize(bits: Int)
    /// The private and the public half do not match.
    case inconsistent
}

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

/// One block of a PEM file, as libcrypto has read it; wiped when it is freed.
struct PEMBlock: ~Copyable {
    private let name: UnsafeMutablePointer<CChar>
    private let header: UnsafeMutablePointer<CChar>
    private let data: UnsafeMutablePointer<UInt8>
    private let count: Int

    /// Reads the next block; nil if there is none.
    ///
    /// - Throws: `.malformed` for one that is cut off or not base64.
    init?(nextIn reader: borrowing LibcryptoObject) throws(PrivateKeyError) {
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

    /// The text after BEGIN.
    var label: String { String(cString: name) }

    /// Whether its header lines say so (RFC 1421, 4.6.1.1): OpenSSL's older form.
    var isEncrypted: Bool { String(cString: header).contains("ENCRYPTED") }

    /// The bytes.
    func contents() -> Secret { Secret(copying: UnsafeRawBufferPointer(start: data, count: count)) }
}
