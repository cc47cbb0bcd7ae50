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
