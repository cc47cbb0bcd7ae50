internal import CredentialCore
internal import Glibc

/// The git command that a person typed, found by following the parents of this process.
///
/// It is a best effort, for messages and for noticing that nobody waits any more.
///
/// The arguments are never used: they may contain `https://user:token@host`.
package enum AskingCommand {
    /// No git command has more processes between itself and its helper.
    private static let deepest = 8

    /// The subcommand, such as `push` or `credential`; nil if it cannot be found out.
    package static func subcommand() -> String? { gits().compactMap { name(in: $0.arguments) }.last }

    /// The process of that command.
    ///
    /// If it is killed, a part of git that it has started may continue and wait for our answer, although nobody waits
    /// for the result.
    package static func watched() -> WatchedProcess? { gits().last.flatMap { WatchedProcess($0.process) } }

    /// The processes above us that are git itself, nearest first.
    private static func gits() -> [(process: pid_t, arguments: [[UInt8]])] {
        var process = getppid()
        var gits: [(process: pid_t, arguments: [[UInt8]])] = []
        for _ in 0..<deepest {
            guard process > 1, let arguments = ProcessEntry.arguments(of: process),
                let program = programName(arguments)
            else { break }
            // `git-remote-https`, and a shell that git may have started, have the command as an ancestor.
            guard ["git", "sh"].contains(program) || program.hasPrefix("git-") else { break }
            if program == "git" { gits.append((process, arguments)) }
            guard let parent = ProcessEntry.parent(of: process) else { break }
            process = parent
        }
        return gits
    }

    /// What a person is told about the command.
    package struct Description {
        /// `git push`.
        package let command: String
        /// Where it runs, with the home directory as `~`.
        package let folder: String
    }

    /// The command and its folder; nil if they cannot be found out.
    package static func description(home: String?) -> Description? {
        guard let subcommand = subcommand(), let folder = workingDirectory(home: home) else { return nil }
        return Description(command: "git \(subcommand)", folder: folder)
    }

    private static func programName(_ arguments: [[UInt8]]) -> String? {
        arguments.first?.split(separator: UInt8(ascii: "/")).last.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The first argument of `git` that is not an option and consists only of letters and hyphens.
    ///
    /// Commands that git runs itself (`remote-https`, `credential-gitspace`) are skipped.
    private static func name(in arguments: [[UInt8]]) -> String? {
        var rest = arguments.dropFirst()
        while let argument = rest.popFirst() {
            if argument.elementsEqual("-c".utf8) || argument.elementsEqual("-C".utf8) {
                rest = rest.dropFirst()
            } else if argument.first != UInt8(ascii: "-") {
                let isWord = argument.allSatisfy { byte in
                    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "-")
                }
                let name = String(decoding: argument, as: UTF8.self)
                return isWord && !name.hasPrefix("remote-") && !name.hasPrefix("credential-") ? name : nil
            }
        }
        return nil
    }

    /// The folder, with the home directory as `~`; nil if it contains characters that are not printable.
    private static func workingDirectory(home: String?) -> String? {
        guard let raw = getcwd(nil, 0) else { return nil }
        defer { free(raw) }
        guard let path = String(validatingCString: raw), path.unicodeScalars.allSatisfy(DisplayText.isVisible) else {
            return nil
        }
        guard let home, home.count > 1, path == home || path.hasPrefix(home + "/") else { return path }
        return "~" + path.dropFirst(home.count)
    }
}
