import Foundation
import Staging
import System
import Testing

@Suite("What others can change")
final class OthersTests {
    private let root: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "folder-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url.appending(path: "a/b"), withIntermediateDirectories: true)
        root = url.resolvingSymlinksInPath().path
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    private func open(_ name: String, _ permissions: mode_t) { chmod("\(root)/\(name)", permissions) }

    /// Nil if others can change something on the way.
    private func resolved(_ path: String, than user: UInt32 = geteuid(), besidesClosed: Bool = false) -> String? {
        try? Others(than: user).resolved(path, besidesClosed: besidesClosed)
    }

    @Test("a folder is found behind its links, and need not exist")
    func own() {
        symlink("\(root)/a", "\(root)/link")
        symlink("../a/./b", "\(root)/a/around")
        #expect(resolved("\(root)/link/b") == "\(root)/a/b")
        #expect(resolved("\(root)/link/around/../b") == "\(root)/a/b")
        #expect(resolved("\(root)/link/b/c/d") == "\(root)/a/b/c/d")
        #expect(resolved("/no/such") == "/no/such")
        #expect(resolved("/") == "/")
    }

    /// A group that a person has alone is nobody else; root's and a common one are.
    private static let ofOthers: [mode_t] = [0o777, 0o707] + (geteuid() == 0 ? [0o770, 0o730] : [])

    @Test("one that others can write to or replace is none, and is named", arguments: ofOthers)
    func others(permissions: mode_t) {
        for (name, path) in [("a", "a/b"), ("a/b", "a/b"), ("a/b", "a/b/c")] {
            open(name, permissions)
            #expect(throws: Others.Failure.exchangeable("\(root)/\(name)")) { try Others().resolved("\(root)/\(path)") }
            open(name, 0o755)
            #expect(resolved("\(root)/\(path)") != nil)
        }
    }

    @Test("below a folder that nobody else can enter, nothing is in their reach, for whoever wants to know")
    func closed() {
        open("a/b", 0o777)
        symlink("\(root)/a/b", "\(root)/link")
        for (permissions, isSafe) in [(0o711, false), (0o701, false), (0o700, true), (0o744, true)] {
            open("a", mode_t(permissions))
            for path in ["\(root)/a/b/c", "\(root)/link/c"] {
                #expect((resolved(path, besidesClosed: true) != nil) == isSafe, "\(permissions)")
                #expect(resolved(path) == nil)
            }
        }
        // The folder itself is closed, but not to those who can put another in its place.
        open("a", 0o777)
        open("a/b", 0o700)
        #expect(resolved("\(root)/a/b", besidesClosed: true) == nil)
    }

    @Test("a person's own group is nobody else", .enabled(if: geteuid() == 0, "only root can give a folder away"))
    func privateGroup() throws {
        let (user, group) = try #require(Self.privateGroup)
        open("a", 0o775)
        for (group, isSafe) in [(group, true), (12_345, false)] {
            chown("\(root)/a", user, group)
            #expect((resolved("\(root)/a/b", than: user) != nil) == isSafe)
            // Root's folder, and the person's group.
            chown("\(root)/a", 0, group)
            #expect((resolved("\(root)/a/b", than: user) != nil) == isSafe)
        }
        // Whom an access control list lets in, the bits of the group do not tell.
        chown("\(root)/a", user, group)
        let list = """
            import os, struct
            entries = [(1, 7, -1), (2, 7, 12345), (4, 5, -1), (16, 7, -1), (32, 5, -1)]
            list = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)
            os.setxattr("\(root)/a", "system.posix_acl_access", list)
            """
        let end = try RunningProgram.run(["/usr/bin/python3", "-c", list])
        try #require(end.status == 0, "\(end.errors)")
        #expect(resolved("\(root)/a/b", than: user) == nil)
        open("a", 0o755)
        #expect(resolved("\(root)/a/b", than: user) != nil)
    }

    /// A user of this machine's who has a group alone, such as Debian's daemon(1).
    private static let privateGroup: (uid_t, gid_t)? = {
        let lines = (try? String(contentsOfFile: "/etc/passwd", encoding: .utf8))?.split(separator: "\n") ?? []
        for line in lines {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count > 3, let user = uid_t(fields[2]), let group = gid_t(fields[3]) else { continue }
            if PrivateGroup.isPrivate(group, of: user) { return (user, group) }
        }
        return nil
    }()

