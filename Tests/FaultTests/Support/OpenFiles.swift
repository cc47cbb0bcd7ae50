import Foundation
import Glibc
import Staging

// The programs under test take their entries in /proc away from everybody but root (prctl(2), PR_SET_DUMPABLE). What
// is looked at here, anybody may read, unless it says otherwise.

/// What a process has open: descriptor and target of its links in /proc/PID/fd (proc(5)).
///
/// Nothing for those who may not look: of a program that protects itself, only root sees it.
func openFiles(of process: pid_t) -> [Int32: String] {
    let folder = "/proc/\(process)/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.reduce(into: [:]) { files, name in
        guard let number = Int32(name) else { return }
        files[number] = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + name)
    }
}

/// The lock files on which a process holds a lock, by the kernel's own list, /proc/locks (proc(5)).
///
/// They are looked for where they may be: in the user's runtime directory, and the session's state folder. Where we may see
/// what the process has open, that counts as well: on some file systems the kernel's list has numbers of its own.
func heldLockFiles(of process: pid_t, in session: Session) -> [String] {
    let folders = ["/run/user/\(geteuid())", session.home + "/.local/state"].map { $0 + "/git-credential-gitspace" }
    let held = heldLocks(of: process)
    let open = openFiles(of: process).values
    return folders.flatMap { folder in
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".lock") }.map { folder + "/" + $0 }
    }
    .filter { file in
        var status = stat()
        return open.contains(file) || lstat(file, &status) == 0 && held.contains(UInt64(status.st_ino))
    }
}

/// The inodes of all files on which a process holds a lock of flock(2).
func heldLocks(of process: pid_t) -> [UInt64] {
    let locks = (try? String(contentsOfFile: "/proc/locks", encoding: .utf8)) ?? ""
    return locks.split(separator: "\n").compactMap { line in
        // `1: FLOCK  ADVISORY  WRITE 4711 fe:00:15204454 0 EOF`
        let fields = line.split(separator: " ")
        guard fields.count > 5, fields[1] == "FLOCK", pid_t(fields[4]) == process else { return nil }
        return fields[5].split(separator: ":").last.flatMap { UInt64($0) }
    }
}

/// The file of the program that a process is running; empty if it is gone.
///
/// Where only root may read that, it is what the program was called by; the full program keeps the front door's name,
/// and is told from it by having more than one thread, as it has from its first word with the keyring on.
func program(of process: pid_t) -> String {
    if let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe") { return file }
    guard let name = commandLine(of: process).first else { return "" }
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task"))?.count ?? 0
    return threads > 1 ? name + "-full" : name
}
