internal import Glibc
internal import System

/// A socket through which the machine with the keyring may be reached: `git credential-gitspace share` listens there.
struct SharedSocket {
    /// Where the socket was found.
    enum Origin {
        /// A person named it, or it was mounted when this container was set up.
        case given
        /// The person's runtime directory.
        case runtime
        /// The directory in which `share ssh` puts a socket for each connection. When a connection breaks, its socket
        /// stays there until we remove it: sshd(8) does not.
        case forwarded
    }

    let path: String
    let origin: Origin

    /// The socket that `GITSPACE_SHARE` names; nil unless its path is absolute, since git runs us in repositories.
    static func named(_ environment: (String) -> String?) -> SharedSocket? {
        guard let path = environment("GITSPACE_SHARE"), path.utf8.first == UInt8(ascii: "/") else { return nil }
        return SharedSocket(path: path, origin: .given)
    }

    /// The sockets in the usual places, best first, whether or not they exist.
    static func usual(_ environment: (String) -> String?) -> [SharedSocket] {
        var sockets = [SharedSocket(path: "/run/gitspace/socket", origin: .given)]
        if let runtime = RuntimeDirectory.path(environment: environment) {
            sockets.append(SharedSocket(path: runtime + "/gitspace.sock", origin: .runtime))
            sockets += forwarded(in: runtime + "/gitspace")
        }
        // Used where `share ssh` found no runtime directory; this process may have another environment.
        if let home = environment("HOME"), home.utf8.first == UInt8(ascii: "/") {
            sockets += forwarded(in: home + "/.cache/gitspace")
        }
        return sockets
    }

    /// More connections are unlikely, and each that hangs costs a second.
    private static let most = 16
    /// The most directory entries to read; our directories contain only a few.
    private static let mostEntries = 256

    /// The newest first: an older one may belong to a closed connection.
    private static func forwarded(in folder: String) -> [SharedSocket] {
        // We would trust any socket that others could put there.
        guard let status = FileStatus(folder), status.kind == .directory, status.isOwn, status.permissions & 0o022 == 0
        else { return [] }
        var found: [(path: String, time: Int64)] = []
        for name in FolderList.names(in: folder, atMost: mostEntries)
        where name.utf8.suffix(5).elementsEqual(".sock".utf8) {
            let path = folder + "/" + name
            guard let status = FileStatus(path), status.kind == .socket else { continue }
            // Sorted on insertion: there are only a few.
            let index = found.firstIndex { $0.time < status.modified } ?? found.count
            found.insert((path, status.modified), at: index)
        }
        return found.prefix(most).map { SharedSocket(path: $0.path, origin: .forwarded) }
    }

    /// Whether it is a socket whose owner we trust to give us credentials.
    ///
    /// In a container, the person outside may have another user ID than inside, or none; but only root can create files
    /// in /run, so a socket mounted there comes from whoever set up the container. If we are root, any owner will do.
    var isTrusted: Bool {
        guard let status = FileStatus(path), status.kind == .socket else { return false }
        if status.isOwn || status.owner == 0 { return true }
        return origin == .given && (geteuid() == 0 || UserNamespace.isUnmapped(status.owner))
    }

    /// Removes a socket at which nothing listens any more, if it was created for this purpose only.
    func removeIfForwarded() {
        if origin == .forwarded { unlink(path) }
    }
}
