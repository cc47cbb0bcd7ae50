import Foundation
import Glibc
import Staging
import StandIn
import Testing

/// A token that reaches one repository: real git, a real keyring, and a server that limits tokens, or does not.
@Suite("share --repository")
struct ShareRepositoryTests {
    /// monalisa is signed in by a GitHub App, and reaches `acme/private` and `acme/other`.
    private static func fixture(
        _ app: App = .gitHubApp(interval: 1), git: Git = .system
    ) async throws -> (fixture: EndToEndFixture, own: IssuedToken) {
        let fixture = try await EndToEndFixture(git: git, app: app)
        try fixture.github.createRepository("acme/other", writers: ["monalisa"])
        fixture.github.everySignIn(.approve(as: "monalisa"))
        let own = fixture.github.issueToken(for: "monalisa", app: fixture.app)
        try await fixture.remember(own, expiringIn: 7_200, lifetime: 28_800)
        return (fixture, own)
    }

    private static func box(
        _ fixture: EndToEndFixture, name: String = "box", _ repository: String = "acme/private"
    ) async throws -> SharedBox {
        try await SharedBox(
            fixture, name: name, on: PseudoTerminal(), "--host", fixture.host, "--repository", repository)
    }

    /// Shares, which fails; what the person reads.
    private static func failure(_ fixture: EndToEndFixture, _ options: String...) async throws -> String {
        let terminal = try PseudoTerminal(columns: 500)
        let end = try await fixture.start(
            [BuiltFiles.helper, "share", "box", "--host", fixture.host] + options, terminal: .standardError(terminal)
        ).ended()
        #expect(end.status == 1, "\(end.output)")
        return terminal.text
    }

    private static func run(_ fixture: EndToEndFixture, _ words: String...) async throws -> RunningProgram.End {
        try await fixture.start([BuiltFiles.helper] + words).ended()
    }

    private static func password(in answer: String) -> String? {
        answer.split(separator: "\n").first { $0.hasPrefix("password=") }.map { String($0.dropFirst(9)) }
    }

    /// git inside, with an empty home.
    private static func git(
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
            """
            set -e
            git clone --quiet \(fixture.address()) work
            cd work
            git -c user.name=m -c user.email=m@example.test commit --quiet --allow-empty -m inside
            git push --quiet
            ! git ls-remote \(fixture.address("acme/other"))
            """, in: box, fixture)
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

