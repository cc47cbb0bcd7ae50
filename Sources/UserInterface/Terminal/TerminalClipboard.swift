internal import Providers

/// xterm's control sequence OSC 52, even on a remote terminal.
///
/// The terminal never reports whether it has worked.
enum TerminalClipboard {
    /// The text console of Linux would print the sequence.
    ///
    /// tmux(1) accepts it from programs only if `set-clipboard` is `on`, which is not the default; it has its own way
    /// (`Clipboard`).
    static func mayWork(environment: (String) -> String?) -> Bool {
        guard environment("TMUX")?.isEmpty ?? true else { return false }
        return !["", "dumb", "linux", "vt100", "vt220"].contains(environment("TERM") ?? "")
    }

    /// screen(1) passes on only what is wrapped for it.
    static func sequence(copying text: String, environment: (String) -> String?) -> String {
        let sequence = "\u{1b}]52;c;\(String(decoding: Base64.encode(text.utf8), as: UTF8.self))\u{7}"
        let isScreen = environment("STY")?.isEmpty == false && environment("TMUX") == nil
        return isScreen ? "\u{1b}P\(sequence)\u{1b}\\" : sequence
    }
}
