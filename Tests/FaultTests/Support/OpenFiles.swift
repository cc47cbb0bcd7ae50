import Foundation
import Glibc

/// What a process has open: descriptor and target of its links in /proc/PID/fd (proc(5)).
func openFiles(of process: pid_t) -> [Int32: String] {
    let folder = "/proc/\(process)/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.reduce(into: [:]) { files, name in
        guard let number = Int32(name) else { return }
        files[number] = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + name)
    }
}

/// The lock files among them.
func openLockFiles(of process: pid_t) -> [String] {
    openFiles(of: process).values.filter { $0.hasSuffix(".lock") && $0.contains("git-credential-gitspace") }
}

/// The file of the program that a process is running; empty if it is gone.
func program(of process: pid_t) -> String {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")) ?? ""
}
