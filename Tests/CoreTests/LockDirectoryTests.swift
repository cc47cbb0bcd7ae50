import Foundation
import System
import Testing

@Suite("Lock directory")
struct LockDirectoryTests {
    @Test("creates it in a home directory of any name", arguments: ["kim", "김철수", "Åsa Öberg", "👩‍👧", "\u{301}a"])
    func created(name: String) throws {
        let folder = FileManager.default.temporaryDirectory.path + "/locks-\(UUID().uuidString)"
        let home = folder + "/" + name
        #expect(mkdir(folder, 0o700) == 0 && mkdir(home, 0o700) == 0)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let directory = try #require(LockDirectory(in: home + "/.local/state"))
        #expect(directory.path == home + "/.local/state/git-credential-gitspace")
        #expect(try FileManager.default.contentsOfDirectory(atPath: home) == [".local"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [name])
        #expect(LockDirectory(in: home + "/.local/state")?.path == directory.path)
    }

    @Test("creates nothing in a directory that others may write to")
    func foreign() throws {
        let home = FileManager.default.temporaryDirectory.path + "/locks-\(UUID().uuidString)"
        #expect(mkdir(home, 0o700) == 0 && chmod(home, 0o777) == 0)
        defer { try? FileManager.default.removeItem(atPath: home) }
        #expect(LockDirectory(in: home + "/.local/state") == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: home).isEmpty)
    }
}
