internal import CProcess
internal import Glibc

/// The trace that `GITSPACE_TRACE` turns on: what was asked, found and decided, and when.
///
/// Create it before opening any file: a descriptor that the person names must not be one of ours. A trace that cannot
/// be written safely is dropped, and nothing else fails.
package struct Trace {
    package enum Refusal: Error, Equatable {
        /// A link, a pipe, a device, or another user's file, where appending could lose the trace or do harm.
        case notOwnFile(String)
        case unwritable(String)
        /// git reads the answer from the same file.
        case answer
    }

    /// Open until the process ends, and not inherited by children.
    private let number: Int32?
    /// `nil` also if a report of the refusal would spoil the answer.
    package let refusal: Refusal?

    package init() {
        do throws(Refusal) {
            number = try Self.open(Environment["GITSPACE_TRACE"])
            refusal = nil
        } catch {
            number = nil
            refusal = Self.isAnswer(STDERR_FILENO) ? nil : error
        }
    }

    package var isOn: Bool { number != nil }

    /// Writes a line in one system call, since other processes may write to the same file.
    ///
    /// `words` is called only if there is a trace.
    package func callAsFunction(_ words: () -> String) {
        guard let number else { return }
        let text = Redaction.redacted(words())
        let line = "\(Self.timeOfDay()) credential-gitspace: \(text)\n"
        Array(line.utf8).withUnsafeBytes { _ = FileDescriptor.write($0, to: number) }
    }

    /// The lowest descriptor to use, above those that callers usually pass on.
    private static let firstNumber: Int32 = 10

    /// Opens what a value names by the rules of `GIT_TRACE` (git(1)): standard error, a descriptor from 2 to 9 that the
    /// caller has opened, or a file by its absolute path; any other value turns the trace off.
    private static func open(_ value: String?) throws(Refusal) -> Int32? {
        guard let value, !value.isEmpty else { return nil }
        if ["1", "true"].contains(value.lowercased()) { return try duplicate(STDERR_FILENO) }
        if Path.isAbsolute(value) { return try duplicate(file(value)) }
        guard value.utf8.count == 1, let named = Int32(value), named >= 2 else { return nil }
        return try duplicate(named)
    }

    /// Opens a regular file of the person's own, and creates it private; does not wait for the reader of a named pipe.
    private static func file(_ path: String) throws(Refusal) -> FileDescriptor {
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        guard let file = FileDescriptor(opening: path, flags, mode: 0o600) else {
            // open(2): ELOOP for a link, ENXIO for a pipe without a reader.
            throw [ELOOP, ENXIO].contains(errno) ? .notOwnFile(path) : .unwritable(path)
        }
        guard let status = FileStatus(of: file) else { throw .unwritable(path) }
        let isOwnFile = status.kind == .regular && status.isOwn && status.links == 1
        guard isOwnFile || FileStatus("/dev/null").map(status.isSameFile) == true else { throw .notOwnFile(path) }
        return file
    }

    /// Borrows the file during the call, which keeps it open.
    private static func duplicate(_ file: borrowing FileDescriptor) throws(Refusal) -> Int32? {
        try duplicate(file.number)
    }

    /// - Returns: the copy, or `nil` if the descriptor is closed.
    private static func duplicate(_ named: Int32) throws(Refusal) -> Int32? {
        guard !isAnswer(named) else { throw .answer }
        let number = fcntl(named, F_DUPFD_CLOEXEC, firstNumber)
        return number >= 0 ? number : nil
    }

    /// Whether the descriptor is the answer's file; a terminal does not count, since a person reads both there.
    private static func isAnswer(_ number: Int32) -> Bool {
        guard let status = FileStatus(ofDescriptor: number), let other = FileStatus(ofDescriptor: STDOUT_FILENO) else {
            return false
        }
        return status.kind != .character && status.isSameFile(as: other)
    }

    /// `HH:MM:SS.uuuuuu` in local time.
    private static func timeOfDay() -> String {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        var parts = tm()
        guard localtime_r(&now.tv_sec, &parts) != nil else { return "" }
        let fields = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { padded(Int($0), to: 2) }
        return fields.joined(separator: ":") + "." + padded(now.tv_nsec / 1_000, to: 6)
    }

    private static func padded(_ number: Int, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
