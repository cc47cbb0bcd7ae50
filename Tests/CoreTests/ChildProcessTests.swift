import Foundation
import System
import Testing

@Suite("A program that is run for what it prints")
struct ChildProcessTests {
    @Test("what it prints is there when it has ended well")
    func output() {
        #expect(ChildProcess.output(of: ["echo", "said"], within: 60_000) == Array("said\n".utf8))
        #expect(ChildProcess.output(of: ["false"], within: 60_000) == nil)
    }

    @Test("one that closes its output and goes on is ended in time")
    func endless() {
        let command = ["sh", "-c", "echo said; exec >&-; exec sleep 600"]
        #expect(ChildProcess.output(of: command, within: 200) == nil)
    }

    @Test("a machine that stands still is not taken for a program that hangs")
    func standstill() throws {
        // It stands still for an hour before we look for the first time.
        var hours: [Int64] = [0]
        let output = try ChildProcess.run(["echo", "said"], within: 600_000) {
            SystemClock().uptimeMilliseconds + 3_600_000 * (hours.popLast() ?? 1)
        }
        #expect(output == Array("said\n".utf8))
    }

    @Test("where the kernel keeps no status, a failure does not look like success")
    func ignoredSIGCHLD() async {
        await #expect(processExitsWith: .success) {
            signal(SIGCHLD, SIG_IGN)
            #expect(ChildProcess.output(of: ["sh", "-c", "echo said; exit 1"], within: 60_000) == nil)
        }
    }

    @Test("what whoever started us has ignored does not keep us from knowing")
    func hardened() async {
        await #expect(processExitsWith: .success) {
            signal(SIGCHLD, SIG_IGN)
            Environment.harden()
            #expect(ChildProcess.output(of: ["echo", "said"], within: 60_000) == Array("said\n".utf8))
        }
    }

    @Test("a variable is added for the child alone, in place of ours")
    func variables() {
        let command = ["sh", "-c", "echo $HOME $GITSPACE_NEW"]
        let output = ChildProcess.output(of: command, adding: ["HOME": "/h", "GITSPACE_NEW": "n"], within: 60_000)
        #expect(output == Array("/h n\n".utf8))
        #expect(Environment["HOME"] != "/h" && Environment["GITSPACE_NEW"] == nil)
    }

    @Test(
        "what lies in the folder where git runs is not run, whatever the PATH says",
        arguments: ["", ":", ".", ":/usr/bin:", "./", "../here", "bin:."])
    func relativePath(path: String) async {
        await #expect(processExitsWith: .success) { [path] in
            let folder = FileManager.default.temporaryDirectory.appending(path: "path-\(getpid())/here")
            defer { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }
            try FileManager.default.createDirectory(
                at: folder.appending(path: "bin"), withIntermediateDirectories: true)
            for name in ["planted", "bin/planted"] {
                let file = folder.appending(path: name)
                try "#!/bin/sh\necho planted\n".write(to: file, atomically: true, encoding: .utf8)
                chmod(file.path, 0o755)
            }
            #expect(chdir(folder.path) == 0)
            setenv("PATH", path, 1)
            #expect(ChildProcess.output(of: ["planted"], within: 60_000) == nil)
            #expect(ChildProcess.output(of: ["./planted"], within: 60_000) == nil)
            #expect(DetachedProcess(["planted"]) == nil)
            #expect(ProgramSearch.find("planted") == nil)
            setenv("PATH", path + ":" + folder.path, 1)
            #expect(ProgramSearch.find("planted") == folder.path + "/planted")
            #expect(ChildProcess.output(of: ["planted"], within: 60_000) == Array("planted\n".utf8))
        }
    }
}
