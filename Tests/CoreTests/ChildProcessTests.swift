import CredentialCore
import Foundation
import System
import Testing

@Suite("Programs that are run for their output")
struct ChildProcessTests {
    @Test("returns the output of a program that succeeds, and nothing after a failure")
    func output() {
        #expect(ChildProcess.output(of: ["echo", "said"], within: 60_000) == Array("said\n".utf8))
        #expect(ChildProcess.output(of: ["false"], within: 60_000) == nil)
    }

    @Test("ends a program in time that closed its output, and rarely polls it")
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

    @Test("does not wait for a process that the program leaves running")
    func leftRunning() {
        let command = ["sh", "-c", "echo said; sleep 600 & echo $!"]
        let output = ChildProcess.output(of: command, within: 60_000) ?? []
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 2 && lines.first == "said")
        if let left = lines.last.flatMap({ pid_t($0) }) { kill(left, SIGKILL) }
    }

    /// Much more than a pipe holds (pipe(7)).
    private static var flood: Secret { Secret([UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)) }

    @Test("sends any input while the program prints as much, and ends a program in time that does not read it")
    func input() async {
        await #expect(processExitsWith: .success) {
            StandardStreams.openClosed()
            let output = try ChildProcess.run(["cat"], input: Self.flood, within: 60_000)
            #expect(output == Self.flood)
            // A program need not read all of its input.
            #expect(
                try ChildProcess.run(["echo", "said"], input: Self.flood, within: 60_000)
                    == Secret(Array("said\n".utf8)))
            for command in [["sleep", "600"], ["sh", "-c", "exec >&-; exec sleep 600"]] {
                #expect(throws: ChildProcess.Failure.timedOut) {
                    try ChildProcess.run(command, input: Self.flood, within: 200)
                }
                #expect(waitpid(-1, nil, WNOHANG) == -1, "a program is left")
            }
            // The program gets its whole input first, or does not run.
            #expect(ChildProcess(["cat"], io: .detached(input: String(repeating: "x", count: 1 << 20))) == nil)
        }
    }

    @Test(
        "leaves a program running that it may not end", .enabled(if: geteuid() == 0, "only root can give a file away"))
    func unkillable() async {
        let folder = FileManager.default.temporaryDirectory.path + "/unkillable-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // Other users must not reach the setuid program in this folder.
        #expect(mkdir(folder, 0o700) == 0 && chown(folder, 65_534, 65_534) == 0)
        await #expect(processExitsWith: .success) { [folder = folder as String] in
            #expect(mkfifo(folder + "/life", 0o666) == 0)
            // A setuid program of root's, like sudo(8), accepts no signal of ours.
            let become = folder + "/become"
            try FileManager.default.copyItem(atPath: #require(ProgramSearch.find("setpriv")), toPath: become)
            #expect(chmod(become, 0o4755) == 0)
            // The program ends with this process.
            let life = open(folder + "/life", O_RDWR | O_CLOEXEC)
            #expect(life >= 0 && setgid(65_534) == 0 && setuid(65_534) == 0)
            let script = "exec >&-; read line <'\(folder)/life'"
            let command = [become, "--reuid=0", "--clear-groups", "sh", "-c", script]
            #expect(throws: ChildProcess.Failure.timedOut) { try ChildProcess.run(command, within: 200) }
            ChildProcess(command)?.finish(within: 200)
            ChildProcess(command, io: .detached())?.stop()
        }
    }

    @Test("gives a program more time if many processes share the processors")
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
            // Without the other processes, there would be nine looks.
            #expect(looks > 15, "\(looks) looks")
        }
    }

    @Test("does not take a suspended machine for a program that hangs")
    func standstill() throws {
        // The machine is suspended for an hour before the first look.
        var hours: [Int64] = [0]
        let output = try ChildProcess.run(["echo", "said"], within: 600_000) {
            SystemClock().uptimeMilliseconds + 3_600_000 * (hours.popLast() ?? 1)
        }
        #expect(output == Secret(Array("said\n".utf8)))
    }

    @Test("returns nothing after a failure if SIGCHLD is ignored and the status lost, and the output after `harden()`")
    func ignoredSIGCHLD() async {
        await #expect(processExitsWith: .success) {
            signal(SIGCHLD, SIG_IGN)
            #expect(ChildProcess.output(of: ["sh", "-c", "echo said; exit 1"], within: 60_000) == nil)
            Environment.harden()
            #expect(ChildProcess.output(of: ["echo", "said"], within: 60_000) == Array("said\n".utf8))
        }
    }

    @Test("starts a program that signals can end, although this process blocks or ignores them")
    func signals() async {
        await #expect(processExitsWith: .success) {
            StandardStreams.openClosed()
            let watch = try #require(SignalWatch())
            for name in ["PIPE", "TERM"] {
                let command = ["sh", "-c", "kill -s \(name) $$; echo said"]
                #expect(ChildProcess.output(of: command, within: 60_000) == nil, "\(name)")
            }
            withExtendedLifetime(watch) {}
        }
    }

    @Test(
        "never runs a program in the current folder, whatever the PATH",
        arguments: ["", ":", ".", ":/usr/bin:", "./", "../here", "bin:."])
    func relativePath(path: String) async {
        await #expect(processExitsWith: .success) { [path] in
            let folder = FileManager.default.temporaryDirectory.appending(path: "path-\(UUID().uuidString)/here")
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
            #expect(ChildProcess(["planted"], io: .detached()) == nil)
            #expect(ProgramSearch.find("planted") == nil)
            // A folder of the program's name comes first.
            let other = folder.appending(path: "other")
            try FileManager.default.createDirectory(
                at: other.appending(path: "planted"), withIntermediateDirectories: true)
            setenv("PATH", "\(path):\(other.path):\(folder.path)", 1)
            #expect(ProgramSearch.find("planted") == folder.path + "/planted")
            #expect(ChildProcess.output(of: ["planted"], within: 60_000) == Array("planted\n".utf8))
        }
    }
}
