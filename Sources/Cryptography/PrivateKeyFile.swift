package import CredentialCore
internal import Glibc
package import System

/// The file of a private key, which only its owner may be able to read.
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
        guard let file = FileDescriptor(opening: path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY) else {
            switch errno {
            case ELOOP: throw .symbolicLink
            case ENOENT, ENOTDIR: throw .file(.absent)
            default: throw .file(.system(errno))
            }
        }
        guard let status = FileStatus(of: file) else { throw .file(.system(errno)) }
        guard status.kind == .regular else { throw .file(.notRegular) }
        guard status.isOwn || status.owner == 0 else { throw .foreignOwner(status.owner) }
        // systemd gives a service's user access by an access control list, whose mask the group's bits then show.
        let others: UInt32 = isCredential ? 0o007 : 0o077
        guard status.permissions & others == 0 else { throw .accessibleToOthers(permissions: status.permissions) }
        do throws(FileReader.Failure) {
            var bytes = try FileReader.contents(of: file, atMost: most)
            defer { bytes.wipe() }
            return Secret(bytes)
        } catch {
            throw .file(error)
        }
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
