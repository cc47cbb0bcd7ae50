import Staging
import Testing

/// `GITSPACE_TRACE`: requests, findings and decisions, never a secret, and never where git reads the answer.
@Suite("Trace of a real run")
struct TraceTests {
    /// Returns a fixture with an expired, renewable token, and a file for the trace.
    private func fixture() async throws -> (fixture: EndToEndFixture, file: String) {
        let fixture = try await EndToEndFixture(app: .gitHubApp(interval: 1))
        try await fixture.signedIn("monalisa", expiringIn: -10)
        return (fixture, fixture.session.home + "/trace")
    }

    /// Returns the lines of a trace without their times.
    private func lines(_ text: String) -> [Substring] {
        text.split(separator: "\n").compactMap { line in
            line.wholeMatch(of: /\d\d:\d\d:\d\d\.\d{6} credential-gitspace: (.*)/)?.output.1
        }
    }

    @Test("traces a refresh from the front door to the answer, to a file that only its owner can read")
    func refresh() async throws {
        let (fixture, file) = try await fixture()
        let trace = ["GITSPACE_TRACE": file]
        let first = try await fixture.helper("get", environment: trace)
        let second = try await fixture.helper("get", environment: trace)
        #expect(first.errors.isEmpty && first.output == second.output && first.output.contains("password=ghu_"))
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let lines = lines(text)
        #expect(lines.count == text.split(separator: "\n").count)
        let expected = [
            "front door: get is for the full program", "get for \(fixture.host)", "keyring: search: 1 items",
            "found 1, the best of monalisa: ends in -", "keyring: replace: replaced", "renewing the token of monalisa",
            "POST https://\(fixture.host)/login/oauth/access_token", "keyring: save: saved", "renewed, for 28800 s",
            "answering with username, password, password_expiry_utc", "front door: get answered",
        ]
        var rest = lines[...]
        for words in expected {
            guard let next = rest.firstIndex(where: { $0.hasPrefix(words) }) else {
                Issue.record("\(words) is missing, or not in its place:\n\(text)")
                return
            }
            rest = rest[(next + 1)...]
        }
        for secret in fixture.github.issuedSecrets { #expect(!text.contains(secret)) }
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
    }

    @Test("writes to a descriptor if the caller has opened it, and never to the answer's", arguments: ["on", "off"])
    func descriptors(frontDoor: String) async throws {
        let (fixture, file) = try await fixture()
        let request = fixture.request
        let door = ["GITSPACE_FRONT_DOOR": frontDoor]
        let quiet = try await fixture.helper("get", environment: door)
        for number in 2...9 {
            let environment = door.merging(["GITSPACE_TRACE": String(number)]) { $1 }
            let closed = try await fixture.start(
                ["sh", "-c", "exec \"$0\" get \(number)>&-", BuiltFiles.helper], environment: environment,
                input: request
            ).ended()
            #expect(closed.output == quiet.output && closed.errors.isEmpty, "descriptor \(number): \(closed.errors)")
        }
        let opened = try await fixture.start(
            ["sh", "-c", "exec \"$0\" get 7>\"$1\"", BuiltFiles.helper, file],
            environment: door.merging(["GITSPACE_TRACE": "7"]) { $1 }, input: request
        ).ended()
        #expect(opened.output == quiet.output && opened.errors.isEmpty)
        #expect(!lines(try String(contentsOfFile: file, encoding: .utf8)).isEmpty)
    }

    /// Returns the output of a `get` with that value of the variable.
    private func get(
        _ fixture: EndToEndFixture, tracing value: String, _ door: String
    ) async throws -> RunningProgram.End {
        try await fixture.helper("get", environment: ["GITSPACE_TRACE": value, "GITSPACE_FRONT_DOOR": door])
    }

    @Test("reports in one line that it cannot write, and goes on as without a trace", arguments: ["on", "off"])
    func unwritable(door: String) async throws {
        let (fixture, _) = try await fixture()
        for destination in ["/nonexistent/trace", "/"] {
            let answer = try await get(fixture, tracing: destination, door)
            #expect(answer.status == 0 && answer.output.contains("password=ghu_"))
            #expect(answer.errors == "gitspace: error: not tracing to \(destination): it cannot be opened\n")
        }
        for destination in ["nonsense", "/dev/null"] {
            let answer = try await get(fixture, tracing: destination, door)
            #expect(answer.output.contains("password=ghu_") && answer.errors.isEmpty, "\(answer.errors)")
        }
    }

    @Test("does not write to a link, a pipe, a device or a file with two names", arguments: ["on", "off"])
    func notOwnFile(door: String) async throws {
        let (fixture, file) = try await fixture()
        let files = FileManager.default
        try "precious\n".write(to: file)
        try files.createSymbolicLink(atPath: file + ".link", withDestinationPath: file)
        try files.createSymbolicLink(atPath: file + ".dangling", withDestinationPath: file + ".new")
        try files.linkItem(atPath: file, toPath: file + ".second")
        #expect(mkfifo(file + ".pipe", 0o600) == 0)
        for destination in [
            file + ".link", file + ".dangling", file + ".second", file + ".pipe", "/dev/full", "/dev/stdout",
            "/proc/self/fd/1",
        ] {
            let answer = try await get(fixture, tracing: destination, door)
            #expect(answer.status == 0 && answer.output.contains("password=ghu_"))
            #expect(!answer.output.contains("credential-gitspace: "), "\(answer.output)")
            let line = "gitspace: error: not tracing to \(destination): it is not a regular file that you own\n"
            #expect(answer.errors == line, "\(answer.errors)")
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious\n")
        #expect(!files.fileExists(atPath: file + ".new"))
    }

    @Test(
        "does not write where git reads the answer, by any name of it", arguments: ["on", "off"],
        [
            ("5", "get 5>&1", true), ("2", "get 2>&1", false), ("1", "get 2>&1", false),
            ("FILE", "get >FILE; cat FILE", true), ("2", "get >FILE 2>&1; cat FILE", false),
        ])
    func answer(door: String, how: (value: String, command: String, isSaid: Bool)) async throws {
        let (fixture, file) = try await fixture()
        let quiet = try await fixture.helper("get")
        let end = try await fixture.start(
            ["sh", "-c", "\"$0\" \(how.command.replacing("FILE", with: "\"$1\""))", BuiltFiles.helper, file],
            environment: ["GITSPACE_TRACE": how.value.replacing("FILE", with: file), "GITSPACE_FRONT_DOOR": door],
            input: fixture.request
        ).ended()
        #expect(end.output == quiet.output && quiet.output.contains("password=ghu_"))
        let line = "gitspace: error: not tracing to the file descriptor from which git reads the answer\n"
        #expect(end.errors == (how.isSaid ? line : ""), "\(end.errors)")
    }

    @Test("writes to standard error beside the messages for the person")
    func standardError() async throws {
        let fixture = try await EndToEndFixture()
        let answer = try await fixture.helper("get", environment: ["GITSPACE_TRACE": "true", "CI": "1"])
        let told = lines(answer.errors)
        #expect(told.contains { $0.hasPrefix("error: nobodyHere") }, "\(answer.errors)")
        #expect(told.contains("answering with nothing"))
        #expect(
            answer.errors.contains(
                "\ngitspace: error: not signed in to \(fixture.host), and sign-in is off because CI is set\n"))
    }
}

