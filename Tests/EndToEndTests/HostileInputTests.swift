import CredentialCore
import Staging
import Testing

/// Runs Tests/Corpus/Requests against the program: no token for another host, no question, no change.
@Suite("Hostile requests")
struct HostileRequestTests {
    /// The tokens that the requests try to get, by their host.
    static let tokens = ["github.com": "ghu_TheTokenOfGitHub", "kiosk.ghe.test": "ghu_TheTokenOfKiosk"]
    /// The limit in KiB.
    private static let mostMemory = 50.0 * 1_024
    /// The limit in seconds of CPU time.
    private static let longest = 1.0
    /// The number of simultaneous runs: one waits while others compute.
    private static let width = 4

    /// One test for all, since starting the session takes most of the time.
    ///
    /// `store` comes last: a plain store keeps its input, and would then answer with it.
    @Test("returns no token for another host, with no request, question or change, little memory and little time")
    func corpus() async throws {
        let fixture = try await Self.fixture()
        // `get` runs twice: if the front door answers, the full program is not tested.
        let rounds = [("get", "on"), ("get", "off"), ("erase", "on"), ("store", "on")]
        for (operation, frontDoor) in rounds {
            // Take each twelfth request, and those too large to be read to the end: `RequestCorpusTests` has the rest.
            let all = try HostileRequest.all().filter { $0.operations.contains(operation) }
            let requests = try all.enumerated().filter { position, request in
                try position.isMultiple(of: 12) || request.bytes(for: operation).count > HostileRequest.mostRead
            }.map(\.element)
            #expect(requests.count >= 30)
            let before = try await fixture.session.items()
            try await Self.run(operation, requests, frontDoor: frontDoor, on: fixture)
            let after = try await fixture.session.items()
            // A plain store keeps the password for the host that git names; our own items do not change.
            let ours = after.filter { item in
                // Compare bytes: Swift's own comparison would take the Kelvin sign for a `k`.
                let server = Array((item.attributes["server"] ?? "").utf8)
                return Self.tokens.keys.contains { Array($0.utf8) == server } && item.attributes["protocol"] == "https"
                    && item.attributes["port"] == nil
            }
            #expect(ours.count == before.count && before.allSatisfy(ours.contains), "\(operation): an item has changed")
            if operation != "store" { #expect(after.count == before.count, "\(operation) has stored something") }
        }
        #expect(fixture.github.tunnels.isEmpty && fixture.github.requests.isEmpty)
        // No host has a token in the keyring that the request was not for.
        for (host, token) in Self.tokens {
            let answer = try await fixture.gitspace("get", input: "protocol=https\nhost=\(host)\n")
            #expect(answer.output.contains("password=\(token)\n"))
        }
    }

    /// Returns a session in which both hosts could be signed in to, and whose keyring has both tokens.
    static func fixture() async throws -> EndToEndFixture {
        let fixture = try await EndToEndFixture(
            host: "kiosk.ghe.test",
            settings: """
                provider = github
                [credential "https://github.com"]
                oauthClientId = Ov23liStandInOAuthApp
                """)
        for (host, user) in [("github.com", "monalisa"), ("kiosk.ghe.test", "octocat")] {
            // The item of a sign-in of ours.
            let lines = [tokens[host] ?? "", "gitspace_client_id=Ov23liStandInOAuthApp"]
            try await fixture.session.put(KeyringItem(host: host, login: user, lines: lines))
        }
        return fixture
    }

    private static func run(
        _ operation: String, _ requests: [HostileRequest], frontDoor: String, on fixture: EndToEndFixture
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (position, request) in requests.enumerated() {
                if position >= width { _ = try await group.next() }
                group.addTask { try await check(request, operation, frontDoor: frontDoor, on: fixture) }
            }
            try await group.waitForAll()
        }
    }

    private static func check(
        _ request: HostileRequest, _ operation: String, frontDoor: String, on fixture: EndToEndFixture
    ) async throws {
        let what = Comment(rawValue: "\(request.name), \(operation), front door \(frontDoor)")
        let terminal = request.wantsNoTerminal ? nil : try PseudoTerminal()
        let (session, input) = (fixture.session, try UnnamedFile(contents: request.bytes(for: operation)))
        // A program that is started by another inherits the other's peak of memory in the kernel's own account.
        let measures = "\(session.home)/measures-\(UUID().uuidString)"
        let end = try await RunningProgram(
            ["time", "--quiet", "--output=\(measures)", "--format=%M %U %S", BuiltFiles.helper, operation],
            environment: session.environment.merging(["GITSPACE_FRONT_DOOR": frontDoor]) { $1 }, in: session.home,
            input: input.descriptor, on: terminal, keepsErrors: true, surroundings: session
        ).ended()
        #expect(end.status == 0, what)
        if operation == "get", request.expectation == .answer {
            let token = tokens[request.whose ?? ""] ?? ""
            #expect(end.output.contains("\npassword=\(token)\n"), what)
            #expect(tokens.values.filter { end.output.contains($0) } == [token], what)
            #expect(end.errors.isEmpty, what)
        } else {
            #expect(end.output.isEmpty, what)
        }
        #expect(terminal?.text ?? "" == "", what)
        // Allow printable ASCII and line ends only: no part of a request is shown as it came.
        #expect(end.errors.unicodeScalars.allSatisfy { (" "..."~").contains($0) || $0 == "\n" }, what)
        #expect(!tokens.values.contains { end.errors.contains($0) }, what)
        #expect(fixture.github.tunnels.isEmpty, what)
        let figures = try String(contentsOfFile: measures, encoding: .utf8)
            .split { $0 == " " || $0 == "\n" }.compactMap { Double($0) }
        try #require(figures.count == 3, what)
        #expect(figures[0] < mostMemory && figures[1] + figures[2] < longest, "\(what): \(figures)")
    }
}

