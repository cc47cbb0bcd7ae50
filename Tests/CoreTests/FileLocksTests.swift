import CredentialCore
import Foundation
import System
import TestSupport
import Testing

@Suite("File locks")
struct FileLocksTests {
    private let temporary = TestFolder()
    var folder: String { temporary.path }
    private var directory: String { folder + "/git-credential-gitspace" }
    private let name = LockName.keyringPassword
    private var locks: FileLocks { FileLocks(in: { [folder] in LockDirectory(in: folder) }) }

    /// The file or folder that is removed during a wait; the last log-out removes the folder.
    enum Removal: CaseIterable { case file, directory }

    @Test("excludes others after the file was removed during a wait", arguments: Removal.allCases)
    func removed(_ removal: Removal) throws {
        var first: (any HeldLock)? = try locks.acquire(name, within: 60_000, whileWaiting: { true })
        var third: (any HeldLock)?
        var looks = 0
        // The second waits for the first, whose file is removed; the third comes, and finds a new file.
        let second = try locks.acquire(name, within: 60_000) {
            looks += 1
            if looks == 1 {
                switch removal {
                case .file: unlink(directory + "/" + name.text + ".lock")
                case .directory: try? FileManager.default.removeItem(atPath: directory)
                }
                third = try? locks.acquire(name, within: 0, whileWaiting: { true })
                #expect(third != nil)
                first?.release()
                first = nil
            } else {
                third?.release()
                third = nil
            }
            return true
        }
        #expect(third == nil && looks > 1, "two hold it")
        #expect(throws: LockError.timedOut) { try locks.acquire(name, within: 0, whileWaiting: { true }) }
        second.release()
        try locks.acquire(name, within: 0, whileWaiting: { true }).release()
    }

    @Test("names a file system that refuses locks, with the error", arguments: [ENOLCK, EIO])
    func refused(error: Int32) throws {
        let locks = FileLocks(in: { [folder] in LockDirectory(in: folder) }, by: { _ in error })
        let failure = LockError.failed(folder: directory, reason: String(cString: strerror(error)))
        #expect(throws: failure) { try locks.acquire(name, within: 60_000, whileWaiting: { true }) }
    }

    @Test("knows when a holder gave up, unless the clock was set back since")
    func gaveUp() throws {
        let held = try locks.acquire(name, within: 60_000, whileWaiting: { true })
        #expect(locks.secondsSinceGivingUp(name) == nil)
        held.giveUp()
        #expect(locks.secondsSinceGivingUp(name) != nil)
        try FileManager.default.setAttributes(
            [.modificationDate: Date.now.addingTimeInterval(3_600)],
            ofItemAtPath: directory + "/" + name.text + ".refused")
        #expect(locks.secondsSinceGivingUp(name) == nil)
        held.release()
    }

    @Test("fails if the directory was removed and cannot be created again")
    func gone() throws {
        let held = try locks.acquire(name, within: 60_000, whileWaiting: { true })
        #expect(throws: LockError.impossible) {
            try locks.acquire(name, within: 60_000) {
                try? FileManager.default.removeItem(atPath: folder)
                try? Data().write(to: URL(filePath: folder))
                held.release()
                return true
            }
        }
    }
}

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

@Suite("Record file and its lock")
struct RecordFileTests {
    private let folder = TestFolder()
    private var path: String { folder.path + "/record" }

    @Test("has no holder if the lock is free or the file is missing")
    func free() throws {
        #expect(RecordFile.holder(of: path) == .none)
        try Data().write(to: URL(filePath: path))
        #expect(RecordFile.holder(of: path) == .none)
    }

    @Test("is read whole up to a MiB")
    func long() throws {
        try Data(repeating: 1, count: 1 << 20).write(to: URL(filePath: path))
        #expect(RecordFile.text(of: path).count == 1 << 20)
    }

    @Test("does not write through a link")
    func link() throws {
        let target = folder.path + "/target"
        try Data("precious".utf8).write(to: URL(filePath: target))
        symlink(target, path)
        #expect(throws: RecordFile.Failure.system(path: path, Errno(number: ELOOP))) {
            try RecordFile(locking: path).write([])
        }
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "precious")
    }

    @Test("takes a lock of an open file as held by no process that could be ended")
    func openFile() throws {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(file) }
        // The lock is F_OFD_SETLK of fcntl(2).
        var lock = flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 0, l_pid: 0)
        #expect(fcntl(file, 37, &lock) == 0)
        #expect(RecordFile.holder(of: path) == .elsewhere)
        #expect(throws: RecordFile.Failure.held) { try RecordFile(locking: path) }
    }
}

@Suite("File of rejected tokens")
struct RefusedTokensFileTests {
    private let temporary = TestFolder()
    private let account = LockName.account(Array("octocat".utf8), on: HostName(name: "github.com"))
    private let other = LockName.account(Array("hubot".utf8), on: HostName(name: "github.com"))
    private var file: String { temporary.path + "/git-credential-gitspace/refused" }

    private var tokens: RefusedTokensFile {
        let directory = { [temporary] in LockDirectory(in: temporary.path) }
        return RefusedTokensFile(besideLocksOf: FileLocks(in: directory), existing: directory)
    }

    private func text() -> String { (try? String(contentsOfFile: file, encoding: .utf8)) ?? "" }

