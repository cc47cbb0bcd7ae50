internal import Glibc

/// What `GITSPACE_TRACE` shows: what was asked, found and decided, and when.
///
/// Made before anything is opened: a descriptor that the person names must not turn out to be one of ours, least of all
/// the one where git reads the answer.
package struct Trace {
    /// Where the lines go; nil if nobody wants them.
    ///
    /// Ours until the process ends, and not a child's.
    private let number: Int32?

    /// The trace that the environment asks for.
    package init() { number = Self.open(TraceDestination(Environment["GITSPACE_TRACE"])) }

    /// Whether anybody reads it.
    package var isOn: Bool { number != nil }

    /// Tells something, in one call, since other processes may write to the same file.
    ///
    /// - Parameter words: made only if somebody reads them.
    package func callAsFunction(_ words: () -> String) {
        guard let number else { return }
        Array(TraceLine.text(words(), at: Self.timeOfDay()).utf8)
            .withUnsafeBytes { _ = FileDescriptor.write($0, to: number) }
    }

    /// The first descriptor that is taken, beyond those that a caller may pass on.
    private static let firstNumber: Int32 = 10

    private static func open(_ destination: TraceDestination) -> Int32? {
        let number: Int32
        switch destination {
        case .off: return nil
        case .standardError: number = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, firstNumber)
        case .descriptor(let named): number = fcntl(named, F_DUPFD_CLOEXEC, firstNumber)
        // Not waiting for somebody to read a named pipe; readable for nobody else.
        case .file(let path):
            let flags = O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY
            guard let file = FileDescriptor(opening: path, flags, mode: 0o600) else { return nil }
            number = fcntl(file.number, F_DUPFD_CLOEXEC, firstNumber)
        }
        return number >= 0 ? number : nil
    }

    /// `HH:MM:SS.uuuuuu`, local time.
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
