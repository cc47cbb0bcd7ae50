import Glibc
import Helper
import Staging
import System
import Testing

@testable import UserInterface

@Suite("Hidden input of a secret")
struct HiddenInputTests {
    private let keys = HiddenInput.Keys(erase: 0x7f, kill: 0x15, end: 0x04)

    /// The line after these keys, and the effect of the last key.
    private func typed(_ text: String) -> (line: String, effect: HiddenInput.Keys.Effect) {
        var line: [UInt8] = []
        var effect = HiddenInput.Keys.Effect.next
        for byte in text.utf8 where effect == .next { effect = keys.take(byte, into: &line) }
        return (String(decoding: line, as: UTF8.self), effect)
    }

    @Test("edits the line like a terminal: Backspace removes a character, Ctrl-U all, Enter and Ctrl-D end")
    func edited() {
        #expect(typed("abc\n") == ("abc", .end) && typed("abc\r") == ("abc", .end))
        #expect(typed("abx\u{7f}c\n").line == "abc" && typed("abx\u{8}c\n").line == "abc")
        #expect(typed("wrong\u{15}right\n").line == "right" && typed("p\u{e4}\u{7f}w\n").line == "pw")
        #expect(typed("\u{7f}\u{15}a\n").line == "a")
        #expect(typed("\u{4}").effect == .cancel && typed("ab\u{4}c\n") == ("abc", .end))
    }

    @Test("keeps the blanks of a password, and drops those around a token")
    func blanks() {
        let typed = Array(" p w \r\n".utf8)
        #expect(TerminalQuestions.answer(typed, .password).elementsEqual(" p w \r".utf8))
        #expect(TerminalQuestions.answer(typed, .terminalPassword).elementsEqual(" p w \r".utf8))
        #expect(TerminalQuestions.answer(typed, .pastedToken).elementsEqual("p w".utf8))
        #expect(TerminalQuestions.answer(Array("\u{feff} ghp_x\r\n".utf8), .token).elementsEqual("ghp_x".utf8))
    }

    @Test("discards what was typed before the question, and does not echo the secret")
    func typedAhead() throws {
        let terminal = try PseudoTerminal()
        let descriptor = open(terminal.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        func hasInput(within milliseconds: Int32 = -1) -> Bool {
            var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&input, 1, milliseconds) == 1
        }
        terminal.type("ls\n")
        #expect(hasInput() && terminal.isCooked)
        let input = try #require(HiddenInput(on: descriptor))
        #expect(!hasInput(within: 0))
        let shown = terminal.text
        terminal.type("x")
        #expect(hasInput() && terminal.text == shown)
        input.modes.restore()
        #expect(terminal.isCooked)
    }

    @Test("a read does not wait after Ctrl-C or Ctrl-Z has dropped the typed keys")
    func dropped() throws {
        let terminal = try PseudoTerminal()
        let input = try #require(TerminalQuestions.input(from: terminal.path))
        // Checked by its flag: without it, a read would never end.
        #expect(fcntl(input.number, F_GETFL) & O_NONBLOCK != 0)
    }
}
