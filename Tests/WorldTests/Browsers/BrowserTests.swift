import Staging
import Testing

extension Browsers {
    @Suite("The page at the end of a sign-in", .serialized) struct EndPageTests {
        private func signIn(
            by browser: RealBrowser, approving: Bool, environment: [String: String] = [:]
        ) async throws -> (page: RealBrowser.Page, fixture: EndToEndFixture) {
            let fixture = try await EndToEndFixture(.gitLab, settings: "gitspaceBrowser = browser")
            if !approving { try "".write(to: fixture.session.home + "/no") }
            let (git, terminal) = try await browser.start(
                fixture, ["ls-remote", fixture.address()], environment: environment)
            terminal.type("\n")
            #expect((try await git.ended().status == 0) == approving, "\(terminal.text)")
            return (try await browser.page(on: fixture), fixture)
        }

        /// Expects one TLS request to the git host and one to our redirect, and no others.
        private func expectOneRequest(_ page: RealBrowser.Page, _ fixture: EndToEndFixture) {
            // Requests to other hosts are the browser's own, to its maker.
            let here = page.requests.filter { $0.contains("127.0.0.1") || $0.contains("localhost") }
            #expect(here.last?.hasPrefix("GET http://127.0.0.1:") == true, "\(page.requests)")
            #expect(here.dropLast().allSatisfy { $0 == "CONNECT \(fixture.host)" }, "\(here)")
            #expect(page.resources == 0)
        }

        @Test("names the account that signed in, and loads nothing else", arguments: RealBrowser.allCases)
        func signedIn(browser: RealBrowser) async throws {
            let tried = "sign in, approved and declined, in English and Korean"
            guard let version = browser.version(tried: tried) else { return }
            let (page, fixture) = try await signIn(by: browser, approving: true)
            #expect(page.title == "Signed in to \(fixture.host) as monalisa")
            #expect(page.text.contains("You can close this window."), "\(page.text)")
            expectOneRequest(page, fixture)
            let (declined, other) = try await signIn(by: browser, approving: false, environment: ["LANGUAGE": "ko"])
            #expect(declined.title == "\(other.host)에 로그인하지 못했습니다", "\(declined.title)")
            expectOneRequest(declined, other)
            WorldRow.add(
                .browsers, browser.program, version, tried: tried,
                result: "git goes on or ends; the page says so, and asks nobody for anything, not for an icon either")
        }
    }

    /// A sign-in where glewlwyd issues the tokens and Chromium shows the pages; only the helper is ours.
    @Suite("A sign-in at glewlwyd in Chromium", .serialized) struct OpenIDTests {
        private static let tried =
            "sign in at glewlwyd by the code flow with PKCE, clone, refresh, log-out with --revoke"

        private func signIn(_ open: OpenIDFixture, _ client: OpenIDFixture.Client) async throws -> KeyringItem {
            let (git, terminal) = try await RealBrowser.chromium.start(
                open.fixture, ["clone", "--quiet", open.repository, "clone"], as: "octocat")
            // The redirect's port: glewlwyd accepts only the registered one.
            let port = try #require(terminal.screen.split(separator: "127.0.0.1%3A").last).prefix { $0.isNumber }
            try await open.provider.tell("redirect \(client.rawValue) http://127.0.0.1:\(port)/\(open.fixture.host)")
            terminal.type("\n")
            #expect(try await git.ended().status == 0, "\(terminal.text)")
            let page = try await RealBrowser.chromium.page(on: open.fixture)
            #expect(page.title.hasSuffix(" as octocat"), "\(page)")
            return try #require(try await open.fixture.session.items().first)
        }