    @Test(
        "outside, nothing finds its item: not git, not its libsecret helper, not by name or path, nor a keyring search")
    func hidden() async throws {
        let (fixture, own) = try await Self.fixture()
        let box = try await Self.box(fixture)
        let place = fixture.host.split(separator: ":")
        for lines in [
            [], ["username=monalisa"], ["path=acme/private"], ["path=acme/private.git", "username=monalisa"],
        ] {
            for frontDoor in ["on", "off"] {
                let answer = try await fixture.startHelper(
                    "get", lines, environment: ["GITSPACE_FRONT_DOOR": frontDoor]
                )
                .ended().output
                #expect(Self.password(in: answer) == own.accessToken, "\(lines): \(answer)")
            }
            for helper in LibsecretHelper.current {
                let input = (["protocol=https", "host=\(fixture.host)"] + lines).map { $0 + "\n" }.joined()
                let answer = try await fixture.session.run([helper.path, "get"], input: input).output
                #expect(Self.password(in: answer).map { $0 == own.accessToken } ?? true, "\(answer)")
            }
        }
        let found = try await fixture.session.run([
            "secret-tool", "search", "--all", "protocol", "https", "server", String(place[0]),
        ])
        #expect(!found.output.contains(fixture.github.tokens.last?.accessToken ?? "?"), "\(found.output)")
        // erase and store outside leave it alone.
        for operation in ["erase", "store"] {
            _ = try await fixture.helper(operation, "username=monalisa", "password=planted", "path=acme/private")
        }
        _ = try await Self.run(fixture, "logout", fixture.host)
        let answer = try await box.ask("get", "protocol=https", "host=\(fixture.host)")
        #expect(Self.password(in: answer) == fixture.github.tokens.last?.accessToken)
        let status = try await Self.run(fixture, "status")
        #expect(
            status.output.contains("  acme/private on \(fixture.host), as monalisa, for \"box\": read and push\n"),
            "\(status.output)")
        let json = try await Self.run(fixture, "status", "--json").output
        #expect(json.contains(#""share": "box""#) || json.contains(#""share":"box""#), "\(json)")
    }

    @Test("every hostile request, with and without a path, gets this token or nothing, and changes nothing")
    func corpus() async throws {
        let (fixture, own) = try await Self.fixture()
        let box = try await Self.box(fixture)
        let token = try #require(fixture.github.tokens.last?.accessToken)
        let before = try await fixture.session.items()
        for hostile in try HostileRequest.all() {
            for action in hostile.operations {
                for path in [nil, "acme/private", "acme/other"] {
                    var bytes = try hostile.bytes(for: action)
                    // What is longer is not a request.
                    if bytes.count < 8_192 { bytes = bytes.replacing("github.com".utf8, with: fixture.host.utf8) }
                    var frame = Array("action=\(action)\ntimeout=900\n".utf8)
                    if let path { frame += Array("path=\(path)\n".utf8) }
                    let answer = try await box.send(frame + bytes)
                    let what = Comment(rawValue: "\(hostile.name), \(action), \(path ?? "no path"): \(answer)")
                    let given = Self.password(in: answer)
                    #expect(given == nil || (given == token && action == "get" && path != "acme/other"), what)
                    #expect(!answer.contains(own.accessToken) && !answer.contains("refresh"), what)
                }
            }
        }
        #expect(try await fixture.session.items() == before)
    }

    @Test("another repository's path, host, account, protocol: silence or quit=1; without a path the one token")
    func requests() async throws {
        let (fixture, _) = try await Self.fixture()
        let box = try await Self.box(fixture)
        let token = try #require(fixture.github.tokens.last?.accessToken)
        func ask(_ lines: String..., host: String? = nil, scheme: String = "https") async throws -> String {
            try await box.send(SharedBox.text("get", ["protocol=\(scheme)", "host=\(host ?? fixture.host)"] + lines))
        }
        for path in [
            "", "acme/private", "acme/private.git", "ACME/Private.git", "acme/private.wiki.git",
            "acme/private.git/info/lfs",
        ] {
            #expect(try await Self.password(in: ask("path=\(path)")) == token, "\(path)")
        }
        for path in [
            "acme/other", "acme/other.git", "acme", "acme/", "acme/private/..", "acme/private/../other",
            "acme/private.git.git",
            "acme/privateer", "acme/priv%61te", "/acme/private", "acme//private", "acme/private/", "private",
            "beta/private",
        ] {
            #expect(try await ask("path=\(path)").isEmpty, "\(path)")
        }
        for host in [
            "github.com", "evil.example", fixture.host + ".", "api." + fixture.host, fixture.host.uppercased(),
        ] {
            #expect(try await ask(host: host).isEmpty, "\(host)")
        }
        #expect(try await ask(scheme: "http").isEmpty)
        #expect(try await ask("username=bob") == "quit=1\n")
        #expect(try await Self.password(in: ask("username=monalisa")) == token)
        // With useHttpPath, git itself asks with a path.
        let end = try await Self.git(
            """
            git -c credential.useHttpPath=true ls-remote \(fixture.address()) &&
            ! git -c credential.useHttpPath=true ls-remote \(fixture.address("acme/other"))
            """, in: box, fixture)
        #expect(end.status == 0 && end.errors.contains("could not read Username"), "\(end.errors)")
        // store inside is ignored.
        _ = try await box.ask(
            "store", "protocol=https", "host=\(fixture.host)", "username=monalisa", "password=planted")
        #expect(try await Self.password(in: ask()) == token)
    }

    @Test("it is refreshed under its own lock, tried again, and the person's own stays as it is")
    func refresh() async throws {
        let (fixture, own) = try await Self.fixture()
        let box = try await Self.box(fixture)
        let first = try #require(fixture.github.tokens.last)
        try await fixture.age(expiringIn: -10)
        let tried = fixture.github.count(of: .userRepositories)
        let answer = try await box.ask("get", "protocol=https", "host=\(fixture.host)")
        let second = try #require(fixture.github.tokens.last)
        #expect(Self.password(in: answer) == second.accessToken && second.accessToken != first.accessToken)
        #expect(second.repositoryID == first.repositoryID && fixture.github.count(of: .refresh) == 1)
        #expect(fixture.github.count(of: .userRepositories) == tried + 1)
        #expect(fixture.github.isLive(own.accessToken))
    }

    @Test("a refresh that loses the limit: the token is dropped, and no wide one takes its place")
    func lostByRefresh() async throws {
        let (fixture, own) = try await Self.fixture()
        let box = try await Self.box(fixture)
        fixture.github.limitTokens(.lostByRefresh)
        try await fixture.age(expiringIn: -10)
        for _ in 0..<3 {
            #expect(try await box.ask("get", "protocol=https", "host=\(fixture.host)") == "quit=1\n")
        }
        #expect(try await fixture.session.items().count == 1)
        #expect(fixture.github.isLive(own.accessToken))
        let list = try await Self.run(fixture, "share", "list")
        #expect(list.output.contains("the token has ended; start the share again"), "\(list.output)")
        #expect(
            try await box.interrupt().output.contains("no longer limits the token to the repository, so it was dropped")
        )
    }

    @Test("it ended elsewhere: the place gets nothing, although the person's own is stored for the same account")
    func gone() async throws {
        let (fixture, own) = try await Self.fixture()
        let box = try await Self.box(fixture)
        let limited = try #require(fixture.github.tokens.last)
        limited.refreshToken.map { fixture.github.revoke($0) }
        try await fixture.age(expiringIn: -10)
        #expect(try await box.ask("get", "protocol=https", "host=\(fixture.host)") == "quit=1\n")
        // Nor when its item is gone.
        _ = try await fixture.session.run([
            "secret-tool", "clear", "repository-token-protocol", "https",
        ])
        #expect(try await fixture.session.items().count == 1)
        #expect(try await box.ask("get", "protocol=https", "host=\(fixture.host)") == "quit=1\n")
        #expect(fixture.github.isLive(own.accessToken))
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

    @Test("two shares of two repositories: each has its own, and the end of one is not the other's")
    func two() async throws {
        let (fixture, _) = try await Self.fixture()
        let first = try await Self.box(fixture)
        let second = try await Self.box(fixture, name: "second", "acme/other")
        let request = ["protocol=https", "host=\(fixture.host)"]
        let tokens = [
            try await Self.password(in: first.send(SharedBox.text("get", request))),
            try await Self.password(in: second.send(SharedBox.text("get", request))),
        ].compactMap(\.self)
        let ids = tokens.map { token in fixture.github.tokens.first { $0.accessToken == token }?.repositoryID }
        try #require(tokens.count == 2 && Set(ids).count == 2 && !ids.contains(nil), "\(ids)")
        #expect(try await first.send(SharedBox.text("get", request + ["path=acme/other"])).isEmpty)
        _ = try await Self.run(fixture, "share", "stop", "box")
        #expect(!fixture.github.isLive(tokens[0]) && fixture.github.isLive(tokens[1]))
        #expect(try await Self.password(in: second.send(SharedBox.text("get", request))) == tokens[1])
    }

    @Test("killed: share stop ends the token that was left")
    func killed() async throws {
        let (fixture, own) = try await Self.fixture()
        let box = try await Self.box(fixture)
        let token = try #require(fixture.github.tokens.last?.accessToken)
        box.program.signal(SIGKILL)
        _ = try await box.program.ended()
        #expect(fixture.github.isLive(token))
        let stopped = try await Self.run(fixture, "share", "stop", "box")
        #expect(
            stopped.status == 0 && stopped.output.contains("The token for acme/private is no longer valid.\n"),
            "\(stopped.output)\(stopped.errors)")
        #expect(!fixture.github.isLive(token) && fixture.github.isLive(own.accessToken))
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
    }

    @Test("what cannot be limited is an error with the command that helps, before anybody has to approve")
    func needsApp() async throws {
        let (fixture, _) = try await Self.fixture(.oauthApp(interval: 1, lifetime: .init()))
        let errors = try await Self.failure(fixture, "--repository", "acme/private")
        #expect(errors.contains("it is not a GitHub App's"), "\(errors)")
        #expect(errors.contains("git credential-gitspace setup \(fixture.host) --github-app"), "\(errors)")
        let absent = try await Self.failure(Self.fixture().fixture, "--repository", "acme/none")
        #expect(absent.contains("acme/none"), "\(absent)")
        let gitLab = try await EndToEndFixture(.gitLab)
        let other = try await Self.failure(gitLab, "--repository", "acme/private")
        #expect(other.contains("only GitHub Apps can do that"), "\(other)")
        #expect(fixture.github.count(of: .deviceCode) == 0 && gitLab.server.count(of: .deviceCode) == 0)
        for (words, text) in [
            (["--read-only"], "'--read-only' goes with '--repository'"),
            (["--repository", "acme"], "is not a repository"),
            (["--repository", "a/b/c/d"], "is not a repository"),
        ] {
            let end = try await fixture.start([BuiltFiles.helper, "share", "box"] + words).ended()
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
                [BuiltFiles.helper, "share", "box", "--host", fixture.host, "--repository", "acme/private"] + options)
            let box = try await SharedBox(program, in: fixture)
            let end = try await Self.git(
                """
                set -e
                rm -rf work
                git clone --quiet \(fixture.address()) work
                cd work
                git -c user.name=m -c user.email=m@example.test commit --quiet --allow-empty -m "read only: \(isReadOnly)"
                \(isReadOnly ? "!" : "") git push --quiet
                ! git ls-remote \(fixture.address("acme/other"))
                """, in: box, fixture)
            #expect(end.status == 0, "\(end.errors)")
            #expect(end.errors.contains("remote: Permission to acme/private.git denied") == isReadOnly, "\(end.errors)")
            let token = try #require(fixture.github.tokens.last)
            #expect(
                token.repositories == ["private"] && token.permissions["contents"] == (isReadOnly ? "read" : "write"))
            _ = try await Self.run(fixture, "share", "stop", "box")
            #expect(!fixture.github.isLive(token.accessToken) && fixture.github.count(of: .revokeInstallation) > 0)
            #expect(try await fixture.session.items().isEmpty)
        }
    }

    @Test("an app's key at a server that ignores the wish", arguments: [["--read-only"], []])
    func appIgnored(options: [String]) async throws {
        let machine = try await AppFixture(usesPath: false)
        try machine.github.createRepository("acme/other", writers: ["monalisa"])
        machine.github.limitTokens(.ignored)
        let end = try await machine.fixture.start(
            [BuiltFiles.helper, "share", "box", "--host", machine.fixture.host, "--repository", "acme/private"]
                + options
        ).ended()
        #expect(end.status == 1 && end.errors.contains("it reaches acme/other as well"), "\(end.errors)")
        #expect(machine.tokens.allSatisfy { !machine.github.isLive($0) })
        #expect(try await machine.fixture.session.items().isEmpty)
    }
}