@Suite("Secrecy")
struct SecrecyTests {
    @Test("leaves no token in a readable place during its whole life", arguments: Git.all, Service.withDeviceFlow)
    func wholeLife(git: Git, service: Service) async throws {
        let fixture = try await EndToEndFixture(service, git: git, app: service.refreshingApp(interval: 1))
        let traces = fixture.session.home + "/traces"
        try FileManager.default.createDirectory(atPath: traces, withIntermediateDirectories: true)
        var environment = ["GIT_CURL_VERBOSE": "1", "GCM_TRACE": "1", "GITSPACE_TRACE": "1"]
        for name in ["TRACE", "TRACE_PACKET", "TRACE_CURL", "TRACE_SETUP", "TRACE2", "TRACE2_EVENT", "TRACE2_PERF"] {
            environment["GIT_\(name)"] = "\(traces)/\(name)"
        }
        environment["SSLKEYLOGFILE"] = traces + "/keys"

        // The steps are sign-in, refresh, refresh and log-out.
        let terminal = try PseudoTerminal()
        fixture.server.nextSignIn(.approve(as: "monalisa"))
        let clone = try await fixture.git("clone", fixture.address(), environment: environment, on: terminal)
            .succeeded()
        try await fixture.session.age()
        let fetch = try await fixture.git("fetch", in: fixture.session.home + "/private", environment: environment)
            .succeeded()
        let reject = try await fixture.reject("url=https://\(fixture.host)\n\n", environment: environment)
        #expect(fixture.server.count(of: .refresh) >= 1)

        let printed = [clone, fetch, reject].map { $0.output + $0.errors }.joined() + terminal.text
        expectNoSecrets(of: fixture, in: printed, "what was printed")
        let files = FileManager.default.enumerator(atPath: fixture.session.home)?.compactMap { $0 as? String } ?? []
        #expect(files.contains { $0.hasPrefix("traces/TRACE2") })
        // The keyring's own files are encrypted, and searched like all others.
        for file in files {
            let contents = FileManager.default.contents(atPath: fixture.session.home + "/" + file) ?? Data()
            expectNoSecrets(of: fixture, in: String(decoding: contents, as: UTF8.self), file)
        }
    }

    /// Searches for the secrets as they are, and as git sends them (`Authorization: Basic`).
    private func expectNoSecrets(of fixture: EndToEndFixture, in text: String, _ place: String) {
        for secret in fixture.server.issuedSecrets {
            let encoded = Data("monalisa:\(secret)".utf8).base64EncodedString()
            #expect(!text.contains(secret) && !text.contains(encoded), "a secret in \(place)")
        }
    }
}
