import Staging
import Testing

/// Files and folders that another program has put in the place of locks.
@Suite("Lock files")
struct LockFileTests {
    /// The object in the place of a lock file.
    enum Planted: CaseIterable { case symlink, hardLink, fifo, folder }

    /// A rotation that has refreshed its token once, and the lock file left behind.
    private func used() async throws -> (rotation: Rotation, lock: String) {
        let rotation = try await Rotation()
        let fixture = rotation.fixture
        // The lock file exists at least while the server delays the refresh.
        fixture.github.answer(.refresh, with: .silence)
        let requests = fixture.github.count(of: .refresh)
        let program = try fixture.startHelper("get")
        let lock = try await eventually("a lock") { heldLockFiles(of: program.id, in: fixture.session).first }
        // Wait for the request: if it arrived after the kill, the server would issue another pair.
        try await eventually("the request") { fixture.github.count(of: .refresh) > requests }
        program.signal(SIGKILL)
        _ = try await program.ended()
        fixture.github.answerGenuinely(.refresh)
        return (rotation, lock)
    }

    @Test("leaves alone, and soon closes, an object that is not our lock file", arguments: Planted.allCases)
    func planted(_ planted: Planted) async throws {
        let (rotation, lock) = try await used()
        let victim = rotation.fixture.session.home + "/victim"
        try "precious".write(to: victim)
        unlink(lock)
        defer { _ = planted == .folder ? rmdir(lock) : unlink(lock) }
        switch planted {
        case .symlink: try #require(symlink(victim, lock) == 0)
        case .hardLink: try #require(link(victim, lock) == 0)
        case .fifo: try #require(mkfifo(lock, 0o600) == 0)
        case .folder: try #require(mkdir(lock, 0o700) == 0)
        }
        let before = try status(of: victim)
        // Without its lock nothing is refreshed: the error says so, and the pair is kept.
        let fixture = rotation.fixture
        let requests = fixture.github.count(of: .refresh)
        let issued = fixture.github.tokens.count
        let end = try await fixture.helper("get")
        #expect(end.output == "quit=1\n" && end.errors.contains("no safe folder for lock files"), "\(end.errors)")
        #expect(fixture.github.count(of: .refresh) == requests)
        #expect(try await rotation.outcome(since: issued) == .oldUnspent)
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
        #expect(try status(of: victim).st_mtim.tv_nsec == before.st_mtim.tv_nsec)
        #expect(try status(of: victim).st_mode == before.st_mode)
        #expect(access(lock, F_OK) == 0)
    }

    /// A wrong state of the lock folder.
    enum Spoiled: CaseIterable { case symlink, file, foreign, open }

