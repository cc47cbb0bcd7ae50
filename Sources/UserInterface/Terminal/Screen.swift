internal import Glibc
internal import Messages
internal import System

/// Where a person reads: standard error if it is a terminal, else the controlling terminal.
final class Screen {
    /// The terminal.
    let number: Int32
    private let opened: FileDescriptor?
    /// The columns that the line takes behind which the cursor stands, and which will be replaced; nil if there is none.
    private var openLine: Int?
    /// StoredMatch when there is first something to show: git's configuration has a say in it.
    private(set) lazy var style = makeStyle()
    private let makeStyle: () -> ScreenStyle

    /// Finds the terminal; nil if there is none.
    ///
    /// - Parameter style: finds out what it can show.
    init?(style: @escaping () -> ScreenStyle) {
        makeStyle = style
        if isatty(STDERR_FILENO) == 1 {
            number = STDERR_FILENO
            opened = nil
        } else {
            guard let terminal = FileDescriptor(opening: "/dev/tty", O_WRONLY | O_NOCTTY) else { return nil }
            number = terminal.number
            opened = consume terminal
        }
    }

    /// How words are laid out now.
    var form: ScreenForm { ScreenForm(columns: columns, style: style) }

    private var columns: Int { TextOutput.columns(of: number) }

    /// Writes lines of their own, in one call, since other processes write to the same terminal.
    func write(_ lines: [String]) { send(lines.map { $0 + "\n" }.joined()) }

    /// Writes a line that stands until it is replaced; where it cannot be replaced, a line like any other.
    func rewriteLine(_ line: String) {
        guard style.rewrites, WaitingLine.fits(line, form) else { return replaceLine(with: [line]) }
        send(start + line + (openLine == nil ? "" : "\u{1b}[K"))
        openLine = Language.columns(of: line)
    }

    /// Takes a line that another process has left open for one of our own.
    func takeOverLine() { openLine = style.rewrites ? 0 : nil }

    /// Puts lines in the place of the one that stood until now, or nothing.
    func replaceLine(with lines: [String] = []) {
        let start = openLine == nil ? "" : start + "\u{1b}[K"
        openLine = nil
        guard !start.isEmpty || !lines.isEmpty else { return }
        send(start + lines.map { $0 + "\n" }.joined())
    }

    /// Sends a control sequence that shows nothing.
    func control(_ sequence: String) { send(sequence) }

    /// Back to the start of the open line; on to the next one if the window has become too narrow for it, since then the
    /// terminal has wrapped it, and the cursor is not where it began.
    private var start: String {
        guard let openLine else { return "" }
        return openLine <= columns ? "\r" : "\n"
    }

    private func send(_ text: String) {
        var text = text
        // A terminal that cannot be written to is no reason to fail: the person may have approved already.
        text.withUTF8 { _ = FileDescriptor.write(UnsafeRawBufferPointer($0), to: number) }
    }
}
