import CredentialCore
import Glibc
import Helper
import Providers
import Staging
import System
import Testing

@testable import UserInterface

extension TerminalKeysTests {
    @Test("takes no keys from a program that hides them, and leaves no copy of a pasted address, which has a code")
    func pasted() async {
        await #expect(processExitsWith: .success) {
            try #require(setsid() >= 0)
            // The terminal's end is sent to its session.
            signal(SIGHUP, SIG_IGN)
            let terminal = try PseudoTerminal()
            // It becomes the controlling terminal.
            let screen = open(terminal.path, O_RDWR | O_CLOEXEC)
            let keys = try #require(TerminalKeys(for: screen))
            let other = try #require(HiddenInput(on: screen))
            keys.take()
            #expect(!keys.areTaken)
            other.modes.restore()
            keys.take()
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
            // Another program reads a line without showing it.
            let hide = ["stty", "-F", terminal.path, "icanon"]
            #expect(ChildProcess.output(of: hide, within: 60_000) != nil)
            keys.giveBack()
            #expect(!terminal.isCooked)
        }
    }
}
