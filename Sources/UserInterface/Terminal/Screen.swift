internal import Glibc
internal import Helper
internal import Language
internal import System

/// The person's terminal: standard error if it is one, or else the controlling terminal.
final class Screen {
    let number: Int32
    private let opened: FileDescriptor?
    /// The columns of the open line, which will be replaced, or `nil` if there is none.
    private var openLine: Int?
    /// Determined when there is first something to show, since it depends on git's configuration.
    private(set) lazy var style = makeStyle()
    private let makeStyle: () -> ScreenStyle

    /// `nil` if there is no terminal.
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

    /// Computed each time, since the window may change.
    var form: ScreenForm { ScreenForm(columns: columns, rows: TextOutput.rows(of: number), style: style) }

    private var columns: Int { TextOutput.columns(of: number) }

    /// Writes the lines in one call, since other processes write to the same terminal.
    func write(_ lines: [String]) { send(lines.map { $0 + "\n" }.joined()) }

    /// Writes a line that can be replaced later, or an ordinary one if the terminal cannot replace lines.
    func rewriteLine(_ line: String) {
        guard style.rewrites, WaitingLine.fits(line, form) else { return replaceLine(with: [line]) }
        send(start + line + (openLine == nil ? "" : "\u{1b}[K"))
        openLine = Language.columns(of: line)
    }

    /// Takes over a line that another process has left open.
    func takeOverLine() { openLine = style.rewrites ? 0 : nil }

    /// Replaces the open line with other lines or with nothing.
    func replaceLine(with lines: [String] = []) {
        let start = openLine == nil ? "" : start + "\u{1b}[K"
        openLine = nil
        guard !start.isEmpty || !lines.isEmpty else { return }
        send(start + lines.map { $0 + "\n" }.joined())
    }

    /// Replaces the open line and so many lines above it.
    func replace(_ count: Int, with lines: [String]) {
        replaceLine()
        guard count > 0 else { return write(lines) }
        // Cursor up, erase to the end (ECMA-48, CUU and ED).
        send("\u{1b}[\(count)A\u{1b}[J" + lines.map { $0 + "\n" }.joined())
    }

    func control(_ sequence: String) { send(sequence) }

    /// The sequence to the start of the open line.
    ///
    /// If the window has become too narrow, the terminal has wrapped that line, and a new one begins instead.
    private var start: String {
        guard let openLine else { return "" }
        return openLine <= columns ? "\r" : "\n"
    }

    private func send(_ text: String) {
        var text = text
        // A write error is not fatal: the person may have approved already.
        text.withUTF8 { _ = FileDescriptor.write(UnsafeRawBufferPointer($0), to: number) }
    }
}
