internal import System

/// Programs that copy a text from standard input, so that it appears in no argument.
package struct Clipboard {
    /// Milliseconds for a program before the next one is tried: without a working display, some wait forever.
    private static let patience: Int64 = 3_000
    /// Milliseconds for the last program, which may be slow on a busy machine.
    private static let lastPatience: Int64 = 60_000

    private var candidates: [[String]]
    private let text: String
    private var running: (process: ChildProcess, since: Int64)?
    /// Whether tmux(1) copied the text; tmux does not report whether the terminal accepted it.
    private(set) var isByTmux = false

    /// Starts a program and returns at once; `now` is in milliseconds of uptime.
    package init(copying text: String, in session: DesktopSession, now: Int64) {
        self.text = text
        candidates = Self.commands(in: session)
        startNext(now)
    }

    /// The programs, the best first, or none if the person's clipboard is out of reach.
    static func commands(in session: DesktopSession) -> [[String]] {
        // -w passes the text on to the terminal (since tmux 3.2; earlier versions fail).
        let multiplexer = session.isInTmux ? [[tmux, "load-buffer", "-w", "-"]] : []
        guard session.isOwnDesktop else { return multiplexer }
        if session.isWSL { return [["clip.exe"]] + multiplexer }
        let wayland = session.hasWayland ? [["wl-copy"]] : []
        let x = [["xclip", "-selection", "clipboard"], ["xsel", "--clipboard", "--input"]]
        return wayland + (session.hasX ? x : []) + multiplexer
    }

    private static let tmux = "tmux"

    package static func isOutOfReach(in session: DesktopSession) -> Bool { commands(in: session).isEmpty }

    /// Whether the text was copied, or `nil` while that is unknown; `now` is in milliseconds of uptime.
    package mutating func look(now: Int64) -> Bool? {
        guard let (process, since) = running else { return false }
        switch process.state {
        case .succeeded: return true
        case .running where now < since + (candidates.isEmpty ? Self.lastPatience : Self.patience): return nil
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
            running = ChildProcess(command, io: .detached(input: text)).map { ($0, now) }
        }
    }
}