    @Test(
        "keeps a rejection for a day, even if the clock is changed",
        arguments: [(3_600, true), (86_000, true), (-3_600, true), (86_400, false), (-90_000, false)])
    func age(seconds: Int64, counts: Bool) throws {
        tokens.remember(Secret("gho_old"), for: account)
        let now = try #require(tokens.refusal(of: Secret("gho_old"), for: account))
        let aged = text().replacing(" \(now)\n", with: " \(now - seconds)\n")
        try aged.write(toFile: file, atomically: false, encoding: .utf8)
        #expect(tokens.refusal(of: Secret("gho_old"), for: account) == (counts ? now - seconds : nil))
    }

    @Test("drops a rejection when another token of the account is checked, and keeps other accounts' rejections")
    func another() {
        tokens.remember(Secret("gho_old"), for: account)
        tokens.remember(Secret("gho_old"), for: other)
        #expect(tokens.refusal(of: Secret("gho_new"), for: account) == nil)
        #expect(tokens.refusal(of: Secret("gho_old"), for: account) == nil)
        #expect(tokens.refusal(of: Secret("gho_old"), for: other) != nil)
    }

    @Test("keeps the last two of an account, and no token itself")
    func most() {
        for token in ["gho_1", "gho_2", "gho_3"] { tokens.remember(Secret(token), for: account) }
        for token in ["gho_2", "gho_3"] { #expect(tokens.refusal(of: Secret(token), for: account) != nil) }
        #expect(text().split(separator: "\n").count == 2 && !text().contains("gho_"))
    }
}

@Suite("Notes about refused sign-ins")
struct SignInNotesFilesTests {
    private let temporary = TestFolder()
    private var folder: String { temporary.path }
    private let name = LockName.signIn(as: nil, on: HostName(name: "github.com"))

    private func notes(of command: String?, on terminal: String? = nil) -> SignInNotesFiles {
        SignInNotesFiles(in: { [folder] in LockDirectory(in: folder) }, command: { command }, terminal: { terminal })
    }

    /// Notes a refusal of a command, or of none, as if it had come so many seconds earlier.
    private func refuse(_ command: String?, ago seconds: Int64) throws {
        notes(of: command).noteRefusal(of: name)
        let file = folder + "/git-credential-gitspace/" + name.text + ".refused"
        let words = try String(contentsOfFile: file, encoding: .utf8).split(separator: " ")
        let time = try #require(words.last.flatMap { Int64($0.dropLast()) })
        try "\(words[0]) \(time - seconds)\n".write(toFile: file, atomically: false, encoding: .utf8)
    }

    @Test("keeps a refusal for the same command of git as long as it runs, unless the clock was set back")
    func command() throws {
        try refuse("1-100", ago: 3_600)
        #expect(notes(of: "1-100").refusal(of: name) == .inThisCommand)
        #expect(notes(of: "1-101").refusal(of: name) == nil && notes(of: nil).refusal(of: name) == nil)
        try refuse("1-100", ago: -3_600)
        #expect(notes(of: "1-100").refusal(of: name) == nil)
    }

    @Test(
        "keeps a refusal outside of git for a minute, unless the clock was set back",
        arguments: [(0, true), (50, true), (60, false), (-3_600, false)])
    func silence(seconds: Int64, counts: Bool) throws {
        try refuse(nil, ago: seconds)
        #expect(notes(of: nil).refusal(of: name) == (counts ? .shortlyBefore : nil))
        #expect(notes(of: "1-100").refusal(of: name) == nil)
    }

    @Test("tells waiting processes where the sign-in is")
    func place() {
        notes(of: "1-100", on: "34816").noteStart(of: name)
        #expect(notes(of: "1-100", on: "34816").place(of: name) == .thisCommand)
        #expect(notes(of: "1-101", on: "34816").place(of: name) == .thisTerminal)
        #expect(notes(of: nil, on: "34817").place(of: name) == .anotherTerminal)
        notes(of: "1-100").noteStart(of: name)
        #expect(notes(of: nil, on: "34816").place(of: name) == .elsewhere)
        notes(of: "1-100").noteEnd(of: name)
        #expect(notes(of: "1-100").place(of: name) == nil)
    }

    @Test("shows a code to every waiting process until the sign-in ends")
    func code() {
        let code = NotedCode(userCode: "WDJB-MJHT", page: "https://github.com/login/device", end: 600_000)
        #expect(notes(of: nil).code(of: name) == nil)
        notes(of: "1-100").noteCode(code, of: name)
        #expect(notes(of: "1-101").code(of: name) == code)
        notes(of: "1-100").noteEnd(of: name)
        #expect(notes(of: "1-101").code(of: name) == nil)
        notes(of: "1-100").noteCode(code, of: name)
        notes(of: "1-101").noteStart(of: name)
        #expect(notes(of: "1-102").code(of: name) == nil)
    }

    @Test("passes a waiting process's refusal to the asking one, once, if there is one")
    func cancellation() throws {
        notes(of: "1-101").cancel(name)
        var asking = notes(of: "1-100").cancellation(of: name)
        #expect(asking?.isRequested == false)
        notes(of: "1-101").cancel(name)
        var watched = pollfd(fd: try #require(asking?.descriptor), events: Int16(POLLIN), revents: 0)
        #expect(poll(&watched, 1, 0) == 1)
        #expect(asking?.isRequested == true && asking?.isRequested == false)
        asking = nil
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/git-credential-gitspace").isEmpty)
    }
}
