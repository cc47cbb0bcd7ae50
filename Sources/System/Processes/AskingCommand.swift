package import CredentialCore
internal import Glibc

/// The git command that asks, found as far as possible by following the parents of this process.
///
/// Messages name the command, a sign-in ends with it, and a person is asked only once in it. Its arguments are never
/// shown: they may contain `https://user:token@host`.
package enum AskingCommand {
    /// Nested submodules add a few processes each; git has no longer chain.
    private static let deepest = 64

    /// The processes of git above this one, nearest first, and the program that started git, neither git nor a shell
    /// that runs a line for it; `nil` if unknown.
    private static let found: (gits: [(process: pid_t, arguments: [[UInt8]])], program: pid_t?) = {
        var gits: [(process: pid_t, arguments: [[UInt8]])] = []
        let group = ProcessEntry.group(of: getpid())
        for (process, arguments, program) in chain where process > 1 {
            if program == "git" {
                gits.append((process, arguments))
            } else if shells.contains(program) {
                // A shell that runs a hook, an alias or a script is of the command's process group; an interactive one
                // gives each command a group of its own.
                guard ProcessEntry.group(of: process) == group else { break }
            } else if !program.hasPrefix("git-") {
                // `git-remote-https` and `git-lfs` have the command as an ancestor; other programs end the search.
                return (gits, process)
            }
        }
        return (gits, nil)
    }()

    /// The known subcommands, nearest first.
    private static var names: [String] { found.gits.compactMap { name(in: $0.arguments) } }

    /// The subcommand, such as `push` or `credential`, or `nil` if unknown.
    package static func subcommand() -> String? { names.last }

    /// Whether git clones, so that the repository does not exist yet; also true for submodules.
    package static var isClone: Bool { names.first == "clone" }

    package static var isAboutSubmodule: Bool { names.contains { $0.hasPrefix("submodule") } }

    /// The folder in which git runs, if the command was started in another one, as for a submodule.
    package static var otherFolder: String? {
        guard let command = found.gits.last?.process, let folder = try? Path.real("."),
            (try? Path.real("/proc/\(command)/cwd")) != folder
        else { return nil }
        return folder
    }

    /// The command to watch: if it is killed, a part of git that it started may still wait for our answer.
    package static func watched() -> WatchedProcess? { found.gits.last.flatMap { WatchedProcess($0.process) } }

    /// A unique identity of this git command, across containers and restarts, or `nil` if git does not ask.
    package static let identity: String? = {
        // libgit2 programs start `git credential-gitspace get`, where git would start us directly.
        guard let command = found.gits.last(where: { !isLauncher($0.arguments) })?.process,
            let start = ProcessEntry.start(of: command)
        else { return nil }
        var digest = SHA256()
        digest.update(field: FileReader.beginning(of: "/proc/sys/kernel/random/boot_id", atMost: 64) ?? [])
        digest.update(field: ProcessEntry.namespace)
        digest.update(field: "\(command)".utf8)
        digest.update(field: start)
        return String(decoding: digest.finish().prefix(32), as: UTF8.self)
    }()

    /// The processes above this one, nearest first, as far as they can be seen.
    private static var chain: some Sequence<(process: pid_t, arguments: [[UInt8]], program: String)> {
        sequence(first: getppid()) { ProcessEntry.parent(of: $0) }.prefix(deepest).lazy.map { process in
            let arguments = process > 0 ? ProcessEntry.arguments(of: process) : nil
            return arguments.flatMap { all in programName(all).map { (process: process, arguments: all, program: $0) } }
        }.prefix { $0 != nil }.compactMap(\.self)
    }

    private static let shells: Set = [
        "sh", "bash", "rbash", "dash", "zsh", "ksh", "ksh93", "mksh", "oksh", "ash", "busybox", "yash", "fish", "csh",
        "tcsh", "nu", "elvish", "pwsh",
    ]

    /// The process that started `git credential`, the helper, or the part of git that runs it.
    ///
    /// A shell that was given a line (`sh -c`) stands for its parent, because programs run lines as well. It stands for
    /// a person if it leads a session, as one of ssh, cron or a terminal does, or has no parent, as in a container.
    package static let requester: Requester = {
        var isCredentialCommand = false
        for (process, arguments, program) in chain {
            if shells.contains(program) {
                guard runsLine(arguments), ProcessEntry.parent(of: process) != 0,
                    ProcessEntry.session(of: process) != process
                else { return .person }
            } else if program == "git-lfs" {
                return .git
            } else if program == "git" {
                // An alias may have run `git credential`; git itself never does.
                let isTransport = !isCredentialCommand && !isLauncher(arguments)
                if isTransport, name(in: arguments) != "credential" { return .git }
                isCredentialCommand = isCredentialCommand || isTransport
            } else {
                return program.hasPrefix("git-") && !isCredentialCommand ? .git : .program
            }
        }
        return .program
    }()

    /// Whether a shell was given a line to run, rather than a script or a terminal.
    private static func runsLine(_ arguments: [[UInt8]]) -> Bool {
        var options = arguments.dropFirst(programName(arguments) == "busybox" ? 2 : 1)
        while let option = options.popFirst(), let sign = option.first, "-+".utf8.contains(sign) {
            let isLong = option.starts(with: "--".utf8)
            if isLong ? option.elementsEqual("--command".utf8) : option.contains(UInt8(ascii: "c")) { return true }
            // `-o pipefail`
            if !isLong, let last = option.last, "oO".utf8.contains(last) { options = options.dropFirst() }
        }
        return false
    }

    /// Whether `git maintenance` asks, or `git for-each-repo`, which its scheduled jobs run: no person waits for these.
    package static var isMaintenance: Bool { names.contains { ["maintenance", "for-each-repo"].contains($0) } }

    private static func isLauncher(_ arguments: [[UInt8]]) -> Bool {
        subcommand(in: arguments)?.starts(with: "credential-".utf8) ?? false
    }

    package enum Asker: Equatable {
        case git(String)
        /// A program that uses credentials as git does, such as `cargo`.
        case program(String)
        case unknown
    }

    package static var asker: Asker {
        if let subcommand = subcommand() { return .git("git \(subcommand)") }
        if found.gits.contains(where: { !isLauncher($0.arguments) }) { return .git("git") }
        return found.program.flatMap(ProcessEntry.name).map { .program($0) } ?? .unknown
    }

    /// The subcommand of letters and hyphens, except git's own (`remote-https`, `credential-gitspace`).
    private static func name(in arguments: [[UInt8]]) -> String? {
        guard let argument = subcommand(in: arguments) else { return nil }
        let isWord = argument.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "-")
        }
        let name = String(decoding: argument, as: UTF8.self)
        return isWord && !name.hasPrefix("remote-") && !name.hasPrefix("credential-") ? name : nil
    }

    private static func subcommand(in arguments: [[UInt8]]) -> [UInt8]? {
        var rest = arguments.dropFirst()
        while let option = rest.first, option.first == UInt8(ascii: "-") {
            rest = rest.dropFirst(withValue.contains(String(decoding: option, as: UTF8.self)) ? 2 : 1)
        }
        return rest.first
    }

    /// git's options whose value is the next argument (`handle_options` in its git.c).
    private static let withValue: Set = [
        "-c", "-C", "--git-dir", "--work-tree", "--namespace", "--config-env", "--attr-source", "--super-prefix",
    ]

    private static func programName(_ arguments: [[UInt8]]) -> String? {
        // A login shell has a hyphen before its name.
        arguments.first?.split(separator: UInt8(ascii: "/")).last.map { name in
            String(decoding: name.first == UInt8(ascii: "-") ? name.dropFirst() : name, as: UTF8.self)
        }
    }

    /// The current folder, with `~` for the home directory; `nil` if the path has unprintable characters.
    package static var folder: String? {
        guard let path = try? Path.real("."), path.unicodeScalars.allSatisfy(DisplayText.isVisible) else { return nil }
        let home = Environment["HOME"] ?? ""
        return home.count > 1 && (path == home || path.hasPrefix(home + "/")) ? "~" + path.dropFirst(home.count) : path
    }
}
