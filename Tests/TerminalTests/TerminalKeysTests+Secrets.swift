import CredentialCore
import Glibc
import Helper
import Providers
import Staging
import System
import Testing

@testable import UserInterface

/// Makes a new terminal the controlling one of this process.
private func controlled() throws -> (terminal: PseudoTerminal, screen: Int32, keys: TerminalKeys) {
    try #require(setsid() >= 0)
    // The terminal's end is sent to its session.
    signal(SIGHUP, SIG_IGN)
    let terminal = try PseudoTerminal()
    let screen = open(terminal.path, O_RDWR | O_CLOEXEC)
    return (terminal, screen, try #require(TerminalKeys(for: screen)))
}

extension TerminalKeysTests {
    @Test("leaves the terminal as it is while another program hides what is typed")
    func hidden() async {
        await #expect(processExitsWith: .success) {
            let (terminal, screen, keys) = try controlled()
            let other = try #require(HiddenInput(on: screen))
            keys.take()
            #expect(!keys.areTaken)
            other.modes.restore()
            keys.take()
            try #require(keys.areTaken)
            // The other program now reads a whole line.
            #expect(ChildProcess.output(of: ["stty", "-F", terminal.path, "icanon"], within: 60_000) != nil)
            keys.giveBack()
            #expect(!terminal.isCooked)
        }
    }

    @Test("leaves no copy of a pasted address, which has a code in it")
    func pasted() async {
        await #expect(processExitsWith: .success) {
            let (terminal, _, keys) = try controlled()
            keys.take()
            try #require(keys.areTaken)
            let trace = SecretTrace()
            let copies = trace.copiesAfter {
                trace.secret.reveal { terminal.paste($0) }
                terminal.type("\n")
                var line = Secret.Builder()
                var pasted: Secret?
                while pasted == nil { if case .line(let whole)? = keys.input(&line) { pasted = whole } }
                #expect(pasted?.count == SecretTrace.length)
            }
            #expect(copies == 0)
        }
    }
}
