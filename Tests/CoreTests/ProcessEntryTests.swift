import Foundation
import Staging
import Testing
@testable import System

@Suite("Processes as the kernel describes them")
struct ProcessEntryTests {
    private let temporary = TestFolder()

    @Test("finds the parent and the start of a program whatever its name")
    func name() throws {
        let program = temporary.path + "/a) Z 1 (b"
        symlink("/bin/sh", program)
        let process = try #require(ChildProcess([program, "-c", "echo $$; read line"]))
        let line = try #require(process.line(within: 60_000, unless: { false }))
        let id = try #require(pid_t(String(decoding: line, as: UTF8.self)))
        #expect(ProcessEntry.parent(of: id) == getpid())
        #expect(WatchedProcess(id)?.hasEnded == false)
        process.finish(within: 60_000)
    }

    @Test("counts a program as ended although its parent has not noticed")
    func unnoticed() async throws {
        // The inner shell ends as a child of cat, which waits for no process.
        let inner = "until grep -qx cat /proc/$PPID/comm; do :; done; echo $$"
        let process = try #require(ChildProcess(["sh", "-c", "sh -c '\(inner)' & exec cat"]))
        let line = try #require(process.line(within: 60_000, unless: { false }))
        let id = try #require(pid_t(String(decoding: line, as: UTF8.self)))
        try await eventually("its end") { WatchedProcess(id) == nil }
        #expect(ProcessEntry.parent(of: id) != nil)
        process.finish(within: 60_000)
    }
}
