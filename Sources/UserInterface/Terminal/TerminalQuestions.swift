package import CredentialCore
internal import Glibc
package import Helper
internal import Language
package import System

/// Questions on the controlling terminal, independent of standard input.
package final class TerminalQuestions: Questions {
    private let signals: SignalWatch
    private let settings: () -> ScreenSettings
    private lazy var terminal = Handle(FileDescriptor(opening: "/dev/tty", O_RDWR | O_NOCTTY))
    private lazy var input = Self.input(from: "/dev/tty")
    /// Whether a stop has undone the hidden input, after which the terminal would show a secret.
    private var isLost = false

    /// The longest input in bytes; Bitbucket's tokens, the longest, have more than 2,500 characters.
    private static let mostInput = 16_384

    package init(signals: SignalWatch, settings: @escaping () -> ScreenSettings) {
        self.signals = signals
        self.settings = settings
    }

    /// Whether a question is possible; in the background, reading from the terminal would stop us (SIGTTIN).
    package var canAsk: Bool { terminal.map { tcgetpgrp($0.number) == getpgrp() } ?? false }
    package var isInputTyped: Bool { isatty(STDIN_FILENO) != 0 }

    /// Opens a page unless the person might not see it, or does not want it.
    package func open(_ page: HTTPSAddress) -> Bool {
        let (choice, session) = (settings().browser, DesktopSession.here)
        guard session.opensByItself(choice), let process = Browser.open(page, with: choice, in: session)
        else { return false }
        // A program that cannot open the page fails soon; a browser may keep running.
        for _ in 0..<20 where process.state == .running { SystemClock.pause(milliseconds: 50) }
        return process.state != .failed
    }

    package func showQRCode(of page: HTTPSAddress) {
        guard let terminal else { return }
        let form = ScreenForm(of: terminal.number, settings().style)
        guard let lines = QRPicture(page.text, for: form)?.lines(in: form) else { return }
        write(lines.map { $0 + "\n" }.joined(), to: terminal)
    }

    package func ask(_ question: Message) -> String? {
        guard let terminal, let line = line(question, on: terminal) else { return nil }
        return String(decoding: Self.trimmed(line), as: UTF8.self)
    }

    package func ask(_ question: Message, for secret: AskedSecret) -> Secret? {
        guard secret.isTyped || isInputTyped else { return standardInput(secret) }
        guard canAsk, let terminal else { return nil }
        // A secret that the terminal would show is not asked for.
        guard let input = HiddenInput(on: terminal.number) else { return nil }
        defer { input.modes.restore() }
        guard var line = line(question, on: terminal, input) else { return nil }
        defer { line.wipe() }
        write("\n", to: terminal)
        return Secret(Self.answer(line, secret))
    }

    /// Reads up to a size that no token or password reaches.
    private func standardInput(_ secret: AskedSecret) -> Secret? {
        var bytes = Secret.Builder()
        while bytes.count < Self.mostInput {
            guard wait(for: STDIN_FILENO) else { return nil }
            // A page may have more room than that.
            let room = Self.mostInput - bytes.count
            let count = bytes.append { FileDescriptor.read(STDIN_FILENO, into: .init(rebasing: $0.prefix(room))) }
            guard count > 0 else { break }
        }
        return bytes.finish().reveal { Secret(Self.answer($0, secret)) }
    }

    /// Returns false if the person cancels.
    private func wait(for descriptor: Int32) -> Bool {
        while !signals.look(), !isLost {
            if FileDescriptor.ready(reading: [descriptor, signals.number], within: -1).contains(descriptor) {
                return true
            }
        }
        return false
    }

    /// Returns the line that the person types, or `nil` if they cancel.
    ///
    /// After a stop (Ctrl-Z), asks again from the start, as readpassphrase(3) does.
    private func line(_ question: Message, on terminal: Handle, _ hidden: HiddenInput? = nil) -> [UInt8]? {
        let words = TextOutput.lines(question, to: terminal.number, settings).joined(separator: "\n")
        var line: [UInt8] = []
        line.reserveCapacity(2 * Self.mostInput)
        var wasStopped = false
        signals.willStop = {
            hidden?.modes.restore()
            wasStopped = true
        }
        signals.hasContinued = { [self] in
            // SIGSTOP gives no warning.
            guard wasStopped || hidden?.modes.areIntact == false else { return }
            wasStopped = false
            line.wipe()
            // Earlier text is no answer.
            isLost = hidden?.modes.take(afresh: true) == false
            if !isLost { write(words, to: terminal) }
        }
        defer {
            signals.willStop = nil
            signals.hasContinued = nil
        }
        write(words, to: terminal)
        while line.count <= Self.mostInput {
            guard let input, wait(for: input.number) else { return cancel(terminal, &line) }
            var buffer = [UInt8](repeating: 0, count: Self.mostInput)
            defer { buffer.wipe() }
            let count = buffer.withUnsafeMutableBytes { FileDescriptor.read(input.number, into: $0) }
            if count < 0, errno == EAGAIN { continue }
            guard count > 0 else { return cancel(terminal, &line) }
            guard let keys = hidden?.keys else {
                line += buffer[..<count]
                if line.last == UInt8(ascii: "\n") { break }
                continue
            }
            for byte in buffer[..<count] {
                switch keys.take(byte, into: &line) {
                case .next: continue
                case .end: return line
                case .cancel: return cancel(terminal, &line)
                }
            }
        }
        return line
    }

    /// Reads never block: after poll(2) has seen a key, Ctrl-C or Ctrl-Z may drop it before it is read, and a read that
    /// waits would hold up the signal until the next key.
    static func input(from path: String) -> Handle? {
        Handle(FileDescriptor(opening: path, O_RDONLY | O_NOCTTY | O_NONBLOCK))
    }

    /// A part of the line, without a copy of the secret.
    static func answer<Line: BidirectionalCollection<UInt8>>(_ line: Line, _ secret: AskedSecret) -> Line.SubSequence {
        guard secret == .password || secret == .terminalPassword else { return trimmed(line) }
        return line.last == UInt8(ascii: "\n") ? line.dropLast() : line[...]
    }

    private static func trimmed<Line: BidirectionalCollection<UInt8>>(_ line: Line) -> Line.SubSequence {
        let blanks: Set<UInt8> = [0x09, 0x0a, 0x0d, 0x20]
        // Editors on Windows put a byte order mark before UTF-8.
        let line = line.dropFirst(line.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0)
        let rest = line.drop { blanks.contains($0) }
        guard let last = rest.lastIndex(where: { !blanks.contains($0) }) else { return rest.prefix(0) }
        return rest[...last]
    }

    /// Wipes the input and ends the terminal's line, so that the next output begins on a new one.
    private func cancel(_ terminal: Handle, _ line: inout [UInt8]) -> [UInt8]? {
        line.wipe()
        write("\n", to: terminal)
        return nil
    }

    private func write(_ text: String, to terminal: Handle) {
        Array(text.utf8).withUnsafeBytes { _ = FileDescriptor.write($0, to: terminal.number) }
    }
}

