internal import CredentialCore
internal import Glibc
internal import System

/// The parent of the places' directories: `gitspace` in the session's runtime directory, or in the user's cache.
///
/// Never in /tmp, where anyone could create a directory of that name first. An existing directory is used only if it is
/// ours and closed to all others, as in git's own cache (`init_socket_directory` in
/// builtin/credential-cache--daemon.c). A new one is created with these permissions, not restricted afterwards. Nobody
/// but us and root may be able to put another in its place: no folder or link on the way to it is another user's, and
/// no folder is writable by others, unless it is sticky as /tmp.
package struct ShareDirectory {
    /// The absolute path.
    package let path: String

    /// Finds the directory, which need not exist.
    package init() throws(ShareError) {
        guard let parent = Self.runtime ?? Self.cache else { throw .nowhere }
        guard parent.unicodeScalars.allSatisfy(Self.isPlain) else { throw .unquotable(path: parent) }
        path = parent + "/gitspace"
        try Self.check(path)
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
    package func make(_ name: String) throws(ShareError) {
        let parent = String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
        // A new account may have no cache directory yet.
        _ = mkdir(parent, 0o700)
        for path in [path, directory(of: name)] {
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .system(path: path, errno) }
            guard let status = FileStatus(withoutFollowing: path) else { throw .system(path: path, errno) }
            guard status.kind == .directory, status.isOwn, status.permissions & 0o077 == 0 else {
                throw .unsafe(path: path)
            }
        }
        // Once more: what was not there has been made by somebody, who need not be us.
        try Self.check(directory(of: name))
    }

    /// Whether a character can stand in the commands that a person pastes, in the helper that git passes to a shell, in
    /// a mount of podman (`:`) or docker (`,`), and in ssh's paths, which it expands (`%`, `${`).
    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        DisplayText.isVisible(scalar) && !"$`'\"\\:,%".unicodeScalars.contains(scalar)
    }

    /// Looks at each folder and link on the way to a path, as far as it exists: path_resolution(7).
    private static func check(_ path: String) throws(ShareError) {
        var rest = [Substring](names(in: path).reversed())
        var folders: [Substring] = []
        var links = 0
        while true {
            let at = "/" + folders.joined(separator: "/")
            guard let status = FileStatus(withoutFollowing: at) else {
                guard errno == ENOENT else { throw .system(path: at, errno) }
                return
            }
            guard [0, geteuid()].contains(status.owner) else { throw .exchangeable(path: at) }
            if status.kind == .link {
                links += 1
                guard links <= 40, let target = target(of: at) else { throw .system(path: at, ELOOP) }
                folders = target.hasPrefix("/") ? [] : folders.dropLast()
                rest += names(in: target).reversed()
            } else if status.permissions & 0o022 != 0, status.permissions & 0o1000 == 0 {
                throw .exchangeable(path: at)
            }
            guard let next = rest.popLast() else { return }
            if next == ".." { _ = folders.popLast() } else if next != "." { folders.append(next) }
        }
    }

    private static func names(in path: String) -> [Substring] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
    }

    private static func target(of link: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(validating: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
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
