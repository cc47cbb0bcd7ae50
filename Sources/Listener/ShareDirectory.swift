internal import Glibc
internal import System

/// Where the directories of places are: `gitspace` in the session's runtime directory, or in the person's cache.
///
/// Never in /tmp, where anybody may make a directory of that name first. The rule for what is there already is that of
/// git's own cache (`init_socket_directory` in builtin/credential-cache--daemon.c): ours, and closed to everybody else,
/// or it is not used; it is made closed, and not closed after it was made.
package struct ShareDirectory {
    /// The absolute path.
    package let path: String

    /// Why there is none.
    package enum Failure: Error, Equatable {
        /// Neither `XDG_RUNTIME_DIR` nor a home.
        case nowhere
        /// It belongs to somebody else, or is something else.
        case foreign(String)
        /// Others may enter it.
        case open(String)
        /// A call failed, with this `errno`.
        case system(String, Int32)
    }

    /// Finds it; it need not be there.
    package init() throws(Failure) {
        guard let parent = Self.runtime ?? Self.cache else { throw .nowhere }
        path = parent + "/gitspace"
    }

    /// The directory of a place, which need not be there.
    package func directory(of name: String) -> String { "\(path)/\(name)" }
    /// The socket of a place.
    package func socket(of name: String) -> String { "\(path)/\(name)/socket" }
    /// What is known of a place while it is shared, beside its directory: the place must not see it.
    package func record(of name: String) -> String { "\(path)/.\(name).share" }
    /// Where ssh may put its own socket; as short as can be, since ssh makes it longer while it begins.
    package func control(of name: String) -> String { "\(path)/.\(name).ssh" }

    /// The names of what is there, sorted.
    package var names: [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(validating: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let name, !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    /// Makes the directory of a place, and what is above it.
    package func make(_ name: String) throws(Failure) {
        let parent = String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
        // The cache of a new account need not be there yet.
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
