internal import CProcess
internal import Glibc

/// The program that replaces this one: it keeps our arguments, our descriptors and our process ID.
package enum ExecHandover {
    /// Finds a program that was installed with this one, in the given order of directories.
    ///
    /// - Parameters:
    ///   - name: its file name.
    ///   - folders: where to look, relative to the directory that really contains this program, with symlinks resolved.
    /// - Returns: its absolute path; nil if it is in none of them.
    package static func find(_ name: String, in folders: [String]) -> String? {
        guard let home else { return nil }
        return folders.lazy.map { "\(home)/\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    /// The directory that really contains this program, with symlinks resolved; nil if its name is not UTF-8.
    package static var home: String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0, count < buffer.count else { return nil }
        let bytes = buffer[..<count].map { UInt8(bitPattern: $0) }
        return bytes.lastIndex(of: UInt8(ascii: "/")).flatMap { String(validating: bytes[..<$0], as: UTF8.self) }
    }

    /// Puts bytes that were read from standard input back, so that the next program can read them.
    ///
    /// They are only in memory, never in a file or an argument.
    ///
    /// - Returns: whether that worked.
    package static func replay(_ input: [UInt8]) -> Bool {
        guard let file = FileDescriptor(gitspace_memory_file("request")), input.withUnsafeBytes({ file.write($0) }),
            lseek(file.number, 0, SEEK_SET) == 0
        else { return false }
        return dup2(file.number, STDIN_FILENO) == STDIN_FILENO
    }

    /// Executes the program; returns only if that fails.
    package static func run(_ path: String) {
        // The arguments as they are, not as a `String` would repair them.
        execv(path, CommandLine.unsafeArgv)
    }
}
