import Staging
import Testing

/// A desktop by the environment's variables, and curl as a browser that follows GitLab's redirect to us.
@Suite("Sign-in in the browser, with curl")
struct BrowserTests {
    static let desktop = ["DISPLAY": ":77"]

    /// Sets the browser's script for the address `$1`; its final page is in `page`.
    func fixture(
        _ service: Service = .gitLab, git: Git = .system, browser action: String = #"show "$1""#
    ) async throws -> EndToEndFixture {
        let fixture = try await EndToEndFixture(service, git: git, settings: "gitspaceBrowser = browser")
        let home = fixture.session.home
        try await fixture.session.write(
            program: home + "/bin/browser",
            """
            #!/bin/bash
            show() {
                curl --disable --silent --location --max-time 60 --proxy \(fixture.server.proxyAddress) \\
                    --noproxy 127.0.0.1 --cacert \(home)/authority.pem --dump-header \(home)/headers \\
                    --output \(home)/page.new "$@" && mv \(home)/page.new \(home)/page
            }
            printf '%s\\n' "$1" >>\(home)/addresses
            \(action)
            """)
        return fixture
    }

    func file(_ name: String, in fixture: EndToEndFixture) async throws -> String {
        let path = fixture.session.home + "/" + name
        return try await eventually(name) {
            FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    func begin(
        _ fixture: EndToEndFixture, _ arguments: [String]? = nil, environment: [String: String] = desktop,
        pressing key: String = "\n"
    ) async throws -> (git: RunningProgram, terminal: PseudoTerminal) {
        let terminal = try PseudoTerminal(columns: 1_000)
        let folders = [fixture.session.home + "/bin", fixture.git.folder].compactMap(\.self).joined(separator: ":")
        let git = try fixture.startGit(
            arguments ?? ["ls-remote", fixture.address()],
            environment: environment.merging(["PATH": fixture.session.path(folders)]) { $1 }, on: terminal)
        try await terminal.takesKeys()
        terminal.type(key)
        return (git, terminal)
    }

    @Test("opens the page after Enter, and shows there who signed in on which host", arguments: Git.all)
    func signIn(git: Git) async throws {
        let fixture = try await fixture(git: git)
        fixture.server.nextSignIn(.approve(as: "monalisa"))
        let (running, terminal) = try await begin(fixture, ["clone", "--quiet", fixture.address(), "clone"])
        #expect(try await running.ended().status == 0, "\(terminal.text)")
        let address = try await file("addresses", in: fixture)
        #expect(terminal.screen.contains("Open this page in a browser on this machine:\n  \(address)"))
        #expect(terminal.text.contains("Enter opens it here, c copies it, d uses a code instead."))
        #expect(terminal.text.contains("Signed in as monalisa. Saved in the keyring."))
        let page = try await file("page", in: fixture)
        #expect(page.contains("<h1>Signed in to \(fixture.host) as monalisa</h1>"), "\(page)")
        // The page loads and runs nothing.
        for word in ["<script", "http:", "https:", "src=", "@import", "url("] {
            #expect(!page.contains(word), "\(word)")
        }
        #expect(fixture.server.count(of: .exchange) == 1 && fixture.server.count(of: .deviceCode) == 0)
        let item = try #require(try await fixture.session.items().first)
        #expect(item["oauth_refresh_token"] != nil && item.attributes["user"] == "monalisa")
        #expect(Set(fixture.server.tunnels) == [fixture.host])
    }

    @Test("shows a code after `d`, and closes the browser's address")
    func deviceCode() async throws {
        let fixture = try await fixture()
        let (running, terminal) = try await begin(fixture, pressing: "d")
        try await terminal.shows("2. Enter this code:")
        try await fixture.answer(on: terminal)
        #expect(try await running.ended().status == 0, "\(terminal.text)")
        #expect(fixture.server.count(of: .exchange) == 0)
    }

    /// The stand-in answers as gitlab.com too, so it would record a code that came there.
    private static let elsewhere = "https://gitlab.com/oauth/token"

    @Test(
        "contacts no other host after a hostile answer to the code",
        arguments: [
            ScriptedAnswer.redirect(to: elsewhere), .redirect(to: elsewhere, status: 307),
            .redirect(to: elsewhere, status: 308), .endlessBody, .headerFlood,
        ])
    func exchange(hostile: ScriptedAnswer) async throws {
        let fixture = try await fixture()
        fixture.server.nextSignIn(.approve(as: "monalisa"))
        fixture.server.answer(.exchange, with: hostile, times: nil)
        let (running, terminal) = try await begin(fixture)
        #expect(try await running.ended().status != 0)
        #expect(terminal.text.contains("error: \(fixture.host) sent an unexpected response"), "\(terminal.text)")
        #expect(try await file("page", in: fixture).contains("<h1>Not signed in to \(fixture.host)</h1>"))
        #expect(fixture.server.count(of: .exchange) == 1)
        #expect(Set(fixture.server.tunnels) == [fixture.host])
        #expect(try await fixture.session.items().isEmpty)
    }

    @Test("opens one page and signs in once for eight simultaneous gits")
    func together() async throws {
        let fixture = try await fixture()
        fixture.server.everySignIn(.approve(as: "monalisa"))
        let (first, terminal) = try await begin(fixture, pressing: "")
        let others = try (0..<7).map { _ in
            try fixture.startGit(["ls-remote", fixture.address()], environment: Self.desktop, on: try PseudoTerminal())
        }
        terminal.type("\n")
        #expect(try await first.ended().status == 0, "\(terminal.text)")
        for other in others { #expect(try await other.ended().status == 0) }
        #expect(fixture.server.count(of: .authorization) == 1 && fixture.server.count(of: .exchange) == 1)
    }

    @Test("closes the port after Ctrl-C", arguments: ["\u{3}", "q"])
    func cancelled(key: String) async throws {
        let fixture = try await fixture()
        let (running, terminal) = try await begin(fixture, pressing: key)
        #expect(try await running.ended().status != 0)
        // Ctrl-C ends git at once, and us a moment later.
        try await terminal.shows("Sign-in cancelled.")
        let digits = terminal.screen.split(separator: "127.0.0.1%3A").last?.prefix { $0.isNumber } ?? ""
        let port = try #require(UInt16(digits))
        try await eventually("nobody at the port") { (try? SocketClient(toPort: port)) == nil }
    }

    @Test(
        "asks for a pasted address without a desktop, and reports a wrong one, and a refusal on a line of its own",
        arguments: [("xterm", true), ("xterm", false), ("dumb", true)])
    func pasted(terminalType: String, isApproved: Bool) async throws {
        let fixture = try await fixture()
        _ = try await fixture.git("config", "--global", "credential.gitspaceFlow", "browser")
        fixture.server.nextSignIn(isApproved ? .approve(as: "monalisa") : .deny)
        let (running, terminal) = try await begin(
            fixture, environment: ["TERM": terminalType], pressing: "https://example.test/\n")
        try await terminal.shows("That is not the address of the page after this sign-in. Try again.")
        let lines = terminal.screen.split(separator: "\n").map { $0.drop { $0 == " " } }
        let address = String(try #require(lines.first { $0.hasPrefix("https://") }))
        if terminalType != "dumb" {
            #expect(terminal.text.contains("Press c to copy the address, q to quit."))
            terminal.type("c")
            try await terminal.shows("Address copied, if your terminal allows it.\n")
            #expect(terminal.text.contains("\u{1b}]52;c;\(Data(address.utf8).base64EncodedString())\u{7}"))
        }
        let result = try await fixture.start(
            ["curl", "--disable", "--silent", "--output", "/dev/null", "--write-out", "%{redirect_url}", address],
            environment: fixture.server.environment
        ).ended()
        terminal.type(result.output + "\n")
        #expect(try await (running.ended().status == 0) == isApproved, "\(terminal.text)")
        #expect(!terminal.text.contains("code=") || !terminal.text.contains(result.output))
        let end = isApproved ? "Signed in as monalisa" : "\ngitspace: error: the sign-in was declined in the browser\n"
        #expect(terminal.screen.contains(end), "\(terminal.text)")
    }
}
