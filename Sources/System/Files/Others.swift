internal import CProcess
internal import CredentialCore
internal import Glibc

/// Every user except the given one and root; a file or a folder is trusted if these others cannot change it.
///
/// The user's private group (`PrivateGroup`) does not count, unless there is an access control list: the group's bits
/// are then the list's mask (acl(5)), and may let others in.
package struct Others {
    package enum Failure: Error, Equatable {
        /// Others can replace this folder or link, or put something into it.
        case exchangeable(String)
        case system(path: String, Errno)
    }

    private let user: UInt32

    package init(than user: UInt32 = geteuid()) { self.user = user }

    package func own(_ status: FileStatus) -> Bool { status.owner != user && status.owner != 0 }

    /// Whether others can write to a file, or make, remove and rename files in a folder.
    package func canWrite(to status: FileStatus, at path: String) -> Bool { have(0o022, of: status, at: path) }

    /// `O_PATH` is enough for opening the file.
    package func canChange(_ file: borrowing FileDescriptor, _ status: FileStatus) -> Bool {
        own(status) || canWrite(to: status, at: "/proc/self/fd/\(file.number)")
    }

    private func canEnter(_ status: FileStatus, at path: String) -> Bool { have(0o011, of: status, at: path) }

    /// Whether the group or all others have one of the permissions (chmod(2)).
    private func have(_ permissions: UInt32, of status: FileStatus, at path: String) -> Bool {
        let given = status.permissions & permissions
        guard given & 0o007 == 0 else { return true }
        return given & 0o070 != 0 && !(PrivateGroup.isPrivate(status.group, of: user) && Self.hasNoList(path))
    }

    /// The extended attributes that hold the access control lists of POSIX and of NFS.
    private static let lists: [String] = ["system.posix_acl_access", "system.nfs4_acl"]

    private static func hasNoList(_ path: String) -> Bool {
        lists.allSatisfy { list in getxattr(path, list, nil, 0) < 0 && (errno == ENODATA || errno == EOPNOTSUPP) }
    }

    /// The path to a folder with its links resolved, of which others can replace no part (path_resolution(7)).
    ///
    /// The path is absolute, and its last parts need not exist. In a folder like /tmp, others can only create missing
    /// files. With `besidesClosed`, a folder that others cannot enter makes everything below it safe, except mounts.
    package func resolved(_ path: String, besidesClosed: Bool = false) throws(Failure) -> String {
        guard Path.isAbsolute(path) else { throw .system(path: path, Errno(number: ENOENT)) }
        var rest = [Substring](Path.names(in: path).reversed())
        var folders: [(name: Substring, isClosed: Bool)] = []
        var links = 0
        var isShared = false
        while true {
            let at = Self.path(folders[...])
            guard let status = FileStatus(withoutFollowing: at) else {
                let reason = Errno.last
                guard reason.number == ENOENT else { throw .system(path: at, reason) }
                guard !isShared else { throw .exchangeable(Self.path(folders.dropLast())) }
                return ([at] + rest.reversed().map(String.init)).joined(separator: "/")
            }
            guard !own(status) else { throw .exchangeable(at) }
            if status.kind == .link {
                links += 1
                guard links <= 40, let target = try? Path.target(ofLink: at) else {
                    throw .system(path: at, Errno(number: ELOOP))
                }
                if Path.isAbsolute(target) { (folders, isShared) = ([], false) } else { folders.removeLast() }
                rest += Path.names(in: target).reversed()
            } else {
                guard status.kind == .directory else { throw .system(path: at, Errno(number: ENOTDIR)) }
                let isReached = !besidesClosed || !folders.dropLast().contains { $0.isClosed }
                isShared = isReached && canWrite(to: status, at: at)
                guard !isShared || status.permissions & 0o1000 != 0 && !rest.isEmpty else { throw .exchangeable(at) }
                if !folders.isEmpty { folders[folders.count - 1].isClosed = !canEnter(status, at: at) }
            }
            guard let next = rest.popLast() else { return Self.path(folders[...]) }
            if next == ".." { _ = folders.popLast() } else if next != "." { folders.append((next, false)) }
        }
    }

    private static func path(_ folders: ArraySlice<(name: Substring, isClosed: Bool)>) -> String {
        "/" + folders.map(\.name).joined(separator: "/")
    }
}

/// The group of one person alone (`USERGROUPS_ENAB` in login.defs(5)); the usual umask then gives it write permission.
package enum PrivateGroup {
    /// Whether the group is the user's first group, has the user's name, and has no other member.
    ///
    /// Only passwd(5) and group(5) are read: a directory service may hide members. root has no private group, since
    /// servers that drop root's user ID may keep its group.
    package static func isPrivate(_ group: UInt32, of user: UInt32, in folder: String = "/etc") -> Bool {
        let members = entries(folder + "/passwd").filter { number($0, 3) == group }
        let names = members.map { $0[0] }
        let groups = entries(folder + "/group").filter { number($0, 2) == group }
        guard user != 0, !members.isEmpty, members.allSatisfy({ number($0, 2) == user }), !groups.isEmpty else {
            return false
        }
        return groups.allSatisfy { group in
            names.contains(group[0]) && group[3].split(separator: UInt8(ascii: ",")).allSatisfy { names.contains($0) }
        }
    }

    private static func entries(_ path: String) -> [[ArraySlice<UInt8>]] {
        guard let text = try? FileReader.contents(of: path, atMost: 16 << 20) else { return [] }
        return text.split(separator: UInt8(ascii: "\n"))
            .map { $0.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false) }
            .filter { $0.count >= 4 }
    }

    private static func number(_ entry: [ArraySlice<UInt8>], _ field: Int) -> UInt32? {
        DecimalNumber.parse(entry[field]).flatMap { UInt32(exactly: $0) }
    }
}
