import Foundation
import System
import Testing

@Suite("Lock directory")
struct LockDirectoryTests {
    private let temporary = TestFolder()

    @Test("creates it in a home directory of any name", arguments: ["kim", "김철수", "Åsa Öberg", "👩‍👧", "\u{301}a"])
    func created(name: String) throws {
        let home = temporary.path + "/" + name
        #expect(mkdir(home, 0o700) == 0)
        let directory = try #require(LockDirectory(in: home + "/.local/state"))
        #expect(directory.path == home + "/.local/state/git-credential-gitspace")
        #expect(try FileManager.default.contentsOfDirectory(atPath: home) == [".local"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == [name])
        #expect(LockDirectory(in: home + "/.local/state")?.path == directory.path)
    }

    @Test("creates nothing in a directory that others may write to")
    func foreign() throws {
        let home = temporary.path
        #expect(chmod(home, 0o777) == 0)
        #expect(LockDirectory(in: home + "/.local/state") == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: home).isEmpty)
    }
}
