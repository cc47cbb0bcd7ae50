internal import Glibc

/// A terminal that does not show what is typed (ECHO off, termios(3)) until it is told to again.
struct HiddenEcho {
    private let terminal: Int32
    private let original: termios

    /// Hides it from now on; nil if the terminal will not.
    init?(on terminal: Int32) {
        var modes = termios()
        guard tcgetattr(terminal, &modes) == 0 else { return nil }
        self.terminal = terminal
        original = modes
        modes.c_lflag &= ~tcflag_t(ECHO)
        // Flushed: what was typed before the question is no answer to it.
        guard tcsetattr(terminal, TCSAFLUSH, &modes) == 0 else { return nil }
    }

    func restore() {
        var modes = original
        _ = tcsetattr(terminal, TCSANOW, &modes)
    }
}
