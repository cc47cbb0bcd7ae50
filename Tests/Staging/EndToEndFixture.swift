import Foundation
package import StandIn

/// A stand-in for GitHub or GitLab, a person's session, a git, and our program as its credential helper.
///
/// Locks belong to the machine, not to the session, so that processes with different environments find the same ones.
/// Tests run in parallel; therefore each has its own host by default: an Enterprise Server or self-managed GitLab on a
/// free port. Tests that sign in to a host with a name run one after the other.
package final class EndToEndFixture: Sendable {
    package let server: StandIn
    /// The server, for tests that play GitHub.
    package var github: StandIn { server }
    package let service: Service
    package let session: Session
    package let git: Git
    /// The host that is signed in to, as it appears in addresses.
    package let host: String
    package let app: App
    /// Further environment variables for git.
    private let environment: [String: String]

    /// Starts the server with `acme/private`, which monalisa may push to; no account is signed in.
    ///
    /// Without a host, the test gets one of its own; without an app, the usual OAuth client, which polls every second,
    /// so that no test waits long. A runner is the script, with its options, that starts a session with another
    /// keyring, and `other` is an existing session of the test. Throws `NeverHappened` or `StandInError` if something
    /// is missing on this machine.
    package init(
        _ service: Service = .gitHub, git: Git = .system, host: String? = nil, app: App? = nil,
        session kind: Session.Kind = .keyring, startedBy runner: [String]? = nil, settings: String = "",
        certificate: ServerCertificate = .valid, wantsClientCertificate: Bool = false, beside other: Session? = nil
    ) async throws {
        server = try StandIn(service, certificate: certificate, wantsClientCertificate: wantsClientCertificate)
        self.service = service
        session = try await Session(kind, startedBy: runner, beside: other)
        self.git = git
        self.host = host ?? "localhost:\(server.port)"
        var app = app ?? service.app(interval: 1)
        app.redirectURI = "http://127.0.0.1/" + (host == "gitlab.com" ? "" : self.host)
        self.app = server.register(app)
        environment = git.folder.map { [session] in ["PATH": session.path($0)] } ?? [:]
        try server.createRepository("acme/private", writers: ["monalisa", "bob"])

        // Copied, so that the file outlives a stand-in that has been stopped.
        let authority = session.home + "/authority.pem"
        try FileManager.default.copyItem(atPath: server.caFile, toPath: authority)
        let provider = host == nil ? "provider = \(service.rawValue)" : ""
        // `sslCAPath` keeps git's TLS library from reading all authorities of the machine for each connection.
        let configuration = """
            [user]
            name = Mona Lisa
            email = monalisa@example.test
            [http]
            proxy = \(server.proxyAddress)
            sslCAInfo = \(authority)
            sslCAPath = \(session.home)
            [credential]
            helper = \(BuiltFiles.helperValue)
            [credential "https://\(self.host)"]
            oauthClientId = \(self.app.clientID)
            \(provider)
            \(settings)

            """
        try configuration.write(to: session.home + "/.gitconfig")
    }

    /// The address of a repository, optionally with an account's name.
    package func address(_ slug: String = "acme/private", user: String? = nil) -> String {
        "https://\(user.map { $0 + "@" } ?? "")\(host)/\(slug)"
    }

    package var request: String { "protocol=https\nhost=\(host)\n" }
    package func setting(_ name: String) -> String { "credential.https://\(host).\(name)" }

    /// Starts a program with the fixture's git on its PATH; its standard error is the terminal, if one is given.
    package func start(
        _ arguments: [String], in folder: String? = nil, environment: [String: String] = [:], input: String = "",
        standardOutput: Int32? = nil, on terminal: PseudoTerminal? = nil, keepsErrors: Bool = false
    ) throws -> RunningProgram {
        try session.start(
            arguments, in: folder, environment: self.environment.merging(environment) { $1 }, input: input,
            standardOutput: standardOutput, on: terminal, keepsErrors: keepsErrors)
    }

    package func startGit(
        _ arguments: [String], in folder: String? = nil, environment: [String: String] = [:], input: String = "",
        on terminal: PseudoTerminal? = nil, keepsErrors: Bool = false
    ) throws -> RunningProgram {
        try start(
            ["git"] + arguments, in: folder, environment: environment, input: input, on: terminal,
            keepsErrors: keepsErrors)
    }

    /// Runs git to its end, without a terminal unless one is given.
    package func git(
        _ arguments: String..., in folder: String? = nil, environment: [String: String] = [:], input: String = "",
        on terminal: PseudoTerminal? = nil
    ) async throws -> RunningProgram.End {
        try await startGit(arguments, in: folder, environment: environment, input: input, on: terminal).ended()
    }

    /// Creates a repository in the home folder, and returns its folder.
    package func repository(_ name: String, origin: String? = nil) async throws -> String {
        let folder = session.home + "/" + name
        _ = try await git("init", "--quiet", folder)
        if let origin { _ = try await git("remote", "add", "origin", origin, in: folder) }
        return folder
    }

    /// Runs our program as a person does, without a terminal unless one is given.
    package func gitspace(
        _ arguments: String..., in folder: String? = nil, environment: [String: String] = [:], input: String = "",
        on terminal: PseudoTerminal? = nil
    ) async throws -> RunningProgram.End {
        try await gitspace(arguments, in: folder, environment: environment, input: input, on: terminal)
    }

    package func gitspace(
        _ arguments: [String], in folder: String? = nil, environment: [String: String] = [:], input: String = "",
        on terminal: PseudoTerminal? = nil
    ) async throws -> RunningProgram.End {
        try await start(
            [BuiltFiles.helper] + arguments, in: folder, environment: environment, input: input, on: terminal
        ).ended()
    }

    /// Whether git passes the name in a URL to its helpers; if not, reports a skip.
    ///
    /// git takes the name from the URL that libcurl has used, from which libcurl 8.23 and newer leave it out.
    package func passesNames() async throws -> Bool {
        let helper = "credential.helper=!f() { sed 's/^/asked: /' >&2; echo quit=1; }; f"
        let end = try await git("-c", "credential.helper=", "-c", helper, "ls-remote", address(user: "monalisa"))
        guard !end.errors.contains("asked: username=monalisa\n") else { return true }
        Skipped.note("\(git) with a name in the URL", because: "its libcurl is 8.23 or newer, and drops the name")
        return false
    }

    /// Runs `git credential reject` by a script, as a person does.
    package func reject(
        _ request: String, environment: [String: String] = [:], on terminal: PseudoTerminal? = nil
    ) async throws -> RunningProgram.End {
        let script = session.home + "/reject"
        try await session.write(program: script, "#!/bin/sh\ngit credential reject\nexit $?\n")
        return try await start([script], environment: environment, input: request, on: terminal).ended()
    }

    /// Runs our program as git does, with a request for the fixture's host and these further lines.
    package func helper(
        _ operation: String, _ request: String..., environment: [String: String] = [:],
        on terminal: PseudoTerminal? = nil
    ) async throws -> RunningProgram.End {
        try await startHelper(operation, request, environment: environment, on: terminal).ended()
    }

    package func startHelper(
        _ operation: String, _ request: [String] = [], environment: [String: String] = [:],
        standardOutput: Int32? = nil, on terminal: PseudoTerminal? = nil
    ) throws -> RunningProgram {
        let lines = ["protocol=https", "host=\(host)"] + request
        return try start(
            [BuiltFiles.helper, operation], environment: environment, input: lines.map { $0 + "\n" }.joined(),
            standardOutput: standardOutput, on: terminal)
    }

    /// Puts a new token of an account into the keyring; see `remember`.
    @discardableResult
    package func signedIn(
        _ login: String, scopes: [String]? = nil, expiringIn seconds: Double? = nil, lifetime: Double? = nil,
        since: Int? = nil
    ) async throws -> IssuedToken {
        let token = server.issueToken(for: login, app: app, scopes: scopes)
        try await remember(token, expiringIn: seconds, lifetime: lifetime, since: since)
        return token
    }

    /// Puts tokens of several accounts into the keyring, of which the first signed in first.
    package func signedIn(inOrder logins: String...) async throws {
        for (number, login) in logins.enumerated() { try await signedIn(login, since: number + 1) }
    }

    /// Puts a token into the keyring as an earlier sign-in would have left it.
    ///
    /// The token expires so many seconds from now, or never, and was issued for `lifetime` seconds; without that, the
    /// item is one of an earlier version, which lacks this line. The account first signed in at `since`, in seconds
    /// since 1970.
    package func remember(
        _ token: IssuedToken, expiringIn seconds: Double? = nil, lifetime: Double? = nil, since: Int? = nil
    ) async throws {
        let end = seconds.map { StandIn.systemClock() + $0 }
        try await session.put(
            KeyringItem(
                host: host, login: token.login, password: token.accessToken, expiry: end.map { Int($0) },
                refreshToken: token.refreshToken, clientID: app.clientID,
                issued: lifetime.flatMap { lifetime in end.map { Int($0 - lifetime) } }, since: since))
    }

    /// Stores a token as git does after another helper supplied it.
    package func bring(_ token: IssuedToken, expiringIn seconds: Double? = nil) async throws {
        var lines = ["protocol=https", "host=\(host)", "username=\(token.login)", "password=\(token.accessToken)"]
        if let seconds { lines.append("password_expiry_utc=\(Int(StandIn.systemClock() + seconds))") }
        if let refreshToken = token.refreshToken { lines.append("oauth_refresh_token=\(refreshToken)") }
        let input = lines.map { $0 + "\n" }.joined()
        try await session.run([BuiltFiles.helper, "store"], input: input).succeeded(silently: true)
    }

    /// Signs in as monalisa on a terminal, and checks that the token is in the keyring.
    @discardableResult
    package func signIn() async throws -> KeyringItem {
        server.nextSignIn(.approve(as: "monalisa"))
        try await git("ls-remote", address(), on: PseudoTerminal()).succeeded()
        guard let item = try await session.items().first else {
            throw NeverHappened(description: "an item of the sign-in before the test")
        }
        return item
    }

    /// A person at a terminal, with a browser on another device, reads address and code, opens the page, types the code
    /// and presses a button.
    package func answer(
        on terminal: PseudoTerminal, as login: String = "monalisa", with action: String = "approve"
    ) async throws {
        try await terminal.shows("Waiting for you to approve")
        let address = try terminal.line(after: "1. Open this page")
        let code = try terminal.line(after: "2. Enter this")
        try await start(
            [
                "curl", "--disable", "--silent", "--show-error", "--fail", "--max-time", "120", "--data-urlencode",
                "user_code=\(code)", "--data-urlencode", "login=\(login)", "--data", "action=\(action)", address,
            ], environment: github.environment
        ).ended().succeeded()
    }
}

extension PseudoTerminal {
    /// Waits for the device code that a sign-in prints once it waits for the approval.
    package func signInCode(of program: RunningProgram) async throws -> String {
        try await eventually("a code:\n\(text)") {
            if text.contains("Waiting for you to approve") { return true }
            guard program.isRunning else { throw NeverHappened(description: "no code:\n\(text)") }
            return nil
        }
        return try line(after: "2. Enter this")
    }

    /// The last line that begins with a text, without its indentation and that text.
    fileprivate func line(after beginning: String) throws -> String {
        let lines = screen.split(separator: "\n")
        guard let position = lines.lastIndex(where: { $0.hasPrefix(beginning) }), position + 1 < lines.count else {
            throw NeverHappened(description: "nothing below \"\(beginning)\":\n\(screen)")
        }
        return String(lines[position + 1].drop { $0 == " " })
    }
}
