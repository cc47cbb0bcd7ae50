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
        let sequence = "\u{1b}]52;c;\(base64(Array(text.utf8)))\u{7}"
        let isScreen = environment("STY")?.isEmpty == false && environment("TMUX") == nil
        return isScreen ? "\u{1b}P\(sequence)\u{1b}\\" : sequence
    }

    /// Encodes bytes by RFC 4648, 4.
    static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for digit in 0..<4 { text.append(digit <= group.count ? alphabet[bits >> (18 - 6 * digit) & 63] : "=") }
        }
        return text
    }
}
