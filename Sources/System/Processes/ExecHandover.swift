internal import CProcess
package import CredentialCore
internal import Glibc

/// The way from the front door to the full program, which keeps our arguments, our descriptors and our process ID.
package enum ExecHandover {
    /// In the given order of directories, which are relative to the one that really contains this program.
    package static func find(_ name: String, in folders: [String]) -> String? {
        guard let home else { return nil }
        return folders.lazy.map { "\(home)/\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    /// It really contains this program, with symlinks resolved; nil if its name is not UTF-8.
    package static var home: String? {
        (try? Path.target(ofLink: "/proc/self/exe")).map(Path.folder)
    }

    /// So that the next program can read what was read from standard input.
    ///
    /// They are only in memory, never in a file or an argument.
    package static func replay(_ input: Secret) -> Bool {
        guard let file = FileDescriptor(gitspace_memory_file("request")), input.reveal({ file.write($0) }),
            lseek(file.number, 0, SEEK_SET) == 0
        else { return false }
        return dup2(file.number, STDIN_FILENO) == STDIN_FILENO
    }

    /// Returns only if that fails.
    package static func run(_ path: String) {
        // The arguments as they are, not as a `String` would repair them.
        execv(path, CommandLine.unsafeArgv)
    }
}
