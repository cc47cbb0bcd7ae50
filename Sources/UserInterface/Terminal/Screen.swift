internal import Glibc
internal import Language
internal import Messages
internal import System

/// Standard error if it is a terminal, else the controlling terminal.
final class Screen {
    let number: Int32
    private let opened: FileDescriptor?
    /// In columns, of the line with the cursor, which will be replaced; nil if there is no such line.
    private var openLine: Int?
    /// Determined when there is first something to show, since it depends on git's configuration.
    private(set) lazy var style = makeStyle()
    private let makeStyle: () -> ScreenStyle

    /// Nil if there is no terminal.
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

    /// It may change while we wait.
    var form: ScreenForm { ScreenForm(columns: columns, rows: TextOutput.rows(of: number), style: style) }

    private var columns: Int { TextOutput.columns(of: number) }

    /// In one call, since other processes write to the same terminal.
    func write(_ lines: [String]) { send(lines.map { $0 + "\n" }.joined()) }

    /// It can be replaced later, or is an ordinary line if the terminal cannot replace one.
    func rewriteLine(_ line: String) {
        guard style.rewrites, WaitingLine.fits(line, form) else { return replaceLine(with: [line]) }
        send(start + line + (openLine == nil ? "" : "\u{1b}[K"))
        openLine = Language.columns(of: line)
    }

    /// Another process has left the line open.
    func takeOverLine() { openLine = style.rewrites ? 0 : nil }

    /// The open line, with other lines or with nothing.
    func replaceLine(with lines: [String] = []) {
        let start = openLine == nil ? "" : start + "\u{1b}[K"
        openLine = nil
        guard !start.isEmpty || !lines.isEmpty else { return }
        send(start + lines.map { $0 + "\n" }.joined())
    }

    /// The open line and so many lines above it, with other lines.
    func replace(_ count: Int, with lines: [String]) {
        replaceLine()
        guard count > 0 else { return write(lines) }
        // Cursor up, erase to the end (ECMA-48, CUU and ED).
        send("\u{1b}[\(count)A\u{1b}[J" + lines.map { $0 + "\n" }.joined())
    }

    /// It shows nothing.
    func control(_ sequence: String) { send(sequence) }

    /// The start of the open line; the next line if the window has become too narrow for it, since the terminal has
    /// then wrapped it, and the cursor is not on the row where it began.
    private var start: String {
        guard let openLine else { return "" }
        return openLine <= columns ? "\r" : "\n"
    }

    private func send(_ text: String) {
        var text = text
        // A write error on the terminal is not fatal: the person may have approved already.
        text.withUTF8 { _ = FileDescriptor.write(UnsafeRawBufferPointer($0), to: number) }
    }
}
