import Staging

/// The computer that all accounts share: a home, a bus, a keyring, and git's configuration of every host.
final class Machine: Sendable {
    /// The library of libfaketime(1), which changes the clock of dynamically linked programs.
    private static let fakeClock = "/usr/lib/\(architecture)-linux-gnu/faketime/libfaketime.so.1"
    #if arch(arm64)
        private static let architecture = "aarch64"
    #else
        private static let architecture = "x86_64"
    #endif

    let session: Session

    init() async throws {
        guard access(Self.fakeClock, R_OK) == 0 else {
            throw NeverHappened(description: "\(Self.fakeClock); packaging/dependencies.sh soak installs it")
        }
        session = try await Session()
        try append("[user]\nname = Mona Lisa\nemail = mona@example.test\n")
        try append("[credential]\nhelper = \(BuiltFiles.helperValue)\n")
    }

    private func append(_ lines: String) throws {
        let configuration = session.home + "/.gitconfig"
        let old = FileManager.default.contents(atPath: configuration) ?? Data()
        try (old + Data(lines.utf8)).write(to: URL(filePath: configuration))
    }

    /// Configures a host in git, with an OAuth client if it has an app.
    func configure(_ hosts: [(name: String, app: App?)], at server: StandIn, _ service: Service) throws {
        let authority = session.home + "/authority-\(server.port).pem"
        try FileManager.default.copyItem(atPath: server.caFile, toPath: authority)
        let sections = hosts.map { host in
            let http = "[http \"https://\(host.name)\"]\nproxy = \(server.proxyAddress)\nsslCAInfo = \(authority)\n"
            guard let app = host.app else { return http }
            return http
                + "[credential \"https://\(host.name)\"]\nprovider = \(service.rawValue)\noauthClientId = \(app.clientID)\n"
        }
        try append(sections.joined())
    }

    /// Starts our program as git does, with a clock that is ahead by some seconds.
    ///
    /// The front door is linked statically, out of libfaketime's reach; with another clock, the full program is started
    /// instead, which does the same.
    func start(_ operation: String, _ lines: [String], jump: Int = 0) throws -> RunningProgram {
        var environment: [String: String] = [:]
        if jump != 0 {
            environment["LD_PRELOAD"] = Self.fakeClock
            environment["FAKETIME"] = jump < 0 ? "\(jump)s" : "+\(jump)s"
            // Change only the calendar time (CLOCK_REALTIME), not the clock for waiting.
            environment["FAKETIME_DONT_FAKE_MONOTONIC"] = "1"
        }
        return try session.start(
            [BuiltFiles.helper + (jump == 0 ? "" : "-full"), operation], environment: environment,
            input: lines.map { $0 + "\n" }.joined())
    }

    func holding(of account: Account) async throws -> Account.Holding? {
        try await secret(of: account).map { Account.Holding(secret: $0) }
    }

    private func secret(of account: Account) async throws -> String? {
        let end = try await session.run([
            "secret-tool", "lookup", "protocol", "https", "server", account.host, "user", account.login,
        ])
        return end.status == 0 ? end.output : nil
    }

    /// Puts an account's item into the keyring, as an earlier sign-in would have left it.
    func put(_ account: Account) async throws {
        guard let holding = account.holding else { return }
        let issued = holding.expiry.flatMap { expiry in account.lifetime.map { expiry - $0 } }
        try await session.put(
            KeyringItem(
                host: account.host, login: account.login, password: holding.password, expiry: holding.expiry,
                refreshToken: holding.refreshToken, clientID: account.app?.clientID, issued: issued,
                since: account.since))
    }

    /// Sets a token's expiry, keeping its time of issue.
    func age(_ account: Account, until expiry: Int) async throws -> Bool {
        guard let secret = try await secret(of: account) else { return false }
        let item = KeyringItem(host: account.host, login: account.login, lines: [secret])
        try await session.put(item.ending(at: expiry))
        return true
    }

