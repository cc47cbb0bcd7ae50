import System
import Testing

@Suite("A program that is run for what it prints")
struct ChildProcessTests {
    @Test("what it prints is there when it has ended well")
    func output() {
        #expect(ChildProcess.output(of: ["echo", "said"], within: 60_000) == Array("said\n".utf8))
        #expect(ChildProcess.output(of: ["false"], within: 60_000) == nil)
    }

    @Test("one that closes its output and goes on is ended in time", .timeLimit(.minutes(1)))
    func endless() {
        let command = ["sh", "-c", "echo said; exec >&-; exec sleep 600"]
        #expect(ChildProcess.output(of: command, within: 200) == nil)
    }
}
