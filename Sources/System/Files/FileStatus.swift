internal import CProcess
internal import Glibc

/// The status of a file: stat(2).
///
/// Each initialiser returns nil if the file does not exist or may not be examined; `errno` says which.
package struct FileStatus {
    /// The type of the file.
    package enum Kind {
        case regular
        case directory
        case socket
        case link
        /// A character device: a terminal, `/dev/null`.
        case character
        case other
    }

    private let status: stat

    /// The status of a path; links are followed.
    package init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.status = status
    }

    /// The status of a path itself, even if it is a link.
    package init?(withoutFollowing path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.status = status
    }

    /// The status of an open file.
    package init?(of file: borrowing FileDescriptor) { self.init(ofDescriptor: file.number) }

    /// The status of an open file that has another owner.
    init?(ofDescriptor number: Int32) {
        var status = stat()
        guard fstat(number, &status) == 0 else { return nil }
        self.status = status
    }

    /// What stands at the path, by the type bits of `st_mode` (inode(7)).
    package var kind: Kind {
        switch status.st_mode & S_IFMT {
        case S_IFREG: .regular
        case S_IFDIR: .directory
        case S_IFSOCK: .socket
        case S_IFLNK: .link
        case S_IFCHR: .character
        default: .other
        }
    }

    /// The user and the group that own it.
    package var owner: UInt32 { status.st_uid }
    var group: UInt32 { status.st_gid }
    /// Whether it belongs to the user of this process.
    package var isOwn: Bool { owner == geteuid() }
    /// The permissions: chmod(2).
    package var permissions: UInt32 { status.st_mode & 0o7777 }
    /// The size in bytes.
    package var size: Int { Int(status.st_size) }
    /// The number of hard links.
    var links: Int { Int(status.st_nlink) }
    /// When it was last changed, in nanoseconds since 1970.
    package var modified: Int64 { Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec) }

    /// Whether both are the same file.
    package func isSameFile(as other: FileStatus) -> Bool {
        status.st_dev == other.status.st_dev && status.st_ino == other.status.st_ino
    }
}

/// What is in a folder: readdir(3).
package enum FolderList {
    /// Lists a folder.
    ///
    /// - Parameters:
    ///   - path: the folder.
    ///   - most: of more entries than that, nobody knows which are told.
    /// - Returns: the names of the entries, in no order; empty if the folder cannot be read.
    package static func names(in path: String, atMost most: Int) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while names.count < most, let name = gitspace_next_entry(folder) {
            if let name = String(validatingCString: name) { names.append(name) }
        }
        return names
    }
}