    /// The process that owns a name on the bus; `nil` if there is none.
    func process(named name: String) async throws -> pid_t? {
        let end = try await session.run([
            "gdbus", "call", "--session", "--dest", "org.freedesktop.DBus", "--object-path", "/org/freedesktop/DBus",
            "--method", "org.freedesktop.DBus.GetConnectionUnixProcessID", name,
        ])
        // The output is `(uint32 4711,)`.
        return end.status == 0 ? pid_t(end.output.drop { $0 != " " }.filter(\.isNumber)) : nil
    }

    /// The keyring's daemon: the session's own, or the one that the bus started after that was killed.
    func daemon() async throws -> pid_t {
        guard let process = try await process(named: "org.freedesktop.secrets") else {
            throw NeverHappened(description: "a keyring on the bus")
        }
        return process
    }

    /// Kills the daemon like a crash; the bus starts a locked one for the next caller.
    func killDaemon() async throws {
        let old = try await daemon()
        kill(old, SIGKILL)
        // The daemon may have ended before its parent has waited for it.
        try await eventually("the end of the keyring's daemon") {
            kill(old, 0) != 0 || statusFields(of: old).first == "Z"
        }
    }

    func unlock() async throws {
        let password = session.environment["KEYRING_PASSWORD"] ?? ""
        try await session.run([BuiltFiles.helper, "unlock"], input: password + "\n").succeeded()
    }

    func whileDaemonIsStopped(_ body: () async throws -> Void) async throws {
        let process = try await daemon()
        kill(process, SIGSTOP)
        defer { kill(process, SIGCONT) }
        try await body()
    }

    func census() async throws -> Census {
        let daemon = try await daemon()
        let bus = try await process(named: "org.freedesktop.DBus") ?? 0
        // The program's files are below /run/user if that exists, otherwise in the home.
        let own = ["/run/user/\(geteuid())", session.home + "/.local/state"]
            .flatMap { files(in: $0 + "/git-credential-gitspace") }
        let locks = own.filter { $0.hasSuffix(".lock") || $0.hasSuffix(".refused") }
        let all = files(in: session.home) + files(in: session.environment["XDG_RUNTIME_DIR"] ?? "")
        return Census(
            items: try await session.items().count, files: all.count - locks.count, locks: locks.count,
            heldLocks: locks.count(where: isLocked), ownFiles: own.count - locks.count,
            processes: allProcesses().count { commandLine(of: $0).first?.hasPrefix(BuiltFiles.helper) == true },
            daemonFiles: (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon)/fd").count) ?? 0,
            daemonMemory: memory(of: daemon), busMemory: memory(of: bus))
    }

    /// All files below a folder, without the folders.
    private func files(in folder: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return names.map { folder + "/" + $0 }.filter { path in
            var status = stat()
            return lstat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR
        }
    }

    /// Whether another process holds a file's lock (flock(2)).
    private func isLocked(_ path: String) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return false }
        defer { close(file) }
        return flock(file, LOCK_EX | LOCK_NB) != 0
    }

    /// A process's memory in kB: VmRSS of proc(5).
    private func memory(of process: pid_t) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }
}

/// Counts of items, files, processes and memory while no step runs.
struct Census {
    var items = 0
    /// Files below the home and runtime folders, without locks.
    var files = 0
    /// Lock files, and marks of declined sign-ins.
    ///
    /// They are kept, one for each account and purpose: if a lock file was removed, two processes could hold the lock.
    var locks = 0
    var heldLocks = 0
    /// Other files of the program: the list of refused tokens, and new files before their renaming.
    var ownFiles = 0
    /// Processes of the program; a killed one counts until its parent has waited for it.
    var processes = 0
    /// Open files of the keyring's daemon; 0 if only root may look.
    var daemonFiles = 0
    /// Memory in kB of the keyring's daemon and of the bus.
    var daemonMemory = 0
    var busMemory = 0
}
