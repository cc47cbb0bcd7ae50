internal import Glibc

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
    func take() -> Bool { take { modes in whileSIGTTOUWaits { tcsetattr(terminal, TCSANOW, &modes) } } }

    /// Sets our modes and drops typed keys; stops a job in the background until it has the terminal (SIGTTOU).
    func takeAfresh() -> Bool { take { modes in tcsetattr(terminal, TCSAFLUSH, &modes) } }

    private func take(_ set: (inout termios) -> Int32) -> Bool {
        guard let modes = current else { return false }
        ours = modes
        ours.c_lflag &= ~tcflag_t(ICANON | ECHO)
        withUnsafeMutableBytes(of: &ours.c_cc) { characters in
            // A read returns at least one key, and does not wait for a second one.
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
        }
        guard set(&ours) == 0 else { return false }
        original = modes
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
