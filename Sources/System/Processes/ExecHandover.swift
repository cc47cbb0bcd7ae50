internal import CProcess
package import CredentialCore
internal import Glibc

/// The way from the front door to the full program, which keeps our arguments, our descriptors and our process ID.
package enum ExecHandover {
    /// Searches directories in the given order, relative to the directory of this program's file.
    package static func find(_ name: String, in folders: [String]) -> String? {
        guard let home else { return nil }
        return folders.lazy.map { "\(home)/\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    /// The directory of this program's file, links resolved, or `nil` if its name is not UTF-8.
    package static var home: String? { (try? Path.target(ofLink: "/proc/self/exe")).map(Path.folder) }

    /// Lets the next program read what was read from standard input; the bytes never get into a file or an argument.
    package static func replay(_ input: Secret) -> Bool {
        guard let file = FileDescriptor(gitspace_memory_file("request")), input.reveal({ file.write($0) }),
            lseek(file.number, 0, SEEK_SET) == 0
        else { return false }
        return dup2(file.number, STDIN_FILENO) == STDIN_FILENO
    }

    /// Returns only on failure.
    package static func run(_ path: String) {
        // The raw arguments: a `String` would repair invalid UTF-8.
        execv(path, CommandLine.unsafeArgv)
    }
}
