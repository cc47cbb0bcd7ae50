internal import Glibc

/// Hides what is typed on a terminal (ECHO off, termios(3)) until it is restored.
struct HiddenEcho {
    private let terminal: Int32
    private let original: termios

    /// Hides the input from now on; nil if the terminal does not allow it.
    init?(on terminal: Int32) {
        var modes = termios()
        guard tcgetattr(terminal, &modes) == 0 else { return nil }
        self.terminal = terminal
        original = modes
        modes.c_lflag &= ~tcflag_t(ECHO)
        // Flushed: what was typed before the question is not an answer to it.
        guard tcsetattr(terminal, TCSAFLUSH, &modes) == 0 else { return nil }
    }

    func restore() {
        var modes = original
        _ = tcsetattr(terminal, TCSANOW, &modes)
    }
}
