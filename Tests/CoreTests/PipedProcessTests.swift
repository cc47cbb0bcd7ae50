import CredentialCore
import Foundation
import System
import Testing

@Suite("Programs that we talk to through pipes")
struct PipedProcessTests {
    @Test(
        "does not keep the listener busy if the program writes more lines or closes its standard error",
        arguments: ["echo line; echo more; echo and more; cat >/dev/null", "echo line; exec cat 2>/dev/null"])
    func moreLines(script: String) throws {
        let process = try #require(ChildProcess(["sh", "-c", script], io: .pipes(errors: { _ in })))
        #expect(process.line(within: 60_000, unless: { false }) == Array("line".utf8))
        let looks = try Self.looks(at: process, milliseconds: 500)
        #expect(looks < 10 && !process.hasEnded, "\(looks) looks")
        process.finish(within: 60_000)
    }

    @Test("counts a program as ended that closed its output, and still waits for it")
    func closedOutput() throws {
        let process = try #require(ChildProcess(["sh", "-c", "echo line; exec cat >/dev/null"]))
        #expect(process.line(within: 60_000, unless: { false }) == Array("line".utf8))
        let looks = try Self.looks(at: process, milliseconds: 60_000)
        #expect(process.hasEnded && looks < 10, "\(looks) looks")
        process.finish(within: 60_000)
        #expect(process.hasEnded)
    }

    @Test("passes standard error on, and never blocks the program by it")
    func remarks() throws {
        // The program writes more than a pipe holds before its line, after it and at its end.
        let flood = "head -c 200000 /dev/zero >&2"
        let script = "\(flood); echo line; \(flood); echo more; cat >/dev/null; \(flood)"
        var heard = 0
        let process = try #require(ChildProcess(["sh", "-c", script], io: .pipes(errors: { heard += $0.count })))
        #expect(process.line(within: 60_000, unless: { false }) == Array("line".utf8))
        #expect(heard >= 200_000 - 65_536)
        while heard < 400_000, !process.hasEnded {}
        process.finish(within: 60_000)
        #expect(heard == 600_000)
    }

    /// Returns how often a listener polls a process, until the time is over or the process has ended.
    private static func looks(at process: ChildProcess, milliseconds: Int64) throws -> Int {
        let path = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString.prefix(8))"
        let socket = try ListeningSocket(at: path)
        defer { socket.remove() }
        var looks = 0
        _ = Listener(on: socket, admits: { _ in true }, RequestConnections { _, _, _, _ in Secret([]) }).run(
            until: SystemClock().uptimeMilliseconds + milliseconds, watching: process.numbers,
            isStopped: {
                looks += 1
                return process.hasEnded
            })
        return looks
    }

    @Test("sends nothing after the input was closed")
    func sendingAfterTheEnd() async {
        await #expect(processExitsWith: .success) {
            let process = try #require(ChildProcess(["cat"]))
            process.finish(within: 60_000)
            // These files take every free descriptor, including the closed input's.
            let files = (0..<16).map { _ in tmpfile() }
            #expect(!process.send(line: "to nobody", within: 60_000))
            for file in files {
                let file = try #require(file)
                fseek(file, 0, SEEK_END)
                #expect(ftell(file) == 0)
            }
        }
    }

    @Test("sends a line of any length to a program that reads, and gives up at one that does not")
    func sending() async {
        await #expect(processExitsWith: .success) {
            StandardStreams.openClosed()
            let long = String(repeating: "x", count: 1 << 20)
            var heard = 0
            let reader = try #require(
                ChildProcess(["sh", "-c", "echo line; tr x y >&2"], io: .pipes(errors: { heard += $0.count })))
            #expect(reader.line(within: 60_000, unless: { false }) == Array("line".utf8))
            #expect(reader.send(line: long, within: 60_000))
            reader.finish(within: 60_000)
            #expect(heard == long.utf8.count + 1)
            let deaf = try #require(ChildProcess(["sleep", "600"]))
            #expect(!deaf.send(line: long, within: 200))
            deaf.finish(within: 0)
            let gone = try #require(ChildProcess(["true"]))
            while !gone.hasEnded {}
            #expect(!gone.send(line: "to nobody", within: 60_000))
        }
    }

    @Test("leaves no pipe open if there are too few descriptors")
    func oneTooFew() async {
        await #expect(processExitsWith: .success) {
            let before = try Self.openPipes()
            let free = dup(0)
            close(free)
            var limit = rlimit()
            #expect(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            let usual = limit.rlim_cur
            // Other threads may use a descriptor for a moment, so the number of free ones is not exact.
            // The seventh is for the notice of the program's end; without it, the program is still waited for.
            for room in 0..<8 {
                limit.rlim_cur = rlim_t(Int(free) + room)
                #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
                ChildProcess(["cat"])?.finish(within: 60_000)
            }
            limit.rlim_cur = usual
            #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            #expect(try Self.openPipes() == before)
        }
    }

    private static func openPipes() throws -> Int {
        let folder = "/proc/self/fd/"
        return try FileManager.default.contentsOfDirectory(atPath: folder).count {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + $0))?.hasPrefix("pipe:") == true
        }
    }
}
