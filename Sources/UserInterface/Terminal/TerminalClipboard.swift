internal import Providers

/// The clipboard of the terminal itself, even a remote one: xterm's control sequence OSC 52.
///
/// The terminal never reports whether it has worked.
enum TerminalClipboard {
    /// Whether the terminal may support the sequence; the text console of Linux would print it.
    ///
    /// tmux(1) accepts it from programs only if `set-clipboard` is `on`, which is not the default; it has its own way
    /// (`Clipboard`).
    static func mayWork(environment: (String) -> String?) -> Bool {
        guard environment("TMUX")?.isEmpty ?? true else { return false }
        return !["", "dumb", "linux", "vt100", "vt220"].contains(environment("TERM") ?? "")
    }

    /// The control sequence that copies a text.
    ///
    /// - Parameters:
    ///   - text: what to copy.
    ///   - environment: looks up a variable. screen(1) passes on only what is wrapped for it.
    /// - Returns: the control sequence.
    static func sequence(copying text: String, environment: (String) -> String?) -> String {
        let sequence = "\u{1b}]52;c;\(String(decoding: Base64.encode(text.utf8), as: UTF8.self))\u{7}"
        let isScreen = environment("STY")?.isEmpty == false && environment("TMUX") == nil
        return isScreen ? "\u{1b}P\(sequence)\u{1b}\\" : sequence
    }
}