    @Test(
        "repairs a lock folder that is not ours alone, or takes no lock, and never uses another folder",
        .enabled(
            if: LockFileTests.usesStateFolder,
            "the locks are in /run/user of whoever runs this, or it is not root, who alone can spoil a folder"),
        arguments: Spoiled.allCases)
    func folder(_ spoiled: Spoiled) async throws {
        let fixture = try await Rotation().fixture
        let state = fixture.session.home + "/.local/state"
        let folder = state + "/git-credential-gitspace"
        let elsewhere = fixture.session.home + "/elsewhere"
        try #require(mkdir(elsewhere, 0o700) == 0)
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
        switch spoiled {
        case .symlink: try #require(symlink(elsewhere, folder) == 0)
        case .file: try "".write(to: folder)
        case .foreign: try #require(mkdir(folder, 0o700) == 0 && chown(folder, 65_534, 65_534) == 0)
        case .open: try #require(mkdir(folder, 0o700) == 0 && chmod(folder, 0o777) == 0)
        }
        if spoiled == .open {
            #expect(try await lockFile(in: fixture).hasPrefix(folder + "/"))
            #expect(try status(of: folder).st_mode & 0o777 == 0o700)
        } else {
            for program in try (1...6).map({ _ in try fixture.startHelper("get") }) {
                let end = try await program.ended()
                #expect(end.output == "quit=1\n" && end.errors.contains("no safe folder"), "\(end.errors)")
            }
            #expect(fixture.github.count(of: .refresh) == 0)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere).isEmpty)
    }

    @Test(
        "leaves nothing in another user's home, and refreshes nothing there, as root",
        .enabled(if: LockFileTests.usesStateFolder, "only root can be in somebody else's home"))
    func foreignHome() async throws {
        let fixture = try await Rotation().fixture
        let home = fixture.session.home + "/alice"
        try #require(mkdir(home, 0o755) == 0 && chown(home, 65_534, 65_534) == 0)
        let configuration = fixture.session.home + "/.gitconfig"
        let end = try await fixture.helper("get", environment: ["HOME": home, "GIT_CONFIG_GLOBAL": configuration])
        #expect(end.output == "quit=1\n" && end.errors.contains("no safe folder"), "\(end.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: home).isEmpty)
        #expect(fixture.github.count(of: .refresh) == 0)
    }

    /// A person whose umask is 002, because their first group has no other members.
    @Test(
        "takes a lock if only the person's own group can write, and none if another group can",
        .enabled(if: LockFileTests.usesStateFolder, "only root can be in somebody else's home"),
        arguments: [12_345, 100] as [gid_t])
    func groupWritableHome(group: gid_t) async throws {
        // The bus accepts its own user, and us, who inspect the keyring.
        let runner = ["as-user.sh", "12345", BuiltFiles.script("with-keyring.sh"), "--open-bus"]
        let fixture = try await Rotation(startedBy: runner).fixture
        let home = fixture.session.home
        for folder in [home, home + "/.local", home + "/.local/state"] {
            try #require(chown(folder, 12_345, group) == 0 && chmod(folder, 0o775) == 0)
        }
        func run(_ words: String...) async throws -> RunningProgram.End {
            try await fixture.start(
                [BuiltFiles.script("as-user.sh"), "12345", BuiltFiles.helper] + words, in: "/",
                input: "protocol=https\nhost=\(fixture.host)\nusername=monalisa\n"
            ).ended()
        }
        let isOwn = group == 12_345
        let folder = home + "/.local/state/git-credential-gitspace"
        let lines = try await run("doctor", "--verbose").output
        let report = lines.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(report.contains(isOwn ? "lock files are kept in \(folder)" : "no safe folder"), "\(report)")
        let end = try await run("get")
        let token = try #require(fixture.github.tokens.last)
        #expect(end.output.contains("password=\(token.accessToken)\n") == isOwn, "\(end.output)\(end.errors)")
        #expect(end.errors.contains("no safe folder") == !isOwn, "\(end.errors)")
        #expect(fixture.github.count(of: .refresh) == (isOwn ? 1 : 0))
        #expect((access(folder, F_OK) == 0) == isOwn)
    }

    @Test(
        "uses the same locks without a runtime directory, or with another one or another state folder: one refresh",
        .enabled(if: LockFileTests.usesStateFolder, "the locks are in /run/user of whoever runs this"))
    func runtimeDirectories() async throws {
        let fixture = try await Rotation().fixture
        let foreign = fixture.session.home + "/foreign"
        try #require(mkdir(foreign, 0o700) == 0 && chown(foreign, 65_534, 65_534) == 0)
        let environments = [[:], ["XDG_RUNTIME_DIR": foreign], ["XDG_STATE_HOME": fixture.session.home + "/other"]]
        let programs = try (0..<6).map { number in
            try fixture.startHelper("get", environment: environments[number % environments.count])
        }
        for program in programs { _ = try await program.ended() }
        #expect(fixture.github.count(of: .refresh) == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: foreign).isEmpty)
    }

    @Test(
        "waits for the holder of the new lock file if the old one was removed",
        .enabled(if: geteuid() == 0, "only root can see what a program that protects its memory has open"))
    func removed() async throws {
        let fixture = try await Rotation().fixture
        fixture.github.answer(.refresh, with: .silence, times: nil)
        func refreshes() -> Int { fixture.github.count(of: .refresh) }
        func inode(_ path: String) throws -> UInt64 { try UInt64(status(of: path).st_ino) }
        let first = try fixture.startHelper("get")
        let lock = try await eventually("a lock") { heldLockFiles(of: first.id, in: fixture.session).first }
        let second = try fixture.startHelper("get")
        try await eventually("another that waits") { openFiles(of: second.id).values.contains(lock) }
        // As at the last log-out: the first holder and the files are gone; the third process belongs to the next
        // log-in.
        unlink(lock)
        let third = try fixture.startHelper("get")
        try await eventually("a new lock") { heldLocks(of: third.id).contains((try? inode(lock)) ?? 0) }
        try await eventually("its request") { refreshes() == 2 }
        first.signal(SIGKILL)
        _ = try await first.ended()
        try await eventually("the second at the new lock, or a third request") {
            openFiles(of: second.id).values.contains(lock) || refreshes() > 2
        }
        #expect(refreshes() == 2)
        fixture.github.answerGenuinely(.refresh)
        third.signal(SIGKILL)
        _ = try await third.ended()
        try await eventually("the second's request") { refreshes() == 3 }
        #expect(try await second.ended().output.contains("password="))
    }

    @Test("makes locks unreadable for others under every umask")
    func umask() async throws {
        let fixture = try await Rotation().fixture
        let lock = try await lockFile(in: fixture, umask: "000")
        #expect(try status(of: lock).st_mode & 0o777 == 0o600)
        let folder = URL(filePath: lock).deletingLastPathComponent().path()
        #expect(try status(of: folder).st_mode & 0o777 == 0o700)
    }

    /// Whether the locks are below the home folder, because `/run/user/ID` does not exist.
    static let usesStateFolder = geteuid() == 0 && access("/run/user/\(geteuid())", F_OK) != 0

    /// The lock file that a `get` holds during a refresh.
    private func lockFile(in fixture: EndToEndFixture, umask: String = "022") async throws -> String {
        fixture.github.answer(.refresh, with: .silence)
        let program = try fixture.start(
            ["sh", "-c", "umask \(umask); exec \"$0\" get", BuiltFiles.helper], input: fixture.request)
        return try await eventually("a lock: \(program.errorText)", by: program) {
            heldLockFiles(of: program.id, in: fixture.session).first
        }
    }

    private func status(of path: String) throws -> stat {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw NeverHappened(description: "\(path) is gone") }
        return status
    }
}
