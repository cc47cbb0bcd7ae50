import Staging
import Testing

/// An environment that tries to divert, weaken or reveal: no secret leaves, nothing is weakened or lost.
@Suite("Hostile environments")
struct HostileEnvironmentTests {
    /// Returns a fixture with an expired token, so that one `get` uses keyring, network, keyring and answer.
    private func fixture(settings: String = "") async throws -> (EndToEndFixture, IssuedToken) {
        let fixture = try await EndToEndFixture(app: .gitHubApp(interval: 1), settings: settings)
        return (fixture, try await fixture.signedIn("monalisa", expiringIn: -10))
    }

    /// Returns every file in the home folder except the keyring's own encrypted one.
    private func files(of fixture: EndToEndFixture) throws -> [String: Data] {
        let home = fixture.session.home
        var files: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: home) where !name.contains("keyrings/") {
            files[name] = FileManager.default.contents(atPath: "\(home)/\(name)")
        }
        return files
    }

    @Test("ignores tokens in the environment, in a codespace or not")
    func tokensInTheEnvironment() async throws {
        let fixture = try await EndToEndFixture()
        let tokens = [
            "GITHUB_TOKEN": "ghp_fromTheEnvironment", "GH_TOKEN": "ghp_fromTheEnvironment",
            "GH_ENTERPRISE_TOKEN": "ghp_fromTheEnvironment", "GITHUB_ENTERPRISE_TOKEN": "ghp_fromTheEnvironment",
            "CODESPACES": "true", "GITHUB_SERVER_URL": fixture.address(),
        ]
        for host in [fixture.host, "github.com", "evil.example"] {
            let end = try await fixture.gitspace("get", environment: tokens, input: "protocol=https\nhost=\(host)\n")
            #expect(!end.output.contains("password") && !end.errors.contains("fromTheEnvironment"), "\(host)")
        }
        #expect(fixture.github.tunnels.isEmpty)
        #expect(try await fixture.session.items().isEmpty)
    }

    @Test(
        "uses no other backend of libsecret, and no other service on the bus",
        arguments: [
            ("SECRET_BACKEND", "file"), ("SECRET_BACKEND", "bogus"), ("SECRET_BACKEND", "service"),
            ("SECRET_SERVICE_BUS_NAME", "org.example.Other"),
        ])
    func secretBackend(variable: String, value: String) async throws {
        let (fixture, _) = try await fixture()
        for _ in 1...2 {
            let end = try await fixture.helper("get", environment: [variable: value, "GITSPACE_FRONT_DOOR": "off"])
            #expect(end.output.contains("password=\(fixture.github.tokens.last?.accessToken ?? "")\n"), "\(end.errors)")
        }
        #expect(fixture.github.count(of: .refresh) == 1)
    }

    @Test("writes no secret to traces, key logs and other programs' files, and reads none")
    func otherProgramsFiles() async throws {
        let (fixture, old) = try await fixture()
        let home = fixture.session.home
        try "machine localhost login netrc password fromNetrc\ndefault login netrc password fromNetrc\n".write(
            to: home + "/.netrc")
        try "insecure\nproxy = http://127.0.0.1:1/\nuser = curlrc:fromCurlrc\n".write(to: home + "/.curlrc")
        let traces = [
            "GIT_TRACE", "GIT_TRACE_CURL", "GIT_TRACE2", "GIT_TRACE2_EVENT", "GIT_TRACE2_PERF", "GIT_TRACE_SETUP",
            "GCM_TRACE", "SSLKEYLOGFILE",
        ]
        var environment = [
            "GIT_CURL_VERBOSE": "1", "GIT_TRACE_REDACT": "0", "GCM_TRACE_SECRETS": "1", "G_MESSAGES_DEBUG": "all",
        ]
        for name in traces { environment[name] = "\(home)/\(name).log" }
        let end = try await fixture.helper("get", environment: environment)
        let new = try #require(fixture.github.tokens.last)
        #expect(end.output.contains("password=\(new.accessToken)\n"), "\(end.errors)")
        let files = try files(of: fixture)
        #expect(files["SSLKEYLOGFILE.log"] == nil)
        // git's own trace of `git config` shows that the variables were in force.
        #expect(files["GIT_TRACE.log"]?.isEmpty == false)
        for secret in fixture.github.issuedSecrets {
            for (name, content) in files { #expect(content.range(of: Data(secret.utf8)) == nil, "\(name)") }
            #expect(!end.errors.contains(secret))
        }
        for request in fixture.github.requests(to: .refresh) {
            #expect(request.headers["authorization"] == nil)
            #expect(request.form["refresh_token"] == old.refreshToken)
        }
        #expect(fixture.github.count(of: .refresh) == 1)
    }

    @Test("exits with an error, and not by a signal, if nobody reads the answer")
    func noReader() async throws {
        let fixture = try await EndToEndFixture()
        try await fixture.signedIn("monalisa")
        let pipe = try NamedPipe(in: fixture.session.home)
        pipe.closeReader()
        let end = try await fixture.start(
            ["env", "--default-signal=PIPE", BuiltFiles.helper, "get"],
            input: fixture.request, standardOutput: pipe.writer
        ).ended()
        #expect(end.status == 1 && end.errors.isEmpty, "\(end.errors)")
    }

    @Test("loses nothing if a stream is closed or full")
    func streams() async throws {
        let (fixture, _) = try await fixture()
        for redirection in [
            "<&-", ">&-", "2>&-", "<&- >&-", ">&- 2>&-", "<&- >&- 2>&-", ">/dev/full", "2>/dev/full", "</dev/zero",
            "</dev/null", "</dev/full", "</",
        ] {
            let old = try await fixture.signedIn("monalisa", expiringIn: -10)
            let requests = fixture.github.requests.count
            let end = try await fixture.session.run(
                ["sh", "-c", "exec \"$0\" get \(redirection)", BuiltFiles.helper], input: fixture.request)
            #expect((0...1).contains(end.status), "\(redirection): \(end.status)")
            let kept = try #require(try await fixture.session.items().first)
            if redirection.contains("<") {
                // Without a request, nothing is done.
                #expect(fixture.github.requests.count == requests && end.output.isEmpty, "\(redirection)")
                #expect(kept.password == old.accessToken, "\(redirection)")
            } else {
                // A new token is saved before it is printed, and only git reads it.
                let new = try #require(fixture.github.tokens.last)
                #expect(new.accessToken != old.accessToken, "\(redirection)")
                #expect(kept.password == new.accessToken && kept["oauth_refresh_token"] == new.refreshToken)
                let reachesGit = redirection.hasPrefix("2>")
                #expect(end.output.contains("password=\(new.accessToken)\n") == reachesGit, "\(redirection)")
                if redirection == ">/dev/full" { #expect(end.status == 1) }
            }
            for secret in fixture.github.issuedSecrets {
                for (name, content) in try files(of: fixture) {
                    #expect(content.range(of: Data(secret.utf8)) == nil, "\(name)")
                }
            }
        }
    }

    @Test(
        "invents no missing variable of the environment",
        arguments: [["HOME"], ["PATH"], ["XDG_RUNTIME_DIR"], ["HOME", "PATH", "XDG_RUNTIME_DIR", "TERM", "LC_ALL"]])
    func missing(names: [String]) async throws {
        let (fixture, _) = try await fixture()
        let token = try await fixture.signedIn("octocat")
        let unset = names.flatMap { ["-u", $0] }
        let request = "protocol=https\nhost=\(fixture.host)\nusername="
        // A valid token is returned. An expired one needs a configuration, which may be missing.
        let good = try await fixture.session.run(
            ["env"] + unset + [BuiltFiles.helper, "get"], input: request + "octocat\n")
        #expect(good.output.contains("password=\(token.accessToken)\n"), "\(good.errors)")
        let before = try await fixture.session.items()
        let expired = try await fixture.session.run(
            ["env"] + unset + [BuiltFiles.helper, "get"], input: request + "monalisa\n")
        #expect((0...1).contains(expired.status))
        let isRenewed = fixture.github.count(of: .refresh) == 1
        #expect(expired.output.contains("password=") == isRenewed, "\(expired.errors)")
        if !isRenewed { #expect(try await fixture.session.items() == before) }
        #expect(Set(fixture.github.tunnels).subtracting([fixture.host]).isEmpty)
    }

    @Test("folds no letters into a known host by any locale, and keeps the answer unchanged")
    func locale() async throws {
        let fixture = try await EndToEndFixture()
        for name in ["tr_TR.UTF-8", "az_AZ.UTF-8", "ja_JP.eucJP", "xx_YY.nonsense", "", "../../../etc/passwd", "C"] {
            let token = fixture.github.issueToken(for: "monalisa", app: fixture.app)
            let locale = ["LC_ALL": name, "LANG": name, "LANGUAGE": name]
            for host in ["github.com", "GITHUB.COM", "G\u{130}THUB.COM", "g\u{131}thub.com"] {
                let isKnown = host.utf8.allSatisfy { $0 < 0x80 }
                if host == "github.com" {
                    try await fixture.session.run(
                        [BuiltFiles.helper, "store"], environment: locale,
                        input: "protocol=https\nhost=\(host)\nusername=monalisa\npassword=\(token.accessToken)\n"
                    ).succeeded(silently: true)
                }
                let end = try await fixture.gitspace(
                    "get", environment: locale, input: "protocol=https\nhost=\(host)\n")
                #expect(end.output.contains("password=\(token.accessToken)\n") == isKnown, "\(name): \(host)")
            }
        }
    }

    @Test("ignores a repository's own settings of where a token goes", arguments: ["refresh", "sign-in"])
    func repository(step: String) async throws {
        let (fixture, old) = try await fixture()
        let folder = try await fixture.repository("trap")
        let trap = """
            [credential "https://\(fixture.host)"]
            provider = none
            oauthClientId = Ov23liOfSomebodyElse
            oauthClientSecret = secretOfSomebodyElse
            oauthTokenURL = https://evil.example/token
            oauthDeviceAuthURL = https://evil.example/code
            [credential "https://evil.example"]
            provider = github
            oauthClientId = Ov23liOfSomebodyElse
            [http]
            sslVerify = false
            proxy = http://127.0.0.1:1/
            [credential]
            gitspaceStore = cache
            [extensions]
            worktreeConfig = true

            """
        let configuration = folder + "/.git/config"
        let own = try String(contentsOfFile: configuration, encoding: .utf8)
        // The lines are in the file itself, in one that it includes, and in the worktree's.
        try (own + "[include]\npath = included\n" + trap).write(to: configuration)
        try trap.write(to: folder + "/.git/included")
        try trap.write(to: folder + "/.git/config.worktree")
        let terminal = try PseudoTerminal()
        if step == "sign-in" {
            _ = try await fixture.reject("protocol=https\nhost=\(fixture.host)\n\n")
            fixture.github.nextSignIn(.approve(as: "monalisa"))
        }
        let end = try await fixture.session.start(
            [BuiltFiles.helper, "get"], in: folder,
            // git runs its helpers in this way.
            environment: step == "sign-in" ? ["GIT_DIR": ".git"] : [:],
            input: fixture.request, on: terminal, keepsErrors: true
        ).ended()
        #expect(end.output.contains("password=\(fixture.github.tokens.last?.accessToken ?? "")\n"), "\(end.errors)")
        #expect(fixture.github.tokens.count == 2 && old.accessToken != fixture.github.tokens.last?.accessToken)
        #expect(Set(fixture.github.tunnels) == [fixture.host])
        for (_, request) in fixture.github.requests where request.method == "POST" {
            #expect(request.form["client_id"] == fixture.app.clientID && request.form["client_secret"] == nil)
        }
        // A host that only the repository configures stays unknown.
        let foreign = try await fixture.session.start(
            [BuiltFiles.helper, "get"], in: folder, input: "protocol=https\nhost=evil.example\n",
            on: terminal, keepsErrors: true
        ).ended()
        #expect(foreign.output.isEmpty && foreign.errors.isEmpty)
        #expect(Set(fixture.github.tunnels) == [fixture.host])
    }
}
