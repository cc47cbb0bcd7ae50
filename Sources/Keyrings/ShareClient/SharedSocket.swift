internal import Glibc
internal import System

/// A socket at which the machine with the keyring may be reached: `git credential-gitspace share` listens behind it.
struct SharedSocket {
    /// Where it is found.
    enum Origin {
        /// A person named it, or whoever set up this container mounted it.
        case given
        /// The person's runtime directory.
        case runtime
        /// The directory in which `share ssh` puts a socket for each connection. What it leaves there when a connection
        /// breaks, nobody else removes: sshd(8) does not.
        case forwarded
    }

    let path: String
    let origin: Origin

    /// The socket that `GITSPACE_SHARE` names; nil if it names none by its absolute path: git runs us in repositories.
    static func named(_ environment: (String) -> String?) -> SharedSocket? {
        guard let path = environment("GITSPACE_SHARE"), path.utf8.first == UInt8(ascii: "/") else { return nil }
        return SharedSocket(path: path, origin: .given)
    }

    /// The sockets at the usual places, best first, whether or not they are there.
    static func usual(_ environment: (String) -> String?) -> [SharedSocket] {
        var sockets = [SharedSocket(path: "/run/gitspace/socket", origin: .given)]
        if let runtime = RuntimeDirectory.path(environment: environment) {
            sockets.append(SharedSocket(path: runtime + "/gitspace.sock", origin: .runtime))
            sockets += forwarded(in: runtime + "/gitspace")
        }
        // Where `share ssh` found no runtime directory; this process may have another environment.
        if let home = environment("HOME"), home.utf8.first == UInt8(ascii: "/") {
            sockets += forwarded(in: home + "/.cache/gitspace")
        }
        return sockets
    }

    /// Nobody has more machines at hand, and each that hangs costs a second.
    private static let most = 16
    /// Entries that are looked at; a directory of ours holds a few.
    private static let mostEntries = 256

    /// The newest first: an older one may belong to a connection that is gone.
    private static func forwarded(in folder: String) -> [SharedSocket] {
        // What others could put there would be believed.
        guard let status = FileStatus(folder), status.kind == .directory, status.isOwn, status.permissions & 0o022 == 0
        else { return [] }
        var found: [(path: String, time: Int64)] = []
        for name in FolderList.names(in: folder, atMost: mostEntries)
        where name.utf8.suffix(5).elementsEqual(".sock".utf8) {
            let path = folder + "/" + name
            guard let status = FileStatus(path), status.kind == .socket else { continue }
            // Sorted as they come: there are a few.
            let index = found.firstIndex { $0.time < status.modified } ?? found.count
            found.insert((path, status.modified), at: index)
        }
        return found.prefix(most).map { SharedSocket(path: $0.path, origin: .forwarded) }
    }

    /// Whether it is a socket, and of somebody who may tell us what our password is.
    ///
    /// In a container, the person outside may have another number than the one inside, or none; but only root puts
    /// something into /run, so what is mounted there is of whoever set up the container. Root itself need not doubt it.
    var isTrusted: Bool {
        guard let status = FileStatus(path), status.kind == .socket else { return false }
        if status.isOwn || status.owner == 0 { return true }
        return origin == .given && (geteuid() == 0 || UserNamespace.isUnmapped(status.owner))
    }

    /// Removes a socket at which nobody listens any more, if it is one that is there for us alone.
    func removeIfForwarded() {
        if origin == .forwarded { unlink(path) }
    }
}
