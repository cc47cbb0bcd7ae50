import Foundation
import Glibc
import Staging
import StandIn
import Testing

/// A token that reaches one repository: real git, a real keyring, and a server that limits tokens, or does not.
@Suite("share --repository")
struct ShareRepositoryTests {
    /// monalisa is signed in by a GitHub App, and reaches `acme/private` and `acme/other`.
    static func fixture(
        _ app: App = .gitHubApp(interval: 1), git: Git = .system, beside other: Session? = nil
    ) async throws -> (fixture: EndToEndFixture, own: IssuedToken) {
        let fixture = try await EndToEndFixture(git: git, app: app, beside: other)
        try fixture.github.createRepository("acme/other", writers: ["monalisa"])
        fixture.github.everySignIn(.approve(as: "monalisa"))
        let own = fixture.github.issueToken(for: "monalisa", app: fixture.app)
        try await fixture.remember(own, expiringIn: 7_200, lifetime: 28_800)
        return (fixture, own)
    }

    static func box(
        _ fixture: EndToEndFixture, name: String = "box", _ repository: String = "acme/private"
    ) async throws -> SharedBox {
        try await SharedBox(
            fixture, name: name, on: PseudoTerminal(), "--host", fixture.host, "--repository", repository)
    }

    /// Shares, which fails; what the person reads.
    static func failure(_ fixture: EndToEndFixture, _ options: String...) async throws -> String {
        let terminal = try PseudoTerminal(columns: 500)
        let end = try await fixture.start(
            [BuiltFiles.helper, "share", "box", "--token", "--host", fixture.host] + options,
            terminal: .standardError(terminal)
        ).ended()
        #expect(end.status == 1, "\(end.output)")
        return terminal.text
    }

    static func run(_ fixture: EndToEndFixture, _ words: String...) async throws -> RunningProgram.End {
        try await fixture.start([BuiltFiles.helper] + words).ended()
    }

    static func password(in answer: String) -> String? {
        answer.split(separator: "\n").first { $0.hasPrefix("password=") }.map { String($0.dropFirst(9)) }
    }

    /// git inside, with an empty home.
    static func git(
        _ script: String, in box: SharedBox, _ fixture: EndToEndFixture
    ) async throws -> RunningProgram.End {
        let home = fixture.session.home + "/inside"
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        let nothing = try UnnamedFile(contents: [])
        return try await RunningProgram(
            ["sh", "-c", script], environment: box.inside(fixture, home: home), in: home, input: nothing.descriptor,
            surroundings: nothing
        ).ended()
    }

    // MARK: A person's token

    @Test(
        "git inside clones and pushes the repository, and reaches no other; then its token is dead", arguments: Git.all)
    func clone(git: Git) async throws {
        let (fixture, own) = try await Self.fixture(git: git)
        let box = try await Self.box(fixture)
        #expect(box.program.outputText.contains("Sharing acme/private on \(fixture.host) as \"box\": read and push.\n"))
        let end = try await Self.git(
            SharedBox.work(fixture, commit: "inside"), in: box, fixture)
        #expect(
            end.status == 0 && end.errors.contains("repository '\(fixture.address("acme/other"))/' not found"),
            "\(end.errors)")
        #expect(try fixture.github.git(["log", "--format=%s", "-1", "main"], in: "acme/private") == "inside\n")
        let list = try await Self.run(fixture, "share", "list")
        #expect(list.output.contains("  Only acme/private: read and push.\n  Uses: "), "\(list.output)")
        let token = try #require(fixture.github.tokens.last?.accessToken)
        #expect(token != own.accessToken && fixture.github.isLive(token))

