import Foundation
import Testing

@testable import System

@Suite("Paths")
struct PathTests {
    private let temporary = TestFolder()

    @Test("takes a slash as one, whatever follows it, such as a combining accent")
    func slashes() {
        #expect(Path.names(in: "//a/\u{301}b/./c/") == ["a", "\u{301}b", ".", "c"])
        for (path, folder, name) in [
            ("/a/\u{301}b", "/a", "\u{301}b"), ("/\u{301}b", "/", "\u{301}b"), ("/", "/", ""), ("b", ".", "b"),
            ("", ".", ""), ("a/b/", "a/b", ""),
        ] { #expect(Path.folder(of: path) == folder && Path.name(of: path) == name) }
        #expect(Path.isAbsolute("/\u{301}b") && !Path.isAbsolute("b") && !Path.isAbsolute(""))
        #expect(Path.path("b", in: "/") == "/b" && Path.path("b", in: "/a") == "/a/b")
        #expect(Path.path("/\u{301}b", in: "/a") == "/\u{301}b")
    }

    @Test("resolves a link, or throws the reason")
    func links() throws {
        let folder = temporary.path
        symlink("../\u{301}a", folder + "/link")
        symlink("\(folder)/.", folder + "/here")
        let odd = Array(folder.utf8CString.dropLast()) + [0x2f, -1, 0]
        symlink(odd, folder + "/odd")
        #expect(try Path.target(ofLink: folder + "/link") == "../\u{301}a")
        #expect(try Path.real(folder + "/here") == folder)
        for (path, number) in [(folder, EINVAL), (folder + "/none", ENOENT), (folder + "/odd", EILSEQ)] {
            #expect(throws: Errno(number: number)) { try Path.target(ofLink: path) }
        }
        #expect(throws: Errno(number: ENOENT)) { try Path.real(folder + "/odd") }
        #expect(mkdir(odd, 0o700) == 0)
        defer { rmdir(odd) }
        #expect(throws: Errno(number: EILSEQ)) { try Path.real(folder + "/odd") }
        #expect(throws: Errno(number: ENOTDIR)) { try Path.real("/etc/passwd/x") }
        #expect(Errno(number: ENOTDIR).isAbsence && !Errno(number: EACCES).isAbsence)
    }
}

@Suite("Deadline")
struct DeadlineTests {
    @Test("counts the time in which the process ran, and not while the machine was suspended")
    func standstill() {
        var now: Int64 = 1_000
        var deadline = Deadline(in: 1_000) { now }
        now += 400
        // A long pause counts as no more than a quarter of a second.
        #expect(deadline.left() == 750 && deadline.lasts())
        now += 3_600_000
        #expect(deadline.left() == 500)
        now += 100
        #expect(deadline.left() == 400 && deadline.remaining == 400)
        // A clock that went back gives no extra time.
        now -= 5_000
        #expect(deadline.left() == 400)
        now += 200
        deadline.skip()
        #expect(deadline.left() == 400 && deadline.milliseconds == 1_000)
        for left in [300, 200, 100, 0, 0] as [Int64] {
            now += 100
            #expect(deadline.left() == left && deadline.lasts() == (left > 0))
        }
    }

    @Test("is later if several processes share a processor, and stays over once reached")
    func crowded() {
        var (now, crowd, questions) = (0 as Int64, 2 as Int64, 0)
        var deadline = Deadline(in: 200, uptime: { now }) {
            questions += 1
            return crowd
        }
        for left in [100, 200, 100] as [Int64] {
            now += 100
            #expect(deadline.left() == left)
        }
        #expect(questions == 1)
        crowd = 3
        now += 100
        #expect(deadline.left() == 200)
        now += 250
        #expect(deadline.left() == 0)
        crowd = 4
        #expect(deadline.left() == 0 && questions == 3)
    }

    @Test(
        "reads the number of running processes from the kernel",
        arguments: [
            ("0.21 0.30 0.35 1/312 4242\n", 1), ("9.21 0.30 0.35 4/312 4242\n", 1), ("0.21 0.30 0.35 7/312 4242\n", 3),
            ("0.21 0.30 0.35 400/512 4242\n", 4), ("0.21 0.30 0.35 x/312 4242\n", 1), ("", 1),
            ("0.21 0.30 0.35 99999999999999999999/1", 1), ("0 0 0 0/1", 1),
        ] as [(String, Int64)])
    func running(averages: String, crowd: Int64) {
        #expect(Crowd.of(Array(averages.utf8), processors: 2) == crowd)
        #expect((1...4).contains(Crowd.now))
    }

    @Test("is over at once without time")
    func none() {
        var deadline = Deadline(in: 0) { 0 }
        var past = Deadline(in: -5) { 0 }
        #expect(!deadline.lasts() && !past.lasts() && past.left() == 0)
    }
}

@Suite("Relative folders in the environment")
struct RelativePathsTests {
    @Test(
        "removes relative folders from PATH, and never leaves it empty",
        arguments: [
            (nil, "/bin:/usr/bin"), ("", "/bin:/usr/bin"), (":", "/bin:/usr/bin"), (".", "/bin:/usr/bin"),
            ("/usr/bin:/bin", nil), ("/usr//bin:/opt/a b", nil), (":/usr/bin", "/usr/bin"), ("/usr/bin:", "/usr/bin"),
            ("/a::/b", "/a:/b"), (".:/a", "/a"), ("/a:./bin:/b", "/a:/b"), ("bin:~/bin:/a", "/a"),
            ("../x", "/bin:/usr/bin"),
        ] as [(String?, String?)])
    func path(list: String?, kept: String?) {
        #expect(RelativePaths.absolute(in: list, else: RelativePaths.defaultPath) == kept)
    }
}
