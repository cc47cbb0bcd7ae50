internal import CredentialCore
internal import Glibc
internal import System

/// The keys that a person presses while we wait, on the controlling terminal.
///
/// They arrive one by one and without echo (ICANON and ECHO off, termios(3)); Ctrl-C and Ctrl-Z remain signals. Only
/// the foreground job uses the terminal: any other would be stopped for it (SIGTTIN, SIGTTOU).
final class TerminalKeys {
    enum Key: UInt8 {
        case enter = 0x0a
        case copy = 0x63
        case deviceCode = 0x64
        case showQRCode = 0x72
        case quit = 0x71
    }

    private let terminal: FileDescriptor
    /// To be restored; nil unless our modes are set.
    private var original: termios?
    private var ours = termios()
    /// As soon as possible.
    private var isWanted = true

    /// Nil if there is no terminal, or if the person reads on another one.
    init?(for screen: Int32) {
        // The foreground job of a terminal that is not the controlling one cannot be determined.
        guard let terminal = FileDescriptor(opening: "/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK), tcgetpgrp(screen) >= 0
        else { return nil }
        self.terminal = terminal
    }

    /// Whether keys are read now.
    var areTaken: Bool { original != nil }

    /// It becomes readable when a key is pressed; nil if none may be read now.
    var descriptor: Int32? { areTaken && isForeground ? terminal.number : nil }

    /// Only then may we use the terminal.
    var isForeground: Bool { tcgetpgrp(terminal.number) == getpgrp() }

    /// If that is wanted and possible now.
    func take() {
        guard isWanted, !areTaken, isForeground else { return }
        var modes = termios()
        guard tcgetattr(terminal.number, &modes) == 0 else { return }
        let cooked = tcflag_t(ICANON | ECHO)
        // A program is asking for a password at this moment, or has taken the keys.
        guard modes.c_lflag & cooked == cooked else { return }
        isWanted = false
        ours = modes
        ours.c_lflag &= ~cooked
        withUnsafeMutableBytes(of: &ours.c_cc) { characters in
            // A read returns at least one key, and does not wait for a second one.
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
        }
        guard set(ours) else { return }
        original = modes
        // What was typed before the keys had an action is meant for another program, and a `q` in it would cancel.
        var input = pollfd(fd: terminal.number, events: Int16(POLLIN), revents: 0)
        if poll(&input, 1, 0) != 0 { giveBack() }
    }

    /// With all that has been typed but not read.
    func giveBack() {
        guard let original else { return }
        self.original = nil
        var modes = termios()
        // If another program has changed the modes since, such as a shell in the foreground again, its modes are right.
        guard tcgetattr(terminal.number, &modes) == 0, Self.areEqual(modes, ours) else { return }
        _ = set(original)
    }

    /// After the process was stopped, as soon as it is in the foreground.
    func takeAgain() { isWanted = true }

    enum Input {
        case key(Key)
        case line(Secret)
    }

    /// A line that is typed or pasted, in pieces; nil until its end has come.
    ///
    /// `c` or `q` alone is a key: no address that a browser comes back to begins so.
    func input(_ line: inout [UInt8]) -> Input? {
        var bytes = read()
        defer { bytes.wipe() }
        if line.isEmpty, bytes.count == 1, let key = Key(rawValue: bytes[0]), key == .copy || key == .quit {
            return .key(key)
        }
        line += bytes
        guard line.count <= Self.longestLine else {
            line.wipe()
            return nil
        }
        guard let end = line.firstIndex(where: { $0 == 0x0a || $0 == 0x0d }) else { return nil }
        defer { line.wipe() }
        return .line(Secret(line[..<end]))
    }

    /// In bytes: an address with a code.
    private static let longestLine = 16_384

    /// Each once.
    ///
    /// Input that contains anything else was typed or pasted for another program, and is ignored as a whole; so are the
    /// sequences of the cursor keys.
    func pressed() -> [Key] {
        Self.keys(in: read()[...])
    }

    private func read() -> [UInt8] {
        guard let descriptor else { return [] }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = buffer.withUnsafeMutableBytes { FileDescriptor.read(descriptor, into: $0) }
        guard count > 0 else {
            // The terminal was closed.
            if count == 0 || errno != EAGAIN { giveBack() }
            return []
        }
        return Array(buffer[..<count])
    }

    static func keys(in bytes: ArraySlice<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes {
            // Where the terminal does not turn it into a line feed, Enter is a carriage return.
            guard let key = Key(rawValue: byte == 0x0d ? 0x0a : byte) else { return [] }
            if !keys.contains(key) { keys.append(key) }
        }
        return keys
    }

    /// At once: what has already been typed is kept.
    ///
    /// SIGTTOU is blocked meanwhile, so that the call works even if we have just lost the foreground.
    private func set(_ modes: termios) -> Bool {
        var modes = modes
        var signals = sigset_t()
        var before = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTTOU)
        pthread_sigmask(SIG_BLOCK, &signals, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        return tcsetattr(terminal.number, TCSANOW, &modes) == 0
    }

    private static func areEqual(_ left: termios, _ right: termios) -> Bool {
        left.c_lflag == right.c_lflag && left.c_iflag == right.c_iflag && left.c_oflag == right.c_oflag
            && left.c_cflag == right.c_cflag
            && withUnsafeBytes(of: left.c_cc) { left in
                withUnsafeBytes(of: right.c_cc) { right in left.elementsEqual(right) }
            }
    }
}
