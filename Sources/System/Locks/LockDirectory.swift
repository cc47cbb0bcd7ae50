internal import Glibc

/// The folder of lock files: the same for every process of a user.
///
/// It is in `/run/user/ID`, which only that user can enter, and which is empty after a start of the machine. Where there is
/// none (a container, cron, root behind sudo), it is where the XDG Base Directory Specification has what a program
/// remembers: `$XDG_STATE_HOME`, else `~/.local/state`. `/tmp` is nobody's, and `XDG_RUNTIME_DIR` may be somebody else's.
package struct LockDirectory {
    /// Absolute.
    let path: String

    /// Finds or makes the folder; nil if there is no safe place.
    ///
    /// Which place it is must not depend on what can be written just now: two that chose differently would not see each
    /// other's locks. So the first that is there counts, and if the folder cannot be made in it there is none.
    package init?() {
        guard let parent = Self.parent, Self.isOwn(parent) || Self.make(parent) else { return nil }
        let path = parent + Self.name
        _ = mkdir(path, 0o700)
        guard let status = FileStatus(withoutFollowing: path), status.kind == .directory, status.isOwn else {
            return nil
        }
        // A umask cannot have widened it; somebody else's carelessness can.
        guard status.permissions & 0o077 == 0 || chmod(path, 0o700) == 0 else { return nil }
        self.path = path
    }

    /// Where the folder is, or would be made; nil if there is no safe place.
    ///
    /// This looks, and changes nothing.
    package static var usable: String? {
        guard let parent else { return nil }
        let path = parent + name
        if let status = FileStatus(withoutFollowing: path) {
            return status.kind == .directory && status.isOwn ? path : nil
        }
        let above = existing(parent)
        return isOwn(above) && access(above, W_OK | X_OK) == 0 ? path : nil
    }

    /// Where the folder would be, whoever it belongs to.
    static var expected: String? { parent.map { $0 + name } }

    private static let name = "/git-credential-gitspace"

    private static var parent: String? {
        let runtime = "/run/user/\(geteuid())"
        if isOwn(runtime) { return runtime }
        if let state = Environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state }
        guard let home = Environment["HOME"], home.hasPrefix("/") else { return nil }
        return home + "/.local/state"
    }

    /// Whether a folder is ours, and nobody else can put anything into it.
    private static func isOwn(_ path: String) -> Bool {
        guard let status = FileStatus(path), status.kind == .directory, status.isOwn else { return false }
        return status.permissions & 0o022 == 0
    }

    /// Makes a folder and those above it, in one that is ours: root must not leave its own in somebody else's home.
    private static func make(_ path: String) -> Bool {
        let above = existing(path)
        guard isOwn(above) else { return false }
        var made = above == "/" ? "" : above
        for part in path.dropFirst(made.utf8.count).split(separator: "/") {
            made += "/" + part
            guard mkdir(made, 0o700) == 0 || errno == EEXIST else { return false }
        }
        return isOwn(path)
    }

    /// The lowest folder on the way to a path that is there.
    private static func existing(_ path: String) -> String {
        var path = path
        while path != "/", FileStatus(path) == nil {
            path = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
            if path.isEmpty { path = "/" }
        }
        return path
    }
}
