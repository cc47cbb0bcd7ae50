import Foundation
import System
import Testing

@Suite("Folders of one's own")
final class OwnFolderTests {
    private let root: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "folder-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url.appending(path: "a/b"), withIntermediateDirectories: true)
        root = url.resolvingSymlinksInPath().path
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    private func open(_ name: String, _ permissions: mode_t) { chmod("\(root)/\(name)", permissions) }

    @Test("a folder is found behind its links, and need not exist")
    func own() {
        symlink("\(root)/a", "\(root)/link")
        #expect(OwnFolder.resolved("\(root)/link/b") == "\(root)/a/b")
        #expect(OwnFolder.resolved("\(root)/link/b/c/d") == "\(root)/a/b/c/d")
        #expect(OwnFolder.resolved("/no/such") == "/no/such")
    }

    /// The group of a person alone is nobody else; root's and a common one are.
    private static let ofOthers: [mode_t] = [0o777, 0o707] + (geteuid() == 0 ? [0o770, 0o730] : [])

    @Test("one that others can write to or replace is none", arguments: ofOthers)
    func others(permissions: mode_t) {
        for (name, path) in [("a", "a/b"), ("a/b", "a/b"), ("a/b", "a/b/c")] {
            open(name, permissions)
            #expect(OwnFolder.resolved("\(root)/\(path)") == nil)
            open(name, 0o755)
            #expect(OwnFolder.resolved("\(root)/\(path)") != nil)
        }
    }

    @Test("below a folder that nobody else can enter, nothing is in their reach")
    func closed() {
        open("a/b", 0o777)
        for (permissions, isSafe) in [(0o711, false), (0o701, false), (0o700, true), (0o744, true)] {
            open("a", mode_t(permissions))
            #expect((OwnFolder.resolved("\(root)/a/b/c") != nil) == isSafe, "\(permissions)")
        }
    }

    @Test("a person's own group is nobody else", .enabled(if: geteuid() == 0, "only root can give a folder away"))
    func privateGroup() {
        open("a", 0o775)
        for (group, isSafe) in [(1_234, true), (100, false)] {
            chown("\(root)/a", 1_234, gid_t(group))
            #expect((OwnFolder.resolved("\(root)/a/b", for: 1_234) != nil) == isSafe)
        }
        open("a", 0o777)
        chown("\(root)/a", 1_234, 1_234)
        #expect(OwnFolder.resolved("\(root)/a/b", for: 1_234) == nil)
    }

    @Test("where only their owners can replace things, what is not there yet is anybody's")
    func sticky() {
        open("a", 0o1777)
        #expect(OwnFolder.resolved("\(root)/a/b") == "\(root)/a/b")
        #expect(OwnFolder.resolved("\(root)/a/c") == nil)
    }

    @Test("somebody else's is none", .enabled(if: geteuid() == 0, "only root can give a folder away"))
    func foreign() {
        chown("\(root)/a", 1_234, 1_234)
        #expect(OwnFolder.resolved("\(root)/a/b") == nil)
    }

    @Test("nor is one that is no folder, relative, or behind a link that leads nowhere")
    func nothing() throws {
        symlink("\(root)/nowhere", "\(root)/link")
        try Data().write(to: URL(filePath: "\(root)/file"))
        for path in ["\(root)/link", "\(root)/link/x", "\(root)/file", "\(root)/file/x", "", "a", "a/b"] {
            #expect(OwnFolder.resolved(path) == nil, "\(path)")
        }
    }
}
