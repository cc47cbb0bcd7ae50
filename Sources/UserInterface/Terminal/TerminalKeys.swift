internal import CredentialCore
internal import Glibc
internal import System

/// The keys that a person presses during a wait, on the controlling terminal.
///
/// Only the foreground job uses the terminal; any other would be stopped (SIGTTIN, SIGTTOU).
final class TerminalKeys {
    enum Key: UInt8 {
        case enter = 0x0a
        case copy = 0x63
        case deviceCode = 0x64
        case showQRCode = 0x72
        case quit = 0x71
    }

    private let terminal: FileDescriptor
    private let modes: KeyModes
    /// Whether to take the keys as soon as possible.
    private var isWanted = true

    /// `nil` without a controlling terminal, or if the person reads on another one.
    init?(for screen: Int32) {
        // The foreground job of another terminal cannot be determined.
        guard let terminal = FileDescriptor(opening: "/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK), tcgetpgrp(screen) >= 0
        else { return nil }
        modes = KeyModes(of: terminal.number)
        self.terminal = terminal
    }

    var areTaken: Bool { modes.original != nil }

    /// `nil` if no key may be read now.
    var descriptor: Int32? { areTaken && isForeground ? terminal.number : nil }
    var isForeground: Bool { tcgetpgrp(terminal.number) == getpgrp() }

    func take() {
        guard isWanted, !areTaken, isForeground else { return }
        let cooked = tcflag_t(ICANON | ECHO)
        // A program is asking for a password at this moment, or has taken the keys.
        guard let current = modes.current, current.c_lflag & cooked == cooked else { return }
        isWanted = false
        guard modes.take() else { return }
        // Text that was typed before is meant for another program, and a `q` in it would cancel.
        if !FileDescriptor.ready(reading: [terminal.number], within: 0).isEmpty { giveBack() }
    }

    /// Restores the terminal, and keeps text that was typed but not read.
    func giveBack() { modes.restore() }
    func takeAgain() { isWanted = true }

    enum Input {
        case key(Key)
        case line(Secret)
    }

    /// Reads a line in pieces, `nil` until its end; `c` or `q` alone is a key, because no redirect address begins so.
    func input(_ line: inout Secret.Builder) -> Input? {
        read().reveal { bytes in
            if line.count == 0, bytes.count == 1, let key = Key(rawValue: bytes[0]), key == .copy || key == .quit {
                return .key(key)
            }
            let end = bytes.firstIndex { $0 == 0x0a || $0 == 0x0d }
            line.append(bytes[..<(end ?? bytes.endIndex)])
            guard line.count <= Self.longestLine else {
                _ = line.take()
                return nil
            }
            return end.map { _ in .line(line.take()) }
        }
    }

    /// The longest line in bytes: an address with a code.
    private static let longestLine = 16_384

    /// Returns the pressed keys, each once; input with anything else, such as a cursor key, is for another program.
    func pressed() -> [Key] { read().reveal { Self.keys(in: $0) } }

    private func read() -> Secret {
        var read = Secret.Builder()
        if let descriptor {
            let count = read.append { FileDescriptor.read(descriptor, into: $0) }
            // The terminal was closed.
            if count == 0 || count < 0 && errno != EAGAIN { giveBack() }
        }
        return read.finish()
    }

    static func keys(in bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes {
            // Enter is a carriage return if the terminal does not turn it into a line feed.
            guard let key = Key(rawValue: byte == 0x0d ? 0x0a : byte) else { return [] }
            if !keys.contains(key) { keys.append(key) }
        }
        return keys
    }
}

/// The modes of a terminal whose keys arrive one by one and without echo (ICANON and ECHO off, termios(3)).
///
/// Ctrl-C and Ctrl-Z remain signals. The person's own modes must be restored before a stop: not every shell does it.
final class KeyModes {
    private let terminal: Int32
    /// `nil` unless our modes are set.
    private(set) var original: termios?
    private var ours = termios()

    init(of terminal: Int32) { self.terminal = terminal }

    var current: termios? {
        var modes = termios()
        return tcgetattr(terminal, &modes) == 0 ? modes : nil
    }

    /// Whether our modes are set, and no other program has changed them since.
    var areIntact: Bool { original != nil && current.map { Self.areEqual($0, ours) } ?? false }

    /// Sets our modes, keeps typed keys, and works even if we have just lost the foreground.
    ///
    /// `isAfresh` drops typed keys, and stops a job in the background until it has the terminal (SIGTTOU).
    func take(afresh isAfresh: Bool = false) -> Bool {
        guard let before = current else { return false }
        var modes = before
        modes.c_lflag &= ~tcflag_t(ICANON | ECHO)
        withUnsafeMutableBytes(of: &modes.c_cc) { characters in
            // A read returns at least one key, and does not wait for a second one.
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
        }
        let result =
            isAfresh
            ? tcsetattr(terminal, TCSAFLUSH, &modes) : whileSIGTTOUWaits { tcsetattr(terminal, TCSANOW, &modes) }
        guard result == 0 else { return false }
        (original, ours) = (before, modes)
        return true
    }

    /// Restores the person's modes, and keeps typed keys that were not read.
    func restore() {
        // Another program, such as a shell in the foreground again, may have set the right modes already.
        let areIntact = areIntact
        guard var modes = original else { return }
        original = nil
        if areIntact { _ = whileSIGTTOUWaits { tcsetattr(terminal, TCSANOW, &modes) } }
    }

    private func whileSIGTTOUWaits<Result>(_ body: () -> Result) -> Result {
        var signals = sigset_t()
        var before = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTTOU)
        pthread_sigmask(SIG_BLOCK, &signals, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        return body()
    }

    private static func areEqual(_ left: termios, _ right: termios) -> Bool {
        left.c_lflag == right.c_lflag && left.c_iflag == right.c_iflag && left.c_oflag == right.c_oflag
            && left.c_cflag == right.c_cflag
            && withUnsafeBytes(of: left.c_cc) { left in
                withUnsafeBytes(of: right.c_cc) { right in left.elementsEqual(right) }
            }
    }
}
