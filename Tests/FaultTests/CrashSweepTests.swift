import Staging
import Testing

/// Kills the program at any moment between reading an expired pair and printing the new one.
///
/// `FAULT_STRIKES` is the number of strikes in each sweep (default 4); 160 take some minutes. `FAULT_KIND` selects one
/// kind, such as `killed`.
@Suite("Crash safety of a refresh", .serialized)
struct CrashSweepTests {
    private static let kinds = Fault.Kind.allCases.filter { kind in
        ProcessInfo.processInfo.environment["FAULT_KIND"].map { $0 == "\(kind)" } ?? true
    }
    private static let strikes = ProcessInfo.processInfo.environment["FAULT_STRIKES"].flatMap(Int.init) ?? 4

    /// Signals do not depend on the service; the state after a kill does, because it depends on what the server has
    /// spent.
    private static let sweeps: [(Fault.Kind, Service)] =
        kinds.map { ($0, .gitHub) } + kinds.filter { $0 == .killed }.map { ($0, .gitLab) }

    @Test("has faults to strike with: FAULT_KIND is empty or names one")
    func kindsAreKnown() { #expect(!Self.kinds.isEmpty) }

    /// Strikes repeatedly, and counts the states of the keyring.
    private func sweep(_ faults: [Fault], _ rotation: Rotation) async throws -> [Rotation.Outcome: [Fault]] {
        var outcomes: [Rotation.Outcome: [Fault]] = [:]
        for fault in faults {
            let outcome = try await fault.strike(rotation)
            outcomes[outcome, default: []].append(fault)
            if outcome == .spent { try await rotation.begin() } else { try await rotation.expire() }
        }
        #expect(rotation.fixture.server.refreshTokenReuses == 0)
        return outcomes
    }

    /// The duration of a refresh on this machine, with some extra time.
    private func usualDuration(_ rotation: Rotation) async throws -> Duration {
        let bystanders = try rotation.startHostileStores()
        let end = try await rotation.fixture.helper("get")
        for program in bystanders { _ = try await program.ended() }
        #expect(end.status == 0 && end.output.contains("password="), "\(end.errors)")
        try await rotation.expire()
        return end.duration * 1.2
    }

    private func report(_ outcomes: [Rotation.Outcome: [Fault]], _ what: String) {
        let counts = outcomes.map { "\($0.value.count) \($0.key)" }.sorted().joined(separator: ", ")
        print("sweep: \(what): \(counts)")
        for fault in outcomes[.spent] ?? [] { print("sweep: \(what): spent by \(fault)") }
    }

    @Test("keeps the pair after a signal, which waits for the save", arguments: sweeps)
    func overTheWholeRun(kind: Fault.Kind, service: Service) async throws {
        let rotation = try await Rotation(at: service)
        let duration = try await usualDuration(rotation)
        let faults = (0..<Self.strikes).map { number in
            Fault(kind: kind, moment: .started(duration * Double(number) / Double(Self.strikes)))
        }
        let outcomes = try await sweep(faults, rotation)
        report(outcomes, "\(service.rawValue): \(kind) from 0 to \(duration) after the start")
        // SIGKILL cannot wait: between the server's receipt of the request and the save, the pair exists only in the
        // program.
        if kind != .killed { #expect(outcomes[.spent] == nil) }
    }

    /// Strikes once before the server answers, then in short steps, since the pair is saved within milliseconds.
    @Test("keeps the pair after a signal just after the server has spent the old refresh token", arguments: sweeps)
    func afterTheExchange(kind: Fault.Kind, service: Service) async throws {
        let end = Duration.milliseconds(60)
        let faults = (0..<Self.strikes).map { number in
            let part = Double(number) / Double(Self.strikes)
            return Fault(kind: kind, moment: .spent(end * (part * part)))
        }
        let outcomes = try await sweep(faults, Rotation(at: service))
        report(outcomes, "\(service.rawValue): \(kind) from 0 to \(end) after the exchange")
        #expect(outcomes[.oldUnspent] == nil)
        // The first kill comes before the answer arrives.
        #expect((outcomes[.spent] == nil) == (kind != .killed))
    }

    @Test("keeps the old pair if the keyring cannot write, as on a full disk")
    func fullKeyring() async throws {
        let rotation = try await Rotation()
        let issued = rotation.fixture.github.tokens.count
        try await limitFiles(to: "0", in: rotation.fixture)
        let end = try await rotation.fixture.helper("get")
        try await limitFiles(to: "unlimited", in: rotation.fixture)
        #expect(rotation.fixture.github.count(of: .refresh) == 0)
        #expect(end.output == "quit=1\n" && end.errors.hasPrefix("gitspace: error: the keyring "), "\(end.errors)")
        #expect(try await rotation.outcome(since: issued) == .oldUnspent)
        // The next request succeeds.
        #expect(try await rotation.fixture.helper("get").output.contains("password="))
    }

    @Test("withholds a refused token even if the keyring could not be written at the refusal")
    func fullKeyringAtRefusal() async throws {
        let fixture = try await EndToEndFixture(app: .gitHubApp(interval: 1))
        let token = try await fixture.signedIn("monalisa", expiringIn: 20_000)
        let given = try await fixture.helper("get", "capability[]=state")
        #expect(given.output.contains("password=\(token.accessToken)\n"))
        try await limitFiles(to: "0", in: fixture)
        let refused = try await fixture.startHelper("erase", given.output.split(separator: "\n").map(String.init))
            .ended()
        #expect(refused.errors.contains("nothing was removed"), "\(refused.errors)")
        let again = try await fixture.helper("get")
        #expect(!again.output.contains("password="), "\(again.output)")
        let folder = ["/run/user/\(geteuid())", fixture.session.home + "/.local/state"]
            .map { $0 + "/git-credential-gitspace" }.first { access($0 + "/refused", F_OK) == 0 }
        let memory = try String(contentsOfFile: try #require(folder) + "/refused", encoding: .utf8)
        #expect(!memory.contains(token.accessToken) && memory.split(separator: "\n").count == 1)
        try await limitFiles(to: "unlimited", in: fixture)
        let renewed = try await fixture.helper("get")
        let new = try #require(fixture.github.tokens.last)
        #expect(renewed.output.contains("password=\(new.accessToken)\n"), "\(renewed.errors)")
        #expect(new.accessToken != token.accessToken)
        // After another token is stored, the refusal is obsolete, and the front door answers again.
        _ = try await fixture.helper("get")
        #expect(try access(#require(folder) + "/refused", F_OK) != 0)
    }

    /// Limits the size of files that the keyring's daemon writes, in bytes (prlimit(1)).
    private func limitFiles(to count: String, in fixture: EndToEndFixture) async throws {
        try await fixture.session.run(["prlimit", "--pid", "\(fixture.session.keyring)", "--fsize=\(count):"])
            .succeeded()
    }
}

/// The unavoidable window: the server has answered, and the keyring does not have the new pair yet.
@Suite("The window between answer and save")
struct SaveWindowTests {
    /// Whether strace(1) is installed and may trace: only root can trace a program that protects its memory.
    private static let canTrace =
        geteuid() == 0 && (try? RunningProgram.run(["strace", "-o", "/dev/null", "true"]).status) == 0

    @Test(
        "sends a handful of messages to the keyring in the window, and does nothing else",
        .enabled(if: canTrace, "only root can trace what protects its memory, by strace"))
    func width() async throws {
        let rotation = try await Rotation()
        // The first refresh adds the grant's lines to the item; later ones are typical.
        _ = try await rotation.fixture.helper("get")
        for _ in 1...5 {
            try await rotation.expire()
            #expect(try await messages(rotation.fixture) <= 12)
        }
    }

    /// Counts messages from the server's last bytes to the message that saves the pair, inclusive.
    private func messages(_ fixture: EndToEndFixture) async throws -> Int {
        let trace = fixture.session.home + "/trace"
        let calls = "trace=read,recvfrom,recvmsg,write,sendto,sendmsg,connect,openat,execve"
        let end = try await fixture.start(
            ["strace", "-f", "-s", "600", "-e", calls, "-o", trace, BuiltFiles.helper, "get"], input: fixture.request
        ).ended()
        #expect(end.output.contains("password=ghu_"), "\(end.errors)")
        let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
        let save = try #require(lines.lastIndex { $0.contains("sendmsg(") && $0.contains("SetSecret") })
        let connect = try #require(lines.lastIndex { $0.contains("connect(") && $0.contains("AF_INET") })
        let socket = try #require(lines[connect].split(separator: "connect(").last?.prefix { $0.isNumber })
        let receipts = lines[..<save].indices.filter { position in
            lines[position].contains("read(\(socket),") || lines[position].contains("recvfrom(\(socket),")
        }
        let answer = try #require(receipts.last { !lines[$0].contains(" = -1 ") && !lines[$0].hasSuffix(" = 0") })
        // Nothing is opened or executed in between: all preparation has been done.
        let others = lines[answer..<save].filter { $0.contains("openat(") || $0.contains("execve(") }
        #expect(others.isEmpty)
        return lines[answer...save].count { $0.contains("sendmsg(") || $0.contains("sendto(") }
    }
}
