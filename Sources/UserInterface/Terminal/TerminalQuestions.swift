package import Commands
package import CredentialCore
internal import Glibc
internal import Helper
internal import Messages
package import System

/// Asks on the controlling terminal, wherever standard input comes from.
package final class TerminalQuestions: Questions {
    private let signals: SignalWatch
    private let browser: (HTTPSAddress) -> Bool
    private lazy var terminal = FileDescriptorBox()

    /// No client ID is longer.
    private static let mostInput = 1_024

    /// A conversation.
    ///
    /// - Parameters:
    ///   - signals: what cancels.
    ///   - browser: opens a page; says whether it does.
    package init(signals: SignalWatch, browser: @escaping (HTTPSAddress) -> Bool) {
        self.signals = signals
        self.browser = browser
    }

    /// In the background, reading from the terminal would stop us (SIGTTIN).
    package var canAsk: Bool { terminal.map { tcgetpgrp($0.descriptor.number) == getpgrp() } ?? false }

    package func open(_ page: HTTPSAddress) -> Bool { browser(page) }

    package func ask(_ question: Question) -> Reply {
        guard let terminal else { return .cancelled }
        write(Language.text(question.text), to: terminal)
        var line: [UInt8] = []
        while line.count <= Self.mostInput {
            if signals.look() { return cancel(terminal) }
            var descriptors = [
                pollfd(fd: terminal.descriptor.number, events: Int16(POLLIN), revents: 0),
                pollfd(fd: signals.number, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&descriptors, nfds_t(descriptors.count), -1) > 0, descriptors[0].revents != 0 else { continue }
            var buffer = [UInt8](repeating: 0, count: Self.mostInput)
            let count = buffer.withUnsafeMutableBytes { terminal.descriptor.read(into: $0) }
            guard count > 0 else { return cancel(terminal) }
            line += buffer[..<count]
            if line.last == UInt8(ascii: "\n") { break }
        }
        let blanks: Set<UInt8> = [0x09, 0x0a, 0x0d, 0x20]
        let end = line.lastIndex { !blanks.contains($0) }.map { $0 + 1 } ?? 0
        return .line(String(decoding: line[..<end].drop { blanks.contains($0) }, as: UTF8.self))
    }

    /// What comes next begins on a line of its own.
    private func cancel(_ terminal: FileDescriptorBox) -> Reply {
        write("\n", to: terminal)
        return .cancelled
    }

    private func write(_ text: String, to terminal: FileDescriptorBox) {
        Array(text.utf8).withUnsafeBytes { _ = terminal.descriptor.write($0) }
    }
}

/// The terminal, open for as long as somebody may be asked.
private final class FileDescriptorBox {
    let descriptor: FileDescriptor

    init?() {
        guard let opened = FileDescriptor(opening: "/dev/tty", O_RDWR | O_NOCTTY) else { return nil }
        descriptor = opened
    }
}
