internal import Glibc

/// A folder in which nobody but this user and root decides what stands there.
package enum OwnFolder {
    /// With its links resolved, so that nobody can lead the path elsewhere afterwards.
    ///
    /// The path is absolute, and its last parts need not exist.
    ///
    /// - Returns: nil if others can put something there or in place of a folder above, or if that cannot be seen.
    package static func resolved(_ path: String, for user: UInt32 = geteuid()) -> String? {
        var (existing, rest) = (path, "")
        while FileStatus(existing) == nil {
            guard errno == ENOENT, FileStatus(withoutFollowing: existing) == nil, existing.hasPrefix("/") else {
                return nil
            }
            let above = parent(of: existing)
            rest = String(Substring(existing.utf8.dropFirst(above == "/" ? 0 : above.utf8.count))) + rest
            existing = above
        }
        guard let real = realpath(existing, nil) else { return nil }
        defer { free(real) }
        guard let found = String(validatingCString: real) else { return nil }
        var (folder, isSafe) = (found, true)
        while let status = FileStatus(withoutFollowing: folder), status.kind == .directory,
            status.owner == user || status.owner == 0
        {
            // In a folder like /tmp, others cannot replace what is there, but can make what is not.
            let isSticky = status.permissions & 0o1000 != 0 && (folder != found || rest.isEmpty)
            if status.permissions & writable(status) != 0, !isSticky { isSafe = false }
            // Where others cannot enter, nothing below is in their reach.
            if status.permissions & 0o011 == 0 { isSafe = true }
            guard folder != "/" else { return !isSafe ? nil : found == "/" ? rest : found + rest }
            folder = parent(of: folder)
        }
        return nil
    }

    /// The bits by which others may write: not the group's where it is the owner's alone, as useradd(8) makes one of the
    /// same number for each person (`USERGROUPS_ENAB` in login.defs(5), which also lets the group write).
    private static func writable(_ status: FileStatus) -> UInt32 {
        status.owner >= 1_000 && status.owner == status.group ? 0o002 : 0o022
    }

    /// Byte by byte: a character can have several, and may include the slash before it (U+0301).
    private static func parent(of path: String) -> String {
        let bytes = path.utf8.prefix(upTo: path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex)
        return bytes.isEmpty ? "/" : String(Substring(bytes))
    }
}

/// `XDG_RUNTIME_DIR` (XDG Base Directory Specification).
package enum RuntimeDirectory {
    /// Where pam_systemd(8) creates it, and whatever starts processes without that module does not name it.
    package static var usual: String { "/run/user/\(geteuid())" }

    /// Whether or not it exists; nil for one that is named and not absolute, which counts as none.
    package static func path(environment: (String) -> String?) -> String? {
        guard let named = environment("XDG_RUNTIME_DIR"), !named.isEmpty else { return usual }
        return named.utf8.first == UInt8(ascii: "/") ? named : nil
    }
}
