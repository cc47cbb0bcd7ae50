import Staging
import System
import Testing

@Suite("Paths that other users can change")
struct OthersTests {
    private let temporary = TestFolder()
    private var root: String { temporary.path }

    init() {
        chmod(root, 0o755)
        for name in ["a", "a/b"] { #expect(mkdir("\(root)/\(name)", 0o755) == 0) }
    }

    private func open(_ name: String, _ permissions: mode_t) { chmod("\(root)/\(name)", permissions) }

    /// Returns the real path, or `nil` if others can change a part of it.
    private func resolved(_ path: String, than user: UInt32 = geteuid(), besidesClosed: Bool = false) -> String? {
        try? Others(than: user).resolved(path, besidesClosed: besidesClosed)
    }

    @Test("resolves the links of a folder, which need not exist")
    func own() {
        symlink("\(root)/a", "\(root)/link")
        symlink("../a/./b", "\(root)/a/around")
        #expect(resolved("\(root)/link/b") == "\(root)/a/b")
        #expect(resolved("\(root)/link/around/../b") == "\(root)/a/b")
        #expect(resolved("\(root)/link/b/c/d") == "\(root)/a/b/c/d")
        #expect(resolved("/no/such") == "/no/such")
        #expect(resolved("/") == "/")
    }

    /// Permissions that let others in; a person's private group is no other, but root's group and a shared one are.
    private static let ofOthers: [mode_t] = [0o777, 0o707] + (geteuid() == 0 ? [0o770, 0o730] : [])

    @Test("refuses a folder that others can write to or replace, and names it", arguments: ofOthers)
    func others(permissions: mode_t) {
        for (name, path) in [("a", "a/b"), ("a/b", "a/b"), ("a/b", "a/b/c")] {
            open(name, permissions)
            #expect(throws: Others.Failure.exchangeable("\(root)/\(name)")) { try Others().resolved("\(root)/\(path)") }
            open(name, 0o755)
            #expect(resolved("\(root)/\(path)") != nil)
        }
    }

    @Test("accepts a folder below one that nobody else can enter, on request")
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
        // The folder itself is closed, but those who can replace it are not kept out.
        open("a", 0o777)
        open("a/b", 0o700)
        #expect(resolved("\(root)/a/b", besidesClosed: true) == nil)
    }

    @Test("accepts a person's private group", .enabled(if: geteuid() == 0, "only root can give a folder away"))
    func privateGroup() throws {
        let (user, group) = try #require(Self.privateGroup)
        open("a", 0o775)
        for (group, isSafe) in [(group, true), (12_345, false)] {
            chown("\(root)/a", user, group)
            #expect((resolved("\(root)/a/b", than: user) != nil) == isSafe)
            // The folder is root's, with the person's group.
            chown("\(root)/a", 0, group)
            #expect((resolved("\(root)/a/b", than: user) != nil) == isSafe)
        }
        // The bits of the group do not show who is in an access control list.
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

    /// A user of this machine who has a group alone, such as Debian's daemon(1).
    private static let privateGroup: (uid_t, gid_t)? = {
        let lines = (try? String(contentsOfFile: "/etc/passwd", encoding: .utf8))?.split(separator: "\n") ?? []
        for line in lines {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count > 3, let user = uid_t(fields[2]), let group = gid_t(fields[3]) else { continue }
            if PrivateGroup.isPrivate(group, of: user) { return (user, group) }
        }
        return nil
    }()

    @Test("accepts an existing file in a sticky folder, and refuses a path that is not there yet")
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

    @Test("refuses a path or link of another user's", .enabled(if: geteuid() == 0, "only root can give a folder away"))
    func foreign() {
        symlink("\(root)/a", "\(root)/link")
        lchown("\(root)/link", 1_234, 1_234)
        #expect(throws: Others.Failure.exchangeable("\(root)/link")) { try Others().resolved("\(root)/link/b") }
        chown("\(root)/a", 1_234, 1_234)
        #expect(throws: Others.Failure.exchangeable("\(root)/a")) { try Others().resolved("\(root)/a/b") }
    }

    @Test("refuses a path that is no folder or relative, or a link that leads nowhere or to itself")
    func nothing() throws {
        symlink("\(root)/itself", "\(root)/itself")
        try Data().write(to: URL(filePath: "\(root)/file"))
        for path in ["\(root)/itself", "\(root)/itself/x", "\(root)/file", "\(root)/file/x", "", "a", "a/b"] {
            #expect(resolved(path) == nil, "\(path)")
        }
    }
}

@Suite("Private group of a person")
struct PrivateGroupTests {
    private let folder = TestFolder()

    private func write(_ users: [String], _ groups: [String]) throws {
        for (name, lines) in [("passwd", users), ("group", groups)] {
            try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: URL(filePath: "\(folder.path)/\(name)"))
        }
    }

    /// The lines of passwd(5) and group(5), and whether group 1000 is user 1000's alone.
    private static let cases: [(users: [String], groups: [String], isPrivate: Bool)] = [
        (["kim:x:1000:1000::/home/kim:/bin/sh"], ["kim:x:1000:"], true),
        (["kim:x:1000:1000:::", "lee:x:1001:1001:::"], ["kim:x:1000:kim", "lee:x:1001:kim"], true),
        (["kim:x:1000:1000:::", "min:x:1000:1000:::"], ["min:x:1000:kim,min"], true),
        (["+::::::", "kim:x:1000:1000", "", "x"], ["+:::", "", "x:y", "kim:x:1000:"], true),
        // The group has other members, by either file.
        (["kim:x:1000:1000:::"], ["kim:x:1000:www-data"], false),
        (["kim:x:1000:1000:::"], ["kim:x:1000:kim,www-data"], false),
        (["kim:x:1000:1000:::"], ["kim:x:1000:", "also:x:1000:www-data"], false),
        (["kim:x:1000:1000:::", "www-data:x:33:1000:::"], ["kim:x:1000:"], false),
        // A shared group that happens to have no other member.
        (["kim:x:1000:1000:::"], ["users:x:1000:"], false),
        // The group is not the first one of the user.
        (["kim:x:1000:100:::"], ["kim:x:1000:kim", "users:x:100:"], false),
        // The group is in neither file.
        (["kim:x:1000:1000:::"], [], false), ([], ["kim:x:1000:"], false),
    ]

    @Test("has no other member, is the user's first group, and has the user's name", arguments: cases.indices)
    func isPrivate(number: Int) throws {
        let (users, groups, isPrivate) = Self.cases[number]
        try write(users, groups)
        #expect(PrivateGroup.isPrivate(1_000, of: 1_000, in: folder.path) == isPrivate, "\(users), \(groups)")
        #expect(!PrivateGroup.isPrivate(1_000, of: 1_001, in: folder.path))
    }

    @Test("is never root's")
    func root() throws {
        try write(["root:x:0:0:::"], ["root:x:0:"])
        #expect(!PrivateGroup.isPrivate(0, of: 0, in: folder.path))
    }
}
