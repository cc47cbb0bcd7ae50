package import CredentialCore
internal import Glibc

/// Small files next to each lock, in the directory that only its owner can enter.
///
/// The holder of the lock replaces them by rename(2), so that reading needs no lock. They contain no names of accounts
/// or programs; during a sign-in, also its page and user code, and a pipe through which waiting processes cancel it.
package struct SignInNotesFiles {
    /// Seconds for which a refusal holds if there is no git command.
    private static let silence: Int64 = 60
    private static let nobody = "-"

    private let directory: () -> LockDirectory?
    private let command: () -> String?
    private let terminal: () -> String?

    /// `command` and `terminal` return a unique identity, or `nil` if there is none.
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
        let refusals = RefusalFile(of: signIn, in: directory).refusals
        if let command = command() { return refusals.contains { $0.command == command } ? .inThisCommand : nil }
        let now = SystemClock().now
        let isRecent = refusals.contains { $0.command == Self.nobody && now - $0.time < Self.silence }
        return isRecent ? .shortlyBefore : nil
    }

    package func noteRefusal(of signIn: LockName) {
        guard let directory = directory() else { return }
        RefusalFile(of: signIn, in: directory).add(command() ?? Self.nobody, at: SystemClock().now)
    }

    package func noteStart(of signIn: LockName) {
        // A process that was killed may have left its code.
        if let code = path(signIn, Self.code) { unlink(code) }
        guard let path = path(signIn, Self.start) else { return }
        FileReplacement.replace(path, with: "\(command() ?? Self.nobody) \(terminal() ?? Self.nobody)\n")
    }

    package func noteEnd(of signIn: LockName) {
        for kind in [Self.start, Self.code] { if let path = path(signIn, kind) { unlink(path) } }
    }

    package func noteCode(_ code: NotedCode, of signIn: LockName) {
        guard let path = path(signIn, Self.code) else { return }
        FileReplacement.replace(path, with: "\(code.end) \(code.userCode) \(code.page)\n")
    }

    package func code(of signIn: LockName) -> NotedCode? {
        guard let line = path(signIn, Self.code).flatMap({ words(ofLinesIn: $0).first }), line.count == 3,
            let end = DecimalNumber.parse(Array(line[0].utf8))
        else { return nil }
        return NotedCode(userCode: line[1], page: line[2], end: end)
    }

    package func cancel(_ signIn: LockName) {
        guard let path = path(signIn, Self.cancellation),
            let pipe = FileDescriptor(opening: path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW)
        else { return }
        _ = [UInt8(1)].withUnsafeBytes { pipe.write($0) }
    }

    package func cancellation(of signIn: LockName) -> (any SignInCancellation)? {
        path(signIn, Self.cancellation).flatMap { CancellationPipe(at: $0) }
    }

    package func place(of signIn: LockName) -> SignInLocation? {
        guard let line = path(signIn, Self.start).flatMap({ words(ofLinesIn: $0).first }), line.count == 2 else {
            return nil
        }
        if let command = command(), line[0] == command { return .thisCommand }
        guard line[1] != Self.nobody else { return .elsewhere }
        return line[1] == terminal() ? .thisTerminal : .anotherTerminal
    }

    private static let (start, code, cancellation) = ("asking", "code", "cancel")

    private func path(_ signIn: LockName, _ kind: String) -> String? {
        directory().map { "\($0.path)/\(signIn.text).\(kind)" }
    }
}

/// A named pipe, which reaches the lock's holder even from another container.
private final class CancellationPipe: SignInCancellation {
    private let path: String
    private let pipe: FileDescriptor

    init?(at path: String) {
        unlink(path)
        // Open for writing too, so that the pipe is not at its end while no other process has it open.
        guard mkfifo(path, 0o600) == 0, let pipe = FileDescriptor(opening: path, O_RDWR | O_NONBLOCK | O_NOFOLLOW)
        else { return nil }
        self.path = path
        self.pipe = pipe
    }

    deinit { unlink(path) }

    var descriptor: Int32 { pipe.number }

    var isRequested: Bool {
        var byte: UInt8 = 0
        return withUnsafeMutableBytes(of: &byte) { pipe.read(into: $0) } > 0
    }
}

/// The refusals of a sign-in or a notification, a line for each git command.
///
/// The file's modification time is that of the last refusal or failure, at which waiting processes give up too.
struct RefusalFile {
    /// Seconds after which a refusal is dropped: no command runs longer than a day.
    private static let longest: Int64 = 86_400
    private static let most = 32

    private let path: String

    init(of name: LockName, in directory: LockDirectory) { path = directory.path + "/" + name.text + ".refused" }

    /// Nanoseconds since 1970, or `nil` if there was no refusal.
    var time: Int64? {
        FileStatus(withoutFollowing: path).flatMap { $0.kind == .regular ? $0.modified : nil }
    }

    /// Marks a failure; if that fails, other processes just show their own prompt.
    func touch() {
        let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK
        guard let file = FileDescriptor(opening: path, flags, mode: 0o600) else { return }
        futimens(file.number, nil)
    }

    /// The refusals that have not expired, in seconds since 1970.
    ///
    /// A future time, noted before the clock was set back, is ignored, since it would hold too long.
    var refusals: [(command: String, time: Int64)] {
        let now = SystemClock().now
        return words(ofLinesIn: path).compactMap { words in
            guard words.count == 2, let time = DecimalNumber.parse(Array(words[1].utf8)),
                (0..<Self.longest).contains(now - time)
            else { return nil }
            return (words[0], time)
        }
    }

    /// If that fails, the person is asked once more.
    func add(_ command: String, at time: Int64) {
        let others = refusals.filter { $0.command != command }.suffix(Self.most - 1)
        FileReplacement.replace(path, with: (others + [(command, time)]).map { "\($0.command) \($0.time)\n" }.joined())
    }
}

/// None if the file cannot be read.
func words(ofLinesIn path: String, atMost most: Int = 4_096) -> [[String]] {
    guard let text = try? FileReader.contents(of: path, atMost: most) else { return [] }
    return text.split(separator: UInt8(ascii: "\n")).map { line in
        line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
    }
}
