import Foundation
import Glibc
import Staging

/// What there is at a moment at which nothing is done.
struct Census {
    /// Items of the keyring.
    var items = 0
    /// Files below the home and the runtime folder, those of locks not counted.
    var files = 0
    /// Lock files, and the marks of sign-ins that were given up: they stay, one for each account and purpose, since
    /// whoever removes a lock file lets two processes hold the lock.
    var locks = 0
    /// Of those, the ones that somebody holds.
    var heldLocks = 0
    /// Other files of the program's: what it remembers of refused tokens, new files before they are renamed.
    var ownFiles = 0
    /// Processes of the program.
    var processes = 0
    /// What the keyring's daemon has open; 0 where only root may look.
    var daemonFiles = 0
    /// Memory in kB: of the keyring's daemon, of the bus.
    var daemonMemory = 0
    var busMemory = 0
}

extension Machine {
    /// Counts it all.
    func census() async throws -> Census {
        let daemon = try await daemon()
        let bus = try await process(named: "org.freedesktop.DBus") ?? 0
        var census = Census()
        census.items = try await session.items().count
        let own = ownFolders.flatMap(files)
        let locks = own.filter { $0.hasSuffix(".lock") || $0.hasSuffix(".refused") }
        census.files = (files(in: session.home) + files(in: runtimeFolder)).count - locks.count
        census.locks = locks.count
        census.heldLocks = locks.count(where: isLocked)
        census.ownFiles = own.count - locks.count
        census.processes = runningPrograms
        census.daemonFiles = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon)/fd").count) ?? 0
        census.daemonMemory = memory(of: daemon)
        census.busMemory = memory(of: bus)
        return census
    }

    private var runtimeFolder: String { session.environment["XDG_RUNTIME_DIR"] ?? "" }

    /// Where the program keeps files: below /run/user where that is, else in the home.
    private var ownFolders: [String] {
        ["/run/user/\(geteuid())", session.home + "/.local/state"].map { $0 + "/git-credential-gitspace" }
    }

    /// All that is no folder below a folder.
    private func files(in folder: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return names.map { folder + "/" + $0 }.filter { path in
            var status = stat()
            return lstat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR
        }
    }

    /// Whether another process holds the lock of a file (flock(2)).
    private func isLocked(_ path: String) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return false }
        defer { close(file) }
        return flock(file, LOCK_EX | LOCK_NB) != 0
    }

    /// How many processes run a program that was built here; what is killed may be seen until its parent has asked.
    private var runningPrograms: Int {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { pid_t($0) }.filter { process in
            commandLine(of: process).first?.hasPrefix(BuiltFiles.helper) == true
        }.count
    }

    /// The memory that a process has in use, in kB: VmRSS of proc(5).
    private func memory(of process: pid_t) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }
}
