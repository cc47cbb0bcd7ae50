package import CredentialCore
internal import Glibc

/// Notes about sign-ins in two small files next to each lock, in the directory that only its owner can enter.
///
/// The holder of the lock writes them, and replaces them by rename(2), so that reading needs no lock. They contain
/// digests and numbers, and no name of a host, an account or a program.
package struct SignInNotesFiles {
    /// Seconds for which a no holds if no git command asks.
    private static let silence: Int64 = 60
    /// Seconds after which a no is no longer kept: no command goes on for longer than a day.
    private static let longest: Int64 = 86_400
    /// The maximum number of commands whose no is kept for a sign-in.
    private static let most = 32
    /// Stands for a command where no git command asks.
    private static let nobody = "-"

    private let directory: () -> LockDirectory?
    private let command: () -> String?
    private let terminal: () -> String?

    /// Notes of this process.
    ///
    /// - Parameters:
    ///   - directory: where the locks are.
    ///   - command: tells the git command that asks from every other one; nil if there is none.
    ///   - terminal: tells the terminal from every other one; nil if there is none.
    package init(
        in directory: @escaping () -> LockDirectory? = LockDirectory.init,
        command: @escaping () -> String? = { AskingCommand.identity },
        terminal: @escaping () -> String? = { ProcessEntry.terminal(of: getpid()) }
    ) {
        self.directory = directory
        self.command = command
        self.terminal = terminal
    }

    package func refusal(of signIn: LockName) -> SignInRefusal? {
        guard let directory = directory() else { return nil }
        let refusals = Self.refusals(of: signIn, in: directory)
        if let command = command() { return refusals.contains { $0.command == command } ? .inThisCommand : nil }
        let now = SystemClock().now
        let isRecent = refusals.contains { $0.command == Self.nobody && now - $0.time < Self.silence }
        return isRecent ? .shortlyBefore : nil
    }

    package func noteRefusal(of signIn: LockName) {
        guard let directory = directory() else { return }
        let new = Refusal(command: command() ?? Self.nobody, time: SystemClock().now)
        let others = Self.refusals(of: signIn, in: directory).filter { $0.command != new.command }
        let lines = (others.suffix(Self.most - 1) + [new]).map { "\($0.command) \($0.time)\n" }
        // If that fails, the person is asked once more.
        FileReplacement.replace(Self.refusalsPath(signIn, directory), with: lines.joined())
    }

    package func noteStart(of signIn: LockName) {
        guard let directory = directory() else { return }
        FileReplacement.replace(
            Self.startPath(signIn, directory), with: "\(command() ?? Self.nobody) \(terminal() ?? Self.nobody)\n")
    }

    package func noteEnd(of signIn: LockName) {
        if let directory = directory() { unlink(Self.startPath(signIn, directory)) }
    }

    package func place(of signIn: LockName) -> SignInPlace? {
        guard let directory = directory(), let line = Self.lines(of: Self.startPath(signIn, directory)).first,
            line.count == 2
        else { return nil }
        if let command = command(), line[0] == command { return .thisCommand }
        guard line[1] != Self.nobody else { return .elsewhere }
        return line[1] == terminal() ? .thisTerminal : .anotherTerminal
    }

    private struct Refusal {
        let command: String
        let time: Int64
    }

    /// What was noted and is not too old.
    ///
    /// A time that has yet to come was noted before the clock was set back, and does not count: it would hold for much
    /// longer than it should, and the person can say no again.
    private static func refusals(of signIn: LockName, in directory: LockDirectory) -> [Refusal] {
        let now = SystemClock().now
        return lines(of: refusalsPath(signIn, directory)).compactMap { fields in
            guard fields.count == 2, let time = DecimalNumber.parse(Array(fields[1].utf8)),
                (0..<longest).contains(now - time)
            else { return nil }
            return Refusal(command: fields[0], time: time)
        }
    }

    private static func refusalsPath(_ signIn: LockName, _ directory: LockDirectory) -> String {
        directory.path + "/" + signIn.text + ".refused"
    }

    private static func startPath(_ signIn: LockName, _ directory: LockDirectory) -> String {
        directory.path + "/" + signIn.text + ".asking"
    }

    private static func lines(of path: String) -> [[String]] {
        guard let text = try? FileReader.contents(of: path, atMost: 4_096) else { return [] }
        return text.split(separator: UInt8(ascii: "\n")).map { line in
            line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
        }
    }
}
