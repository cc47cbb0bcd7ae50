import CredentialCore
import Foundation
import System
import Testing

@Suite("A program with which we talk through pipes")
struct PipedProcessTests {
    @Test(
        "one that writes more than its line, or closes its standard error, does not keep the listener busy",
        arguments: ["echo line; echo more; echo and more; cat >/dev/null", "echo line; exec cat 2>/dev/null"])
    func moreLines(script: String) throws {
        let process = try #require(PipedProcess(["sh", "-c", script]))
        #expect(process.line(within: 60_000, unless: { false }) == Array("line".utf8))
        let looks = try Self.looks(at: process, milliseconds: 500)
        #expect(looks < 10 && !process.hasEnded, "\(looks) looks")
        process.finish(within: 60_000)
    }

    @Test("one that closes its output counts as ended, and is waited for all the same")
    func closedOutput() throws {
        let process = try #require(PipedProcess(["sh", "-c", "echo line; exec cat >/dev/null"]))
        #expect(process.line(within: 60_000, unless: { false }) == Array("line".utf8))
        let looks = try Self.looks(at: process, milliseconds: 60_000)
        #expect(process.hasEnded && looks < 10, "\(looks) looks")
        process.finish(within: 60_000)
        #expect(process.hasEnded)
    }

    @Test("what it writes to standard error is passed on, and never holds it up")
    func remarks() throws {
        // More than a pipe holds, before its line, after it and at its end.
        let flood = "head -c 200000 /dev/zero >&2"
        let script = "\(flood); echo line; \(flood); echo more; cat >/dev/null; \(flood)"
        var heard = 0
        let process = try #require(PipedProcess(["sh", "-c", script], onStandardError: { heard += $0.count }))
        #expect(process.line(within: 60_000, unless: { false }) == Array("line".utf8))
        #expect(heard >= 200_000 - 65_536)
        while heard < 400_000, !process.hasEnded {}
        process.finish(within: 60_000)
        #expect(heard == 600_000)
    }

    /// How often a listener looks after a process, until that time is over or the process has ended.
    private static func looks(at process: PipedProcess, milliseconds: Int64) throws -> Int {
        let path = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString.prefix(8))"
        let socket = try ListeningSocket(at: path)
        defer { socket.remove() }
        var looks = 0
        _ = Listener(on: socket, admits: { _ in true }, RequestConnections { _, _ in Secret([]) }).run(
            until: SystemClock().uptimeMilliseconds + milliseconds, watching: process.numbers,
            isStopped: {
                looks += 1
                return process.hasEnded
            })
        return looks
    }

    @Test("what is sent after its input has been ended goes nowhere")
    func sendingAfterTheEnd() async {
        await #expect(processExitsWith: .success) {
            let process = try #require(PipedProcess(["cat"]))
            process.finish(within: 60_000)
            // These take every number that is free, that of the input included.
            let files = (0..<16).map { _ in tmpfile() }
            #expect(!process.send(line: "to nobody", within: 60_000))
            for file in files {
                let file = try #require(file)
                fseek(file, 0, SEEK_END)
                #expect(ftell(file) == 0)
            }
        }
    }

    @Test("a line goes to one that reads, however long it is, and is given up where nobody does")
    func sending() async {
        await #expect(processExitsWith: .success) {
            StandardStreams.openClosed()
            let long = String(repeating: "x", count: 1 << 20)
            var heard = 0
            let reader = try #require(
                PipedProcess(["sh", "-c", "echo line; tr x y >&2"], onStandardError: { heard += $0.count }))
            #expect(reader.line(within: 60_000, unless: { false }) == Array("line".utf8))
            #expect(reader.send(line: long, within: 60_000))
            reader.finish(within: 60_000)
            #expect(heard == long.utf8.count + 1)
            let deaf = try #require(PipedProcess(["sleep", "600"]))
            #expect(!deaf.send(line: long, within: 200))
            deaf.finish(within: 0)
            let gone = try #require(PipedProcess(["true"]))
            while !gone.hasEnded {}
            #expect(!gone.send(line: "to nobody", within: 60_000))
        }
    }

    @Test("where there is not room for all of its pipes, none is left open")
    func oneTooFew() async {
        await #expect(processExitsWith: .success) {
            let before = try Self.openPipes()
            let free = dup(0)
            close(free)
            var limit = rlimit()
            #expect(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            let usual = limit.rlim_cur
            // Other threads may have a descriptor for a moment, so it is not known how many are left.
            // Where the seventh is missing, which tells its end, it is waited for all the same.
            for room in 0..<8 {
                limit.rlim_cur = rlim_t(Int(free) + room)
                #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
                PipedProcess(["cat"])?.finish(within: 60_000)
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
