internal import Glibc
internal import Machine

/// Where a person reads: standard error if it is a terminal, else the controlling terminal.
final class Screen {
    private let number: Int32
    private let opened: FileDescriptor?
    /// Whether the cursor stands behind a line that will be replaced.
    private var isLineOpen = false
    /// Whether the terminal understands "back to the start of the line, and erase it".
    private let canRewrite: Bool

    /// Finds the terminal; nil if there is none.
    init?() {
        if isatty(STDERR_FILENO) == 1 {
            number = STDERR_FILENO
            opened = nil
        } else {
            guard let terminal = FileDescriptor(open("/dev/tty", O_WRONLY | O_NOCTTY | O_CLOEXEC)) else { return nil }
            number = terminal.number
            opened = consume terminal
        }
        canRewrite = !["", "dumb"].contains(Environment["TERM"] ?? "")
    }

    /// Writes a line of its own, in one call, since other processes write to the same terminal.
    func write(_ line: String) { send(line + "\n") }

    /// Writes a line that stands until it is replaced; on a terminal that cannot replace, a line like any other.
    func rewriteLine(_ line: String) {
        guard canRewrite else { return write(line) }
        send((isLineOpen ? "\r" : "") + line + (isLineOpen ? "\u{1b}[K" : ""))
        isLineOpen = true
    }

    /// Takes a line that another process has left open for one of our own.
    func takeOverLine() { isLineOpen = canRewrite }

    /// Puts a line in the place of the one that stood until now, or nothing.
    func replaceLine(with line: String?) {
        let start = isLineOpen ? "\r\u{1b}[K" : ""
        isLineOpen = false
        if let line { send(start + line + "\n") } else if !start.isEmpty { send(start) }
    }

    private func send(_ text: String) {
        var text = text
        // A terminal that cannot be written to is no reason to fail: the person may have approved already.
        text.withUTF8 { _ = FileDescriptor.write(UnsafeRawBufferPointer($0), to: number) }
    }
}
