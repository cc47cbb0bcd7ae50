import CredentialCore
import Glibc
import Helper
import Providers
import Staging
import Testing

@testable import UserInterface

extension TerminalKeysTests {
    @Test("no copy is left of a pasted address, which has a code in it")
    func pasted() async {
        await #expect(processExitsWith: .success) {
            try #require(setsid() >= 0)
            // The terminal's end is sent to its session.
            signal(SIGHUP, SIG_IGN)
            let terminal = try PseudoTerminal()
            // It becomes the controlling terminal.
            let screen = open(terminal.path, O_RDWR | O_CLOEXEC)
            let keys = try #require(TerminalKeys(for: screen))
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
        }
    }
}