    @Test("where only their owners can replace things, what is not there yet is anybody's")
    func sticky() {
        open("a", 0o1777)
        #expect(resolved("\(root)/a/b") == "\(root)/a/b")
        #expect(resolved("\(root)/a/c") == nil)
        #expect(resolved("\(root)/a") == nil)
        symlink("c", "\(root)/a/link")
        #expect(resolved("\(root)/a/link/d") == nil)
        symlink("/no", "\(root)/a/away")
        #expect(resolved("\(root)/a/away/such") == "/no/such")
    }

    @Test("somebody else's is none, be it a link", .enabled(if: geteuid() == 0, "only root can give a folder away"))
    func foreign() {
        symlink("\(root)/a", "\(root)/link")
        lchown("\(root)/link", 1_234, 1_234)
        #expect(throws: Others.Failure.exchangeable("\(root)/link")) { try Others().resolved("\(root)/link/b") }
        chown("\(root)/a", 1_234, 1_234)
        #expect(throws: Others.Failure.exchangeable("\(root)/a")) { try Others().resolved("\(root)/a/b") }
    }

    @Test("nor is one that is no folder, relative, or behind a link that leads nowhere or to itself")
    func nothing() throws {
        symlink("\(root)/itself", "\(root)/itself")
        try Data().write(to: URL(filePath: "\(root)/file"))
        for path in ["\(root)/itself", "\(root)/itself/x", "\(root)/file", "\(root)/file/x", "", "a", "a/b"] {
            #expect(resolved(path) == nil, "\(path)")
        }
    }
}

@Suite("A person's own group")
struct PrivateGroupTests {
    /// Lines of passwd(5) and group(5), and whether group 1000 is user 1000's alone.
    private static let cases: [(users: [String], groups: [String], isPrivate: Bool)] = [
        (["kim:x:1000:1000::/home/kim:/bin/sh"], ["kim:x:1000:"], true),
        (["kim:x:1000:1000:::", "lee:x:1001:1001:::"], ["kim:x:1000:kim", "lee:x:1001:kim"], true),
        (["kim:x:1000:1000:::", "min:x:1000:1000:::"], ["min:x:1000:kim,min"], true),
        (["+::::::", "kim:x:1000:1000", "", "x"], ["+:::", "", "x:y", "kim:x:1000:"], true),
        // Other members, by either file.
        (["kim:x:1000:1000:::"], ["kim:x:1000:www-data"], false),
        (["kim:x:1000:1000:::"], ["kim:x:1000:kim,www-data"], false),
        (["kim:x:1000:1000:::"], ["kim:x:1000:", "also:x:1000:www-data"], false),
        (["kim:x:1000:1000:::", "www-data:x:33:1000:::"], ["kim:x:1000:"], false),
        // A common one in which nobody else happens to be.
        (["kim:x:1000:1000:::"], ["users:x:1000:"], false),
        // Not the first.
        (["kim:x:1000:100:::"], ["kim:x:1000:kim", "users:x:100:"], false),
        // Nobody knows.
        (["kim:x:1000:1000:::"], [], false),
        ([], ["kim:x:1000:"], false),
    ]

    @Test("has nobody else in it, is the first, and has the person's name", arguments: cases.indices)
    func isPrivate(number: Int) throws {
        let (users, groups, isPrivate) = Self.cases[number]
        let folder = FileManager.default.temporaryDirectory.appending(path: "etc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, lines) in [("passwd", users), ("group", groups)] {
            let text = lines.map { $0 + "\n" }.joined()
            try text.write(to: folder.appending(path: name), atomically: false, encoding: .utf8)
        }
        #expect(PrivateGroup.isPrivate(1_000, of: 1_000, in: folder.path) == isPrivate, "\(users), \(groups)")
        #expect(!PrivateGroup.isPrivate(1_000, of: 1_001, in: folder.path))
    }

    @Test("is never root's")
    func root() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "etc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        try "root:x:0:0:::\n".write(to: folder.appending(path: "passwd"), atomically: false, encoding: .utf8)
        try "root:x:0:\n".write(to: folder.appending(path: "group"), atomically: false, encoding: .utf8)
        #expect(!PrivateGroup.isPrivate(0, of: 0, in: folder.path))
    }
}
