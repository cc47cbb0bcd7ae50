internal import Glibc
internal import System

/// The parent of the places' directories: `gitspace` in the session's runtime directory, or in the user's cache.
///
/// Never in /tmp, where anyone could create a directory of that name first. An existing directory is used only if it is
/// ours and closed to all others, as in git's own cache (`init_socket_directory` in
/// builtin/credential-cache--daemon.c). A new one is created with these permissions, not restricted afterwards.
package struct ShareDirectory {
    /// The absolute path.
    package let path: String

    /// Why there is no directory.
    package enum Failure: Error, Equatable {
        /// There is neither an `XDG_RUNTIME_DIR` nor a home directory.
        case nowhere
        /// It belongs to another user, or is not a directory.
        case foreign(String)
        /// Others may enter it.
        case open(String)
        /// A call failed, with this `errno`.
        case system(String, Int32)
    }

    /// Finds the directory, which need not exist.
    package init() throws(Failure) {
        guard let parent = Self.runtime ?? Self.cache else { throw .nowhere }
        path = parent + "/gitspace"
    }

    /// The directory of a place, which need not exist.
    package func directory(of name: String) -> String { "\(path)/\(name)" }
    /// The socket of a place.
    package func socket(of name: String) -> String { "\(path)/\(name)/socket" }
    /// The record of a shared place, beside its directory, since the place must not see it.
    package func record(of name: String) -> String { "\(path)/.\(name).share" }
    /// Where ssh may put its own socket; as short as possible, since ssh adds to the name while it starts.
    package func control(of name: String) -> String { "\(path)/.\(name).ssh" }

    /// The names in it, sorted.
    package var names: [String] {
        FolderList.names(in: path, atMost: .max).filter { !$0.hasPrefix(".") }.sorted()
    }

    /// Creates the directory of a place, and its parents.
    package func make(_ name: String) throws(Failure) {
        let parent = String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
        // A new account may have no cache directory yet.
        _ = mkdir(parent, 0o700)
        for path in [path, directory(of: name)] {
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .system(path, errno) }
            guard let status = FileStatus(withoutFollowing: path) else { throw .system(path, errno) }
            guard status.kind == .directory, status.isOwn else { throw .foreign(path) }
            guard status.permissions & 0o077 == 0 else { throw .open(path) }
        }
    }

    private static var runtime: String? {
        guard let path = Environment["XDG_RUNTIME_DIR"], path.hasPrefix("/"), let status = FileStatus(path),
            status.kind == .directory, status.isOwn, status.permissions & 0o077 == 0
        else { return nil }
        return path
    }

    private static var cache: String? {
        if let path = Environment["XDG_CACHE_HOME"], path.hasPrefix("/") { return path }
        return Environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.cache" : nil }
    }
}