@Suite("Hostile texts")
struct HostileTextTests {
    /// A text with one character of each kind: a C1 CSI, bidirectional marks, zero width, line and paragraph
    /// separators, tags, a variation selector, an invisible letter.
    private static let piece =
        "\u{9b}2J\u{202e}\u{2066}\u{200f}\u{61c}\u{200b}\u{2060}\u{feff}\u{2028}\u{2029}\u{e0041}\u{fe0f}\u{3164}"

    /// Checks that the text has only visible characters, in lines.
    private func expectClean(_ text: String, _ what: String) {
        let bad = text.unicodeScalars.filter { $0 != "\n" && $0 != "\t" && !DisplayText.isVisible($0) }
        #expect(bad.isEmpty, "\(what): \(text.debugDescription)")
    }

    private func run(_ fixture: EndToEndFixture, _ arguments: [String], in folder: String? = nil) async throws
        -> RunningProgram.End
    {
        let end = try await fixture.gitspace(
            arguments, in: folder, environment: ["GITSPACE_TRACE": arguments.first == "status" ? "0" : "1"])
        expectClean(end.output, "\(arguments)")
        expectClean(end.errors, "\(arguments)")
        return end
    }

    @Test("escapes a stored name in every verb")
    func storedName() async throws {
        let fixture = try await EndToEndFixture()
        for name in ["m\(Self.piece)", "n\(Self.piece)\"\\"] { try await fixture.signedIn(name) }
        let shown = #"m\xc2\x9b2J\xe2\x80\xae"#
        for verb in ["login", "status", "logout", "refresh"] {
            let end = try await run(fixture, [verb, fixture.host])
            if verb != "refresh" { #expect((end.output + end.errors).contains(shown), "\(verb): \(end)") }
        }
        for arguments in [
            ["login", "m\(Self.piece)@\(fixture.host)"], ["login", fixture.host, "--username", "m\(Self.piece)"],
            ["check", fixture.address("acme/private")], ["doctor"], ["status"], ["login", fixture.host, Self.piece],
            ["check", "https://m\(Self.piece)@\(fixture.host)/acme/private"],
        ] { _ = try await run(fixture, arguments) }
        for verb in ["status", "doctor"] {
            let json = try await run(fixture, [verb, "--json"])
            #expect(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) is [Any], "\(json.output)")
        }
        let all = try await run(fixture, ["logout", fixture.host, "--all"])
        #expect(all.status == 0 && all.output.contains(shown))
    }

    @Test("escapes typed and pasted arguments that the parser repeats")
    func arguments() async throws {
        let fixture = try await EndToEndFixture()
        for verb in ["login", "logout", "refresh", "status", "check", "doctor", "configure", "unconfigure", "setup"] {
            for arguments in [
                ["--x\(Self.piece)"], ["a", "b\(Self.piece)"], ["x\(Self.piece)"], ["-\(Self.piece)"],
                ["--username=\(Self.piece)"], ["--folder", Self.piece], ["x.\(Self.piece).example/a/b"],
            ] { _ = try await run(fixture, [verb] + arguments) }
        }
        for arguments in [[Self.piece], ["help", Self.piece], ["--version", Self.piece], ["--\(Self.piece)"]] {
            _ = try await run(fixture, arguments)
        }
        // Bytes that are not UTF-8, and an escape sequence as a shell passes it on.
        let end = try await fixture.start([
            "bash", "-c", #"for a in $'\x9b2J' $'\e[2J' $'--\xff\e]0;x\a'; do "$0" login "$a"; "$0" "$a"; done"#,
            BuiltFiles.helper,
        ]).ended()
        expectClean(end.output + end.errors, "bytes")
    }

    @Test("escapes settings and folders")
    func settings() async throws {
        let fixture = try await EndToEndFixture()
        let folder = fixture.session.home + "/f\(Self.piece)\u{1b}[31m"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (key, value) in [
            ("credential.helper", "x\(Self.piece)"), ("credential.helper", "\(folder)/helper"),
            ("credential.https://h\(Self.piece).example.provider", "github\(Self.piece)"),
            ("credential.https://h.example.oauthClientId", "c\(Self.piece)"),
            ("http.proxy", "http://p\(Self.piece).example"), ("http.sslCAInfo", "\(folder)/ca\(Self.piece)"),
            ("credential.gitspaceBrowser", "b\(Self.piece)"),
        ] { #expect(try await fixture.git("config", "--global", "--add", key, value).status == 0) }
        let own = folder + "/gitconfig"
        for arguments in [
            ["doctor"], ["doctor", "--json"], ["status", "h.example"], ["login", "h.example"],
            ["configure", "--dry-run"],
            ["check", "https://h.example/a/b"], ["setup", "h.example", "--client-id", "c"], ["login"],
        ] {
            _ = try await run(fixture, arguments, in: folder)
            let end = try await fixture.gitspace(
                arguments, in: folder,
                environment: ["GIT_CONFIG_GLOBAL": own, "HOME": folder, "GITSPACE_TRACE": folder + "/none/trace"])
            expectClean(end.output + end.errors, "\(arguments) with a home of that name")
        }
    }
}
