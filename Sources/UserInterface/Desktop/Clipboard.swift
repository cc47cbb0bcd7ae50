internal import System

/// Puts a text into the desktop's clipboard, by the programs that can.
///
/// They get it on standard input, so that it stands in no argument. The text is the code that the person types, which is
/// of no use to anybody else but a nuisance, and nothing else.
package struct Clipboard {
    /// How long a program may take before the next is tried, in milliseconds; a dead display makes some of them wait for
    /// ever.
    private static let patience: Int64 = 3_000
    /// How long the last one may take, in milliseconds: on a busy machine three seconds are nothing, and after it comes
    /// only the failure.
    private static let lastPatience: Int64 = 60_000

    private var candidates: [[String]]
    private let text: String
    private var running: (process: DetachedProcess, since: Int64)?
    /// Whether it went by way of tmux(1), which does not say whether the terminal took it.
    private(set) var isByTmux = false

    /// Begins to copy; returns at once.
    ///
    /// - Parameters:
    ///   - text: what to copy.
    ///   - session: where we are.
    ///   - now: milliseconds of uptime.
    package init(copying text: String, in session: DesktopSession, now: Int64) {
        self.text = text
        candidates = Self.commands(in: session)
        startNext(now)
    }

    /// The programs that may do, the best first; none where the person's clipboard is out of reach.
    static func commands(in session: DesktopSession) -> [[String]] {
        // -w hands it on to the terminal (since tmux 3.2; an earlier one fails).
        let multiplexer = session.isInTmux ? [[tmux, "load-buffer", "-w", "-"]] : []
        guard session.isOwnDesktop else { return multiplexer }
        if session.isWSL { return [["clip.exe"]] + multiplexer }
        let wayland = session.hasWayland ? [["wl-copy"]] : []
        let x = [["xclip", "-selection", "clipboard"], ["xsel", "--clipboard", "--input"]]
        return wayland + (session.hasX ? x : []) + multiplexer
    }

    private static let tmux = "tmux"

    /// Whether no program can be of help.
    package static func isOutOfReach(in session: DesktopSession) -> Bool { commands(in: session).isEmpty }

    /// Whether it has worked.
    ///
    /// - Parameter now: milliseconds of uptime.
    /// - Returns: nil as long as that is not known.
    package mutating func look(now: Int64) -> Bool? {
        guard let since = running?.since, var process = running?.process else { return false }
        switch process.look() {
        case .succeeded: return true
        case .running where now < since + (candidates.isEmpty ? Self.lastPatience : Self.patience):
            running = (process, since)
            return nil
        case .running: process.stop()
        case .failed: break
        }
        startNext(now)
        return running == nil ? false : nil
    }

    private mutating func startNext(_ now: Int64) {
        running = nil
        while running == nil, !candidates.isEmpty {
            let command = candidates.removeFirst()
            isByTmux = command.first == Self.tmux
            running = DetachedProcess(command, input: text).map { ($0, now) }
        }
    }
}
