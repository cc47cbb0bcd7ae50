import CredentialCore
import Foundation
import System
import Testing

/// Each test runs in its own process, with its own standard input.
@Suite("Standard input with git's request")
struct StandardInputTests {
    @Test("ends a request at a blank line or the end of the input, and distinguishes an input that cannot be read")
    func end() async {
        await #expect(processExitsWith: .success) {
            for (script, request) in [
                ("printf 'a=b\\n\\nc=d\\n'; exec sleep 600", "a=b\n\n"),
                ("printf 'a=b\\n'; sleep 0.1; printf c", "a=b\nc"), ("", ""), ("echo; exec sleep 600", "\n"),
            ] {
                let writer = try #require(ChildProcess(["sh", "-c", script]))
                #expect(dup2(writer.numbers[0], STDIN_FILENO) == STDIN_FILENO)
                #expect(StandardInput.read().map { $0.reveal { $0.starts(with: request.utf8) } } == true, "\(script)")
                writer.finish(within: 0)
            }
            #expect(dup2(open("/", O_RDONLY | O_DIRECTORY), STDIN_FILENO) == STDIN_FILENO)
            #expect(StandardInput.read() == nil)
        }
    }

    @Test("limits the time of the whole request, and not of each piece")
    func slow() async {
        await #expect(processExitsWith: .success) {
            let writer = try #require(ChildProcess(["sh", "-c", "for n in $(seq 200); do printf x; sleep 0.1; done"]))
            #expect(dup2(writer.numbers[0], STDIN_FILENO) == STDIN_FILENO)
            #expect(StandardInput.read(within: 500) == nil)
            writer.finish(within: 0)
        }
    }
}
