import Staging

/// Counts of items, files, processes and memory while no step runs.
struct Census {
    /// Items of the keyring.
    var items = 0
    /// Files below the home and runtime folders, without locks.
    var files = 0
    /// Lock files, and marks of declined sign-ins.
    ///
    /// They are kept, one for each account and purpose: if a lock file was removed, two processes could hold the lock.
    var locks = 0
    /// Lock files that a process holds.
    var heldLocks = 0
    /// Other files of the program: the list of refused tokens, and new files before their renaming.
    var ownFiles = 0
    /// Running processes of the program.
    var processes = 0
    /// Open files of the keyring's daemon; 0 if only root may look.
    var daemonFiles = 0
    /// Memory in kB of the keyring's daemon and of the bus.
    var daemonMemory = 0
    var busMemory = 0
}

extension Machine {
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

    /// The folders of the program's files: below /run/user if that exists, otherwise in the home.
    private var ownFolders: [String] {
        ["/run/user/\(geteuid())", session.home + "/.local/state"].map { $0 + "/git-credential-gitspace" }
    }

    /// All files below a folder, without the folders.
    private func files(in folder: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return names.map { folder + "/" + $0 }.filter { path in
            var status = stat()
            return lstat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR
        }
    }

    /// Whether another process holds a file's lock (flock(2)).
    private func isLocked(_ path: String) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return false }
        defer { close(file) }
        return flock(file, LOCK_EX | LOCK_NB) != 0
    }

    /// How many processes run a program built here; a killed one counts until its parent has waited for it.
    private var runningPrograms: Int {
        allProcesses().count { commandLine(of: $0).first?.hasPrefix(BuiltFiles.helper) == true }
    }

    /// A process's memory in kB: VmRSS of proc(5).
    private func memory(of process: pid_t) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }
}
