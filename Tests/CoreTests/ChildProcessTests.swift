import CredentialCore
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

    @Test("one that closes its output and goes on is ended in time, and meanwhile rarely looked at")
    func endless() {
        var looks: [Int64] = []
        #expect(throws: ChildProcess.Failure.timedOut) {
            try ChildProcess.run(["sh", "-c", "echo said; exec >&-; exec sleep 600"], within: 1_000) {
                looks.append(SystemClock().uptimeMilliseconds)
                return looks.last ?? 0
            }
        }
        #expect(looks.count < 60, "\(looks.count) looks")
    }

    @Test("what it leaves running is not waited for")
    func leftRunning() {
        let command = ["sh", "-c", "echo said; sleep 600 & echo $!"]
        let output = ChildProcess.output(of: command, within: 60_000) ?? []
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 2 && lines.first == "said")
        if let left = lines.last.flatMap({ pid_t($0) }) { kill(left, SIGKILL) }
    }

    /// Many times what a pipe holds (pipe(7)).
    private static var flood: Secret { Secret([UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)) }

    @Test("any input is taken, while it prints as much")
    func input() async {
        await #expect(processExitsWith: .success) {
            StandardStreams.openClosed()
            let output = try ChildProcess.run(["cat"], input: Self.flood, within: 60_000)
            #expect(output == Self.flood)
            // Who does not want it all is not held against it.
            #expect(
                try ChildProcess.run(["echo", "said"], input: Self.flood, within: 60_000)
                    == Secret(Array("said\n".utf8)))
        }
    }

    @Test("one that does not read its input is ended in time, and nobody waits for it")
    func unreadInput() async {
        await #expect(processExitsWith: .success) {
            StandardStreams.openClosed()
            for command in [["sleep", "600"], ["sh", "-c", "exec >&-; exec sleep 600"]] {
                #expect(throws: ChildProcess.Failure.timedOut) {
                    try ChildProcess.run(command, input: Self.flood, within: 200)
                }
            }
            // It gets its input before it runs, or does not run.
            #expect(DetachedProcess(["cat"], input: String(repeating: "x", count: 1 << 20)) == nil)
        }
    }

    @Test(
        "one that nobody can end is left behind", .enabled(if: geteuid() == 0, "only root can give a file away"))
    func unkillable() async {
        let folder = FileManager.default.temporaryDirectory.path + "/unkillable-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // What is in it makes whoever reaches it root.
        #expect(mkdir(folder, 0o700) == 0 && chown(folder, 65_534, 65_534) == 0)
        await #expect(processExitsWith: .success) { [folder = folder as String] in
            #expect(mkfifo(folder + "/life", 0o666) == 0)
            // A program of root's that becomes root, as sudo(8) does: no signal of ours reaches it.
            let become = folder + "/become"
            try FileManager.default.copyItem(atPath: #require(ProgramSearch.find("setpriv")), toPath: become)
            #expect(chmod(become, 0o4755) == 0)
            // It ends with this process.
            let life = open(folder + "/life", O_RDWR | O_CLOEXEC)
            #expect(life >= 0 && setgid(65_534) == 0 && setuid(65_534) == 0)
            let script = "exec >&-; read line <'\(folder)/life'"
            let command = [become, "--reuid=0", "--clear-groups", "sh", "-c", script]
            #expect(throws: ChildProcess.Failure.timedOut) { try ChildProcess.run(command, within: 200) }
            PipedProcess(command)?.finish(within: 200)
            DetachedProcess(command)?.stop()
        }
    }

    @Test("where many want to run, a program has more time to end")
    func crowded() async {
        await #expect(processExitsWith: .success) {
            for _ in 0..<4 * ProcessInfo.processInfo.activeProcessorCount { Thread.detachNewThread { while true {} } }
            var looks: Int64 = 0
            #expect(throws: ChildProcess.Failure.timedOut) {
                try ChildProcess.run(["sleep", "600"], within: 2_000) {
                    looks += 1
                    return looks * 250
                }
            }
            // By itself, it would have nine.
            #expect(looks > 15, "\(looks) looks")
        }
    }

    @Test("a machine that stands still is not taken for a program that hangs")
    func standstill() throws {
        // It stands still for an hour before we look for the first time.
        var hours: [Int64] = [0]
        let output = try ChildProcess.run(["echo", "said"], within: 600_000) {
            SystemClock().uptimeMilliseconds + 3_600_000 * (hours.popLast() ?? 1)
        }
        #expect(output == Secret(Array("said\n".utf8)))
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
