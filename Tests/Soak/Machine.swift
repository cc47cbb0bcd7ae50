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

    /// Starts the session, with an empty keyring.
    init() async throws {
        guard access(Self.fakeClock, R_OK) == 0 else {
            throw NeverHappened(description: "\(Self.fakeClock); packaging/dependencies.sh soak installs it")
        }
        session = try await Session()
        try append("[user]\nname = Mona Lisa\nemail = mona@example.test\n")
        try append("[credential]\nhelper = \(BuiltFiles.helperValue)\n")
    }

    private var configuration: String { session.home + "/.gitconfig" }

    private func append(_ lines: String) throws {
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

    /// Starts our program as git does.
    ///
    /// - Parameters:
    ///   - operation: `get`, `store` or `erase`.
    ///   - lines: The request.
    ///   - jump: How many seconds the clock is ahead. The front door is linked statically, out of libfaketime's reach;
    ///     then the full program is started instead, which does the same.
    /// - Returns: The program.
    /// - Throws: `StandInError` if it could not be started.
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

    /// The secret of an account's item; `nil` if there is no item.
    func secret(of account: Account) async throws -> String? {
        let end = try await session.run([
            "secret-tool", "lookup", "protocol", "https", "server", account.host, "user", account.login,
        ])
        return end.status == 0 ? end.output : nil
    }

    /// Puts an account's item into the keyring, as an earlier sign-in would have left it.
    func put(_ account: Account) async throws {
        guard let holding = account.holding else { return }
        var lines = [holding.password]
        if let expiry = holding.expiry { lines.append("password_expiry_utc=\(expiry)") }
        if let refreshToken = holding.refreshToken { lines.append("oauth_refresh_token=\(refreshToken)") }
        if let app = account.app {
            lines.append("gitspace_client_id=\(app.clientID)")
            if let expiry = holding.expiry, let lifetime = account.lifetime, !holding.hidesLifetime {
                lines.append("gitspace_issued=\(expiry - lifetime)")
            }
            if let since = account.since { lines.append("gitspace_since=\(since)") }
        }
        try await session.put(KeyringItem(host: account.host, login: account.login, lines: lines))
    }

    /// Sets a token's expiry, keeping its time of issue.
    func age(_ account: Account, until expiry: Int) async throws -> Bool {
        guard let secret = try await secret(of: account) else { return false }
        let item = KeyringItem(host: account.host, login: account.login, lines: [secret])
        try await session.put(item.ending(at: expiry))
        return true
    }
}