        @Test(
            "clones after a sign-in, refreshes silently, and logs out",
            arguments: [OpenIDFixture.Client.publicClient, .secret])
        func codeFlow(client: OpenIDFixture.Client) async throws {
            guard let version = RealBrowser.chromium.version(tried: Self.tried) else { return }
            let settings = "gitspaceFlow = browser\ngitspaceBrowser = browser"
            guard let open = try await OpenIDFixture(client, settings: settings) else {
                return WorldRow.notRun(.browsers, "Chromium", tried: Self.tried, because: "glewlwyd is not here")
            }
            let fixture = open.fixture
            let item = try await signIn(open, client)
            #expect(item.attributes["user"] == "octocat" && item["gitspace_issuer"] == open.provider.issuer())

            try await fixture.session.age()
            try await fixture.git("ls-remote", open.repository).succeeded(silently: true)
            let renewed = try #require(try await fixture.session.items().first)
            #expect(renewed["oauth_refresh_token"] != item["oauth_refresh_token"])

            let logout = try await fixture.gitspace("logout", fixture.host, "--revoke")
            // glewlwyd requires client authentication for a revocation, which a public client cannot give.
            guard client != .publicClient else {
                #expect(logout.status == 1 && logout.errors.contains("status 401"), "\(logout.errors)")
                return
            }
            #expect(logout.status == 0, "\(logout.errors)")
            #expect(try await open.provider.tell("userinfo \(renewed.password)") == "")
            WorldRow.add(
                .browsers, "Chromium", version, tried: Self.tried,
                result: "works for a public client and for one with a secret; glewlwyd revokes for the latter alone")
        }
    }
}

/// A real browser without a window, driven by Tests/Support/browser.py.
enum RealBrowser: String, CaseIterable {
    case chromium, firefox

    /// The text of the last page, and the requests that the browser made.
    struct Page: Decodable {
        let title: String
        let text: String
        let resources: Int
        let requests: [String]
    }

    var program: String { self == .chromium ? "Chromium" : "Firefox" }
    private var command: String { self == .chromium ? "chromium" : "firefox-esr" }

    /// The browser's version; without the browser, returns `nil` and reports a skip.
    func version(tried: String) -> String? {
        let version = Client.version(command, "--version")
        if version == nil { WorldRow.notRun(.browsers, program, tried: tried, because: "it is not installed") }
        return version
    }

    /// Starts git on a desktop's terminal, and presses Enter so that the browser opens.
    ///
    /// The fixture has `gitspaceBrowser = browser`. The user signs in at glewlwyd, or without one at the stand-in's
    /// page. The terminal shows the address.
    func start(
        _ fixture: EndToEndFixture, _ arguments: [String], as user: String? = nil, environment: [String: String] = [:]
    ) async throws -> (git: RunningProgram, terminal: PseudoTerminal) {
        let home = fixture.session.home
        try await fixture.session.write(
            program: home + "/bin/browser",
            """
            #!/bin/sh
            exec '\(BuiltFiles.script("browser.py"))' \(rawValue) '\(home)' "$1" \(user ?? "") >'\(home)/browser.log' 2>&1
            """)
        let terminal = try PseudoTerminal(columns: 1_000)
        let desktop = ["DISPLAY": ":77", "PATH": fixture.session.path()]
        let git = try fixture.startGit(arguments, environment: desktop.merging(environment) { $1 }, on: terminal)
        try await eventually("keys that are taken: \(terminal.text)") {
            terminal.text.contains("127.0.0.1") && !terminal.isCooked
        }
        return (git, terminal)
    }

    func page(on fixture: EndToEndFixture) async throws -> Page {
        let home = fixture.session.home
        let data = try await eventually("a page in \(program)") {
            FileManager.default.contents(atPath: home + "/page.json")
        }
        if let folder = ProcessInfo.processInfo.environment["GITSPACE_TEST_SCREENSHOTS"] {
            for scheme in ["light", "dark"] {
                let name = "\(rawValue)-\(UUID().uuidString.prefix(4))-\(scheme).png"
                try FileManager.default.copyItem(atPath: "\(home)/\(scheme).png", toPath: "\(folder)/\(name)")
            }
        }
        return try JSONDecoder().decode(Page.self, from: data)
    }
}