        let stopped = try await Self.run(fixture, "share", "stop", "box")
        #expect(
            stopped.output == "\"box\" is no longer shared.\nThe token for acme/private is no longer valid.\n",
            "\(stopped.output)\(stopped.errors)")
        #expect(try await box.program.ended().output.contains("The token for acme/private is no longer valid.\n"))
        #expect(!fixture.github.isLive(token) && fixture.github.isLive(own.accessToken))
        #expect(try await fixture.session.items().map(\.password) == [own.accessToken])
        #expect(try await Self.run(fixture, "share", "stop", "box").errors.contains("\"box\" is not shared"))
    }

    @Test("a server that ignores the wish: the token is dropped, and the person told")
    func ignored() async throws {
        let (fixture, own) = try await Self.fixture()
        fixture.github.limitTokens(.ignored)
        let errors = try await Self.failure(fixture, "--repository", "acme/private")
        #expect(errors.contains("did not limit the token to acme/private: it reaches acme/other as well"), "\(errors)")
        #expect(errors.contains("the token was dropped, and no copy of it is valid"), "\(errors)")
        let dropped = try #require(fixture.github.tokens.first { $0.accessToken != own.accessToken })
        #expect(!fixture.github.isLive(dropped.accessToken) && fixture.github.isLive(own.accessToken))
        #expect(try await fixture.session.items().count == 1)
    }

    @Test("read only by a person: refused if the app may write, and else a token that cannot push")
    func readOnly() async throws {
        let (fixture, _) = try await Self.fixture()
        let errors = try await Self.failure(fixture, "--repository", "acme/private", "--read-only")
        #expect(errors.contains("the app may also write to acme/private"), "\(errors)")
        #expect(errors.contains("git config --global credential.https://\(fixture.host).githubAppId ID"), "\(errors)")
        #expect(fixture.github.count(of: .deviceCode) == 0)
        var app = fixture.app
        app.permissions = ["contents": "read", "metadata": "read"]
        fixture.github.register(app)
        let box = try await SharedBox(
            fixture, on: PseudoTerminal(), "--host", fixture.host, "--repository", "acme/private", "--read-only")
        #expect(box.program.outputText.contains("as \"box\": read only.\n"))
        // What is printed for an SSH host gives no more.
        let limit = "--repository https://\(fixture.host)/acme/private --read-only\n"
        #expect(box.program.outputText.contains("  git credential-gitspace share ssh HOST --token \(limit)"))
    }

    @Test("what cannot be limited is an error with the command that helps, before anybody has to approve")
    func needsApp() async throws {
        let (fixture, _) = try await Self.fixture(.oauthApp(interval: 1, lifetime: .init()))
        let errors = try await Self.failure(fixture, "--repository", "acme/private")
        #expect(errors.contains("it is not a GitHub App's"), "\(errors)")
        #expect(errors.contains("git credential-gitspace setup \(fixture.host) --github-app"), "\(errors)")
        let endless = try await Self.fixture(.gitHubApp(interval: 1, lifetime: nil), beside: fixture.session).fixture
        try await endless.remember(endless.github.issueToken(for: "monalisa", app: endless.app))
        let forever = try await Self.failure(endless, "--repository", "acme/private")
        #expect(forever.contains("do not expire, so whoever gets them can keep them"), "\(forever)")
        let command =
            "git credential-gitspace share box --token --repository https://\(endless.host)/acme/private --long-lived"
        #expect(forever.contains(command), "\(forever)")
        #expect(endless.github.count(of: .deviceCode) == 0)
        let absent = try await Self.failure(Self.fixture(beside: fixture.session).fixture, "--repository", "acme/none")
        #expect(absent.contains("acme/none"), "\(absent)")
        let gitLab = try await EndToEndFixture(.gitLab, beside: fixture.session)
        let other = try await Self.failure(gitLab, "--repository", "acme/private")
        #expect(other.contains("only GitHub Apps can do that"), "\(other)")
        #expect(fixture.github.count(of: .deviceCode) == 0 && gitLab.server.count(of: .deviceCode) == 0)
        for (words, text) in [
            (["--read-only"], "with '--token', '--read-only' goes with '--repository'"),
            (["--repository", "acme"], "is not a repository"),
            (["--repository", "a/b/c/d"], "is not a repository"),
        ] {
            let end = try await fixture.start([BuiltFiles.helper, "share", "box", "--token"] + words).ended()
            #expect(end.status != 0 && end.errors.contains(text), "\(end.errors)")
        }
    }

    // MARK: An app's own key

    @Test("an app's key: a token for the repository, to read only if that is wanted; the server's own refusal is shown")
    func appKey() async throws {
        let machine = try await AppFixture(usesPath: false)
        let fixture = machine.fixture
        try fixture.github.createRepository("acme/other", writers: ["monalisa"])
        for isReadOnly in [false, true] {
            let options = isReadOnly ? ["--read-only"] : []
            let program = try fixture.start(
                [BuiltFiles.helper, "share", "box", "--token", "--host", fixture.host, "--repository", "acme/private"]
                    + options)
            let box = try await SharedBox(program, in: fixture)
            let end = try await Self.git(
                SharedBox.work(fixture, commit: "read only: \(isReadOnly)", isReadOnly: isReadOnly), in: box, fixture)
            #expect(end.status == 0, "\(end.errors)")
            #expect(end.errors.contains("remote: Permission to acme/private.git denied") == isReadOnly, "\(end.errors)")
            let token = try #require(fixture.github.tokens.last)
            #expect(
                token.repositories == ["private"] && token.permissions["contents"] == (isReadOnly ? "read" : "write"))
            try await fixture.session.age(expiringIn: -10)
            _ = try await box.ask("get", "protocol=https", "host=\(fixture.host)")
            let renewed = try #require(fixture.github.tokens.last)
            #expect(renewed.accessToken != token.accessToken)
            #expect(renewed.repositories == token.repositories && renewed.permissions == token.permissions)
            _ = try await Self.run(fixture, "share", "stop", "box")
            #expect(!fixture.github.isLive(renewed.accessToken) && fixture.github.count(of: .revokeInstallation) > 0)
            #expect(try await fixture.session.items().isEmpty)
        }
    }

    @Test("an app's key at a server that ignores the wish", arguments: [["--read-only"], []])
    func appIgnored(options: [String]) async throws {
        let machine = try await AppFixture(usesPath: false)
        try machine.github.createRepository("acme/other", writers: ["monalisa"])
        machine.github.limitTokens(.ignored)
        let end = try await machine.fixture.start(
            [
                BuiltFiles.helper, "share", "box", "--token", "--host", machine.fixture.host, "--repository",
                "acme/private",
            ]
                + options
        ).ended()
        #expect(end.status == 1 && end.errors.contains("it reaches acme/other as well"), "\(end.errors)")
        #expect(machine.tokens.allSatisfy { !machine.github.isLive($0) })
        #expect(try await machine.fixture.session.items().isEmpty)
    }
}
