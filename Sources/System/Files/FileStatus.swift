internal import CProcess
internal import Glibc

/// stat(2); `nil` if the file does not exist or may not be examined, as `errno` says.
package struct FileStatus {
    package enum Kind {
        case regular
        case directory
        case socket
        case link
        /// A character device: a terminal, `/dev/null`.
        case character
        case other
    }

    private var status = stat()

    /// Follows links.
    package init?(_ path: String) { guard stat(path, &status) == 0 else { return nil } }

    /// Examines the path itself, even if it is a link.
    package init?(withoutFollowing path: String) { guard lstat(path, &status) == 0 else { return nil } }

    package init?(of file: borrowing FileDescriptor) { self.init(ofDescriptor: file.number) }

    init?(ofDescriptor number: Int32) { guard fstat(number, &status) == 0 else { return nil } }

    /// Whether a later status shows the same file with the same contents, as far as its size and times tell.
    func isUnchanged(_ later: FileStatus) -> Bool {
        isSameFile(as: later) && size == later.size && times == later.times
    }

    private var times: [Int] { [status.st_mtim, status.st_ctim].flatMap { [$0.tv_sec, $0.tv_nsec] } }

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

    package var owner: UInt32 { status.st_uid }
    var group: UInt32 { status.st_gid }
    package var isOwn: Bool { owner == geteuid() }
    /// As in chmod(2).
    package var permissions: UInt32 { status.st_mode & 0o7777 }
    /// Bytes.
    package var size: Int { Int(status.st_size) }
    /// Hard links.
    var links: Int { Int(status.st_nlink) }
    /// The last change of the content, in nanoseconds since 1970.
    package var modified: Int64 { Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec) }

    package func isSameFile(as other: FileStatus) -> Bool {
        status.st_dev == other.status.st_dev && status.st_ino == other.status.st_ino
    }
}

/// readdir(3).
package enum FolderList {
    /// The names in a folder, unordered: any `most` of them if there are more, none if it cannot be read.
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
