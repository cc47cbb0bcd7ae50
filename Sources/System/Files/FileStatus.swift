internal import Glibc

/// What the file system says of a file: stat(2).
///
/// Each initialiser is nil if there is nothing, or nobody may look; `errno` says which.
package struct FileStatus {
    /// What it is.
    package enum Kind {
        case regular
        case directory
        case socket
        /// A character device: a terminal, `/dev/null`.
        case character
        case other
    }

    private let status: stat

    /// Of what a path leads to: links are followed.
    package init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.status = status
    }

    /// Of the very thing at a path, be it a link.
    init?(withoutFollowing path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.status = status
    }

    /// Of an open file.
    package init?(of file: borrowing FileDescriptor) { self.init(ofDescriptor: file.number) }

    /// Of an open file that somebody else owns.
    init?(ofDescriptor number: Int32) {
        var status = stat()
        guard fstat(number, &status) == 0 else { return nil }
        self.status = status
    }

    package var kind: Kind {
        switch status.st_mode & S_IFMT {
        case S_IFREG: .regular
        case S_IFDIR: .directory
        case S_IFSOCK: .socket
        case S_IFCHR: .character
        default: .other
        }
    }

    /// The user and the group that it belongs to.
    package var owner: UInt32 { status.st_uid }
    var group: UInt32 { status.st_gid }
    /// Whether it belongs to whoever runs this process.
    package var isOwn: Bool { owner == geteuid() }
    /// Who may do what: chmod(2).
    package var permissions: UInt32 { status.st_mode & 0o7777 }
    /// Bytes.
    package var size: Int { Int(status.st_size) }
    /// How many names it has.
    var links: Int { Int(status.st_nlink) }
    /// When it was last changed, in nanoseconds since 1970.
    var modified: Int64 { Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec) }

    /// Whether both are the same file, by whatever path.
    func isSameFile(as other: FileStatus) -> Bool {
        status.st_dev == other.status.st_dev && status.st_ino == other.status.st_ino
    }
}
