import Staging
import Synchronization
import Testing

/// Other places where a secret could be visible: process tables, core dumps, child processes.
@Suite("Traces of secrets")
struct SecretTracesTests {
    @Test(
        "keeps secrets out of all arguments and environments from sign-in to sign-out",
        arguments: Service.withDeviceFlow)
    func processes(service: Service) async throws {
        let fixture = try await EndToEndFixture(service, app: service.refreshingApp(interval: 1))
        let terminal = try PseudoTerminal()
        var errors = ""
        let seen = try await ProcessWatch.during(fixture.session) { watch in
            let clone = try fixture.startGit(["clone", fixture.address()], on: terminal)
            // The sign-in is answered only after the process has been seen.
            try await watch.sees("git-credential-gitspace-full")
            try await fixture.answer(on: terminal)
            #expect(try await clone.ended().status == 0, "\(terminal.text)")
            try await fixture.session.age()
            let fetch = try await fixture.git("fetch", in: fixture.session.home + "/private")
            let reject = try await fixture.reject("url=https://\(fixture.host)\n\n")
            errors = fetch.errors + reject.errors
        }
        #expect(fixture.server.count(of: .refresh) > 0)
        let secrets = fixture.server.issuedSecrets
        #expect(secrets.count > 4)
        for secret in secrets {
            #expect(!seen.texts.contains { $0.contains(secret) } && !errors.contains(secret))
            #expect(!terminal.text.contains(secret))
        }
    }

    @Test("writes no core dump of either program, though the shell allows one", arguments: ["off", "on"])
    func dumps(frontDoor: String) async throws {
        let fixture = try await EndToEndFixture()
        let script = "ulimit -c unlimited; exec \"$@\""
        // A control: shows that this system dumps other programs.
        let control = try await fixture.start(["sh", "-c", script, "sh", "sh", "-c", "kill -SEGV $$"]).ended()
        if !control.dumpedCore {
            Skipped.note(
                "that no memory is dumped (GITSPACE_FRONT_DOOR=\(frontDoor))", because: "no program's memory is here")
        }
        // The program waits for its standard input, which never ends.
        let input = try Lifeline()
        // Switches off Swift's crash handler, which release builds lack.
        let variables = ["GITSPACE_FRONT_DOOR": frontDoor, "SWIFT_BACKTRACE": "enable=no"]
        let program = try RunningProgram(
            ["sh", "-c", script, "sh", BuiltFiles.helper, "get"],
            environment: fixture.session.environment.merging(variables) { $1 },
            in: fixture.session.home, input: input.programEnd, surroundings: fixture.session)
        let name = frontDoor == "on" ? "git-credential-gitspace" : "git-credential-gitspace-full"
        // Only root can tell the two apart; and with the front door off, only the full program waits.
        let names = geteuid() == 0 ? ["/" + name] : ["/" + name, "/git-credential-gitspace"]
        try await eventually("\(name) at its input") {
            let file = FaultTests.program(of: program.id)
            return names.contains { file.hasSuffix($0) } && statusFields(of: program.id).first == "S"
        }
        program.signal(SIGSEGV)
        let end = try await program.ended()
        withExtendedLifetime(input) {}
        #expect(end.status == 128 + SIGSEGV && !end.dumpedCore)
    }

    @Test("passes neither our lock nor git's pipe to programs that it runs")
    func children() async throws {
        let fixture = try await EndToEndFixture(session: .noBus)
        // A git that records its open files, then does its work.
        try await fixture.session.write(
            git: """
                [ "$1" = -c ] && verb=$3 || verb=$1
                ls -l /proc/$$/fd >"$HOME/fds.$verb.$$"
                """)
        let pipe = try NamedPipe(in: fixture.session.home)
        let terminal = try PseudoTerminal()
        let program = try fixture.startHelper(
            "get", environment: ["PATH": fixture.session.path()], standardOutput: pipe.writer, on: terminal)
        // The lock is held until the person answers, so it cannot be missed.
        try await terminal.shows("Waiting for you to approve")
        try #require(!heldLockFiles(of: program.id, in: fixture.session).isEmpty)
        try await fixture.answer(on: terminal)
        #expect(try await program.ended().status == 0, "\(terminal.text)")
        let notes = try FileManager.default.contentsOfDirectory(atPath: fixture.session.home)
            .filter { $0.hasPrefix("fds.") }
        // `git config` runs without the lock, `git credential-cache` saves the token under it.
        #expect(
            notes.contains { $0.hasPrefix("fds.config.") } && notes.contains { $0.hasPrefix("fds.credential-cache.") })
        for note in notes {
            let files = try String(contentsOfFile: fixture.session.home + "/" + note, encoding: .utf8)
            #expect(!files.contains(".lock") && !files.contains("pipe-"), "\(note):\n\(files)")
        }
        _ = try await fixture.git("credential-cache", "exit")
    }
}

/// Reads arguments and environment of a session's processes repeatedly while something runs.
final class ProcessWatch: Sendable {
    /// The texts that a user with sufficient rights could have read.
    struct Sightings {
        var texts: Set<String> = []
        /// The programs' names, without folders.
        var programs: Set<String> = []
    }

    private let home: String
    private let sightings = Mutex(Sightings())
    private let isOver = Mutex(false)

    private init(of session: Session) { home = "HOME=" + session.home }

    /// Runs `body`, and reads the processes as often as the machine allows.
    ///
    /// A thread is used instead of a task: other tests may occupy all threads for tasks.
    static func during(_ session: Session, _ body: (ProcessWatch) async throws -> Void) async throws -> Sightings {
        let watch = ProcessWatch(of: session)
        Thread { while !watch.isOver.withLock({ $0 }) { watch.look() } }.start()
        defer { watch.isOver.withLock { $0 = true } }
        try await body(watch)
        return watch.sightings.withLock { $0 }
    }

    /// Waits until a program has been seen: on a busy machine, it may run between two looks.
    func sees(_ program: String) async throws {
        try await eventually("a look at \(program)") { sightings.withLock { $0.programs.contains(program) } }
    }

    private func look() {
        for process in allProcesses() {
            let environment = Self.contents("environ", of: process)
            // Only root can read a protected program's environment; that of the git which runs it is readable.
            let belongs = environment.isEmpty ? Self.contents("environ", of: Self.parent(of: process)) : environment
            guard belongs.contains(home) else { continue }
            let arguments = Self.contents("cmdline", of: process)
            let program = URL(filePath: program(of: process)).lastPathComponent
            sightings.withLock {
                $0.texts.formUnion([environment, arguments])
                $0.programs.insert(program)
            }
        }
    }

    /// The parent of a process; 0 if it has ended.
    private static func parent(of process: pid_t) -> pid_t {
        let fields = statusFields(of: process)
        return fields.count > 1 ? pid_t(fields[1]) ?? 0 : 0
    }

    private static func contents(_ file: String, of process: pid_t) -> String {
        String(decoding: FileManager.default.contents(atPath: "/proc/\(process)/\(file)") ?? Data(), as: UTF8.self)
    }
}
