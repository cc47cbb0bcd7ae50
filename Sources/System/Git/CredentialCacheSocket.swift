/// The socket of git's own `credential-cache`.
package enum CredentialCacheSocket {
    /// By git's own rules (`get_socket_path` in its builtin/credential-cache.c).
    package static var folder: String? {
        let home = Environment["HOME"].flatMap { $0.isEmpty ? nil : $0 }
        if let former = home.map({ $0 + "/.git-credential-cache" }), FileStatus(former)?.kind == .directory {
            return former
        }
        let caches = Environment["XDG_CACHE_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? home.map { $0 + "/.cache" }
        return caches.map { $0 + "/git/credential" }
    }

    /// Without it there is no daemon, and nothing in its memory.
    package static var exists: Bool { folder.map { FileStatus($0 + "/socket") != nil } ?? false }
}
