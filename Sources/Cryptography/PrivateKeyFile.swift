package import CredentialCore
internal import Glibc
package import System

/// The file of a private key, which nobody but its owner may read.
///
/// Here and not in System, all of which the front door carries.
package enum PrivateKeyFile {
    /// Why a key was not read.
    package enum Failure: Error, Equatable {
        /// It cannot be read as a file.
        case file(FileReader.Failure)
        /// The path is relative: it would lead to another file in every folder, a repository's own among them.
        case relativePath
        /// It was given by name, and systemd has handed no credentials to this process (`$CREDENTIALS_DIRECTORY`).
        case noCredentialsDirectory
        /// What is at the path leads elsewhere.
        case symbolicLink
        /// It belongs to somebody who is neither root nor whoever runs this process; to whom.
        case foreignOwner(UInt32)
        /// Others may read or change it; chmod(2)'s number.
        case accessibleToOthers(permissions: UInt32)
    }

    /// More than a key of 8,192 bits and a chain of certificates.
    private static let most = 65_536

    /// Reads a key.
    ///
    /// - Parameters:
    ///   - name: an absolute path, which may begin with `~/`; or, without a slash, the name of a credential that systemd has
    ///     handed to this process (systemd.exec(5), `LoadCredential=`).
    ///   - home: the home folder.
    ///   - credentials: the folder of systemd's credentials.
    /// - Returns: what the file holds.
    /// - Throws: why not. What is checked is the file that is read, whatever is at its path a moment later.
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
        // systemd lets a service's user in by an access control list, and its mask is what the group's bits then show.
        let others: UInt32 = isCredential ? 0o007 : 0o077
        guard status.permissions & others == 0 else { throw .accessibleToOthers(permissions: status.permissions) }
        guard status.size <= most else { throw .file(.tooLarge) }
        return try read(file, status.size)
    }

    /// Reads a file of so many bytes whole, into one piece of memory that is wiped.
    private static func read(_ file: borrowing FileDescriptor, _ size: Int) throws(Failure) -> Secret {
        // A byte more, so that a file which has grown since is noticed.
        var bytes = [UInt8](repeating: 0, count: size + 1)
        defer { bytes.wipe() }
        var length = 0
        while length < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                FileDescriptor.read(file.number, into: UnsafeMutableRawBufferPointer(rebasing: buffer[length...]))
            }
            guard count >= 0 else { throw .file(.system(errno)) }
            if count == 0 { break }
            length += count
        }
        guard length <= size else { throw .file(.tooLarge) }
        return Secret(bytes[..<length])
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
