import Glibc
import Synchronization

/// A terminal that a test reads and types into (ptmx(4)).
package final class PseudoTerminal: Sendable {
    /// The path of the end that programs open.
    package let path: String
    private let master: Int32
    private let shown = Mutex<[UInt8]>([])

    package init(columns: UInt16 = 80, rows: UInt16 = 24) throws {
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        // The macros TIOCSPTLCK and TIOCGPTN of ioctl_tty(2), which Swift cannot import.
        var unlocked: Int32 = 0
        var number: UInt32 = 0
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard master >= 0, ioctl(master, 0x4004_5431, &unlocked) == 0, ioctl(master, 0x8004_5430, &number) == 0,
            ioctl(master, UInt(TIOCSWINSZ), &size) == 0
        else { throw NeverHappened(description: "no pseudo-terminal: error \(errno)") }
        path = "/dev/pts/\(number)"
    }

    deinit { close(master) }

    /// Changes the width, as resizing a window does.
    package func resize(columns: UInt16) {
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(master, UInt(TIOCSWINSZ), &size)
    }

    /// Whether the terminal reads whole lines and echoes keys, as a shell expects.
    package var isCooked: Bool {
        let cooked = tcflag_t(ICANON | ECHO)
        return attributes.c_lflag & cooked == cooked
    }

    private var attributes: termios {
        var attributes = termios()
        tcgetattr(master, &attributes)
        return attributes
    }

    /// Types keys: `"\u{3}"` is Ctrl-C.
    package func type(_ keys: String) {
        var rest = Array(keys.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) }
            // Wait for room: the program reads more slowly than a long text is pasted.
            var terminal = pollfd(fd: master, events: Int16(POLLOUT), revents: 0)
            guard count > 0 || errno == EAGAIN && poll(&terminal, 1, 10_000) > 0 else { return }
        }
    }

    package func type(_ keys: String, after words: String) async throws {
        try await shows(words)
        type(keys)
    }

    /// Types bytes of which no copy is made here.
    package func paste(_ bytes: UnsafeRawBufferPointer) { _ = write(master, bytes.baseAddress, bytes.count) }

    /// Everything written so far, with plain line ends; escape sequences are kept.
    package var text: String {
        shown.withLock { shown in
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while case let count = read(master, &buffer, buffer.count), count > 0 { shown += buffer[..<count] }
            return String(decoding: shown, as: UTF8.self).replacing("\r\n", with: "\n")
        }
    }

    /// The text as a person sees it: the last form of each rewritten line, without colours.
    package var screen: String {
        text.replacing(#/\u{1b}\[[0-9;]*m/#, with: "").split(separator: "\n", omittingEmptySubsequences: false)
            .map { line in line.replacing("\u{1b}[K", with: "").split(separator: "\r").last ?? "" }
            .joined(separator: "\n")
    }

    package func shows(_ words: String) async throws {
        try await eventually("\"\(words)\" on the terminal:\n\(text)") { text.contains(words) }
    }

    /// Waits until a sign-in is shown whose keys are read.
    package func takesKeys() async throws {
        try await shows("Ctrl-C cancels.")
        try await eventually("keys that are taken:\n\(text)") { !isCooked }
    }

    package func count(of words: String) -> Int { text.ranges(of: words).count }

    /// The terminal's mode flags, which a program that reads keys changes and must restore.
    package var modes: [UInt32] {
        let modes = attributes
        return [modes.c_iflag, modes.c_oflag, modes.c_cflag, modes.c_lflag]
            + withUnsafeBytes(of: modes.c_cc) { $0.map(UInt32.init) }
    }
}
