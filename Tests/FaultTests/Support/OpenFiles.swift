import Staging

// The programs under test hide their entries in /proc from all users but root (prctl(2), PR_SET_DUMPABLE). Unless noted
// otherwise, the files read here are readable for everybody.

/// The open files of a process: descriptors and link targets in /proc/PID/fd (proc(5)).
///
/// Empty if we may not look: only root sees those of a program that protects itself.
func openFiles(of process: pid_t) -> [Int32: String] {
    let folder = "/proc/\(process)/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.reduce(into: [:]) { files, name in
        guard let number = Int32(name) else { return }
        files[number] = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + name)
    }
}

/// The lock files that a process holds, according to /proc/locks (proc(5)).
///
/// Files are searched in the user's runtime directory and the session's state folder. If we may read the process's open
/// files, those count too, since on some file systems the kernel's list has other inode numbers.
func heldLockFiles(of process: pid_t, in session: Session) -> [String] {
    let folders = ["/run/user/\(geteuid())", session.home + "/.local/state"].map { $0 + "/git-credential-gitspace" }
    let held = heldLocks(of: process)
    let open = openFiles(of: process).values
    return folders.flatMap { folder in
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".lock") }.map { folder + "/" + $0 }
    }.filter { file in
        var status = stat()
        return open.contains(file) || lstat(file, &status) == 0 && held.contains(UInt64(status.st_ino))
    }
}

/// The inodes of all files that a process has locked with flock(2).
func heldLocks(of process: pid_t) -> [UInt64] {
    let locks = (try? String(contentsOfFile: "/proc/locks", encoding: .utf8)) ?? ""
    return locks.split(separator: "\n").compactMap { line in
        // A line is `1: FLOCK  ADVISORY  WRITE 4711 fe:00:15204454 0 EOF`.
        let fields = line.split(separator: " ")
        guard fields.count > 5, fields[1] == "FLOCK", pid_t(fields[4]) == process else { return nil }
        return fields[5].split(separator: ":").last.flatMap { UInt64($0) }
    }
}

/// The path of a process's program; empty if the process has ended.
///
/// If only root may read it, the name in the command line is used. The full program keeps the front door's name there,
/// but has more than one thread, from its first call to the keyring on.
func program(of process: pid_t) -> String {
    if let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe") { return file }
    guard let name = commandLine(of: process).first else { return "" }
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task"))?.count ?? 0
    return threads > 1 ? name + "-full" : name
}