/// Input that the terminal does not show until it is restored.
///
/// Read key by key and edited here, since the terminal's own lines lose everything after 4,095 bytes.
struct HiddenInput {
    let modes: KeyModes
    /// The person's own editing keys, as `stty` shows them.
    let keys: Keys

    /// `nil` if the terminal does not allow to hide the input.
    init?(on terminal: Int32) {
        modes = KeyModes(of: terminal)
        guard let current = modes.current else { return nil }
        keys = withUnsafeBytes(of: current.c_cc) { keys in
            Keys(erase: keys[Int(VERASE)], kill: keys[Int(VKILL)], end: keys[Int(VEOF)])
        }
        guard modes.take(afresh: true) else { return nil }
    }

    struct Keys {
        let erase: UInt8
        let kill: UInt8
        let end: UInt8

        enum Effect: Equatable {
            case next, end, cancel
        }

        func take(_ byte: UInt8, into line: inout [UInt8]) -> Effect {
            switch byte {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return .end
            case erase, 0x08, 0x7f:
                // Bytes of one character are removed together.
                while let last = line.popLast(), last & 0xc0 == 0x80 {}
            case kill: line.wipe()
            case end: return line.isEmpty ? .cancel : .next
            default: line.append(byte)
            }
            return .next
        }
    }
}
