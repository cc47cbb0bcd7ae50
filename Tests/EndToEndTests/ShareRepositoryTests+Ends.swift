import Foundation
import Glibc
import Staging
import StandIn
import Testing

/// How long the token lasts, and what ends it.
extension ShareRepositoryTests {
    @Test("it is refreshed under its own lock, tried again, and the person's own stays as it is")
    func refresh() async throws {
        let (fixture, own) = try await Self.fixture()
        let box = try await Self.box(fixture)
        let first = try #require(fixture.github.tokens.last)
        try await fixture.session.age(expiringIn: -10)
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
        try await fixture.session.age(expiringIn: -10)
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

    @Test("it ended elsewhere: the target gets nothing, although the person's own is stored for the same account")
    func gone() async throws {
        let (fixture, own) = try await Self.fixture()
        let box = try await Self.box(fixture)
        let limited = try #require(fixture.github.tokens.last)
        limited.refreshToken.map { fixture.github.revoke($0) }
        try await fixture.session.age(expiringIn: -10)
        #expect(try await box.ask("get", "protocol=https", "host=\(fixture.host)") == "quit=1\n")
        // Nor when its item is gone.
        _ = try await fixture.session.run([
            "secret-tool", "clear", "repository-token-protocol", "https",
        ])
        #expect(try await fixture.session.items().count == 1)
        #expect(try await box.ask("get", "protocol=https", "host=\(fixture.host)") == "quit=1\n")
        #expect(fixture.github.isLive(own.accessToken))
    }

    @Test("killed: share stop ends the token that was left, and so does the next share", arguments: [false, true])
    func killed(again: Bool) async throws {
        let (fixture, own) = try await Self.fixture()
        let box = try await Self.box(fixture)
        let token = try #require(fixture.github.tokens.last?.accessToken)
        box.program.signal(SIGKILL)
        _ = try await box.program.ended()
        #expect(fixture.github.isLive(token))
        if again {
            let next = try await Self.box(fixture)
            let second = try #require(fixture.github.tokens.last?.accessToken)
            #expect(!fixture.github.isLive(token) && second != token && fixture.github.isLive(second))
            _ = try await next.interrupt()
        } else {
            let stopped = try await Self.run(fixture, "share", "stop", "box")
            #expect(
                stopped.status == 0 && stopped.output.contains("The token for acme/private is no longer valid.\n"),
                "\(stopped.output)\(stopped.errors)")
        }
        #expect(!fixture.github.isLive(token) && fixture.github.isLive(own.accessToken))
        #expect(try await fixture.session.items().count == 1)
    }

    @Test("a locked keyring: the target gets nothing, and the token is ended once it is unlocked")
    func locked() async throws {
        let (fixture, own) = try await Self.fixture()
        let box = try await Self.box(fixture)
        let token = try #require(fixture.github.tokens.last?.accessToken)
        try await fixture.session.control("lock")
        #expect(try await box.ask("get", "protocol=https", "host=\(fixture.host)") == "quit=1\n")
        let end = try await box.interrupt()
        #expect(
            end.output.contains("could not be revoked. To try again: git credential-gitspace share stop box\n"),
            "\(end)")
        #expect(fixture.github.isLive(token))
        try await fixture.session.control("unlock")
        let stopped = try await Self.run(fixture, "share", "stop", "box")
        #expect(stopped.output.contains("The token for acme/private is no longer valid.\n"), "\(stopped)")
        #expect(!fixture.github.isLive(token) && fixture.github.isLive(own.accessToken))
    }

    @Test("without a keyring, git's cache keeps it where git does not find it either")
    func cache() async throws {
        let fixture = try await EndToEndFixture(app: .gitHubApp(interval: 1), session: .noBus)
        fixture.github.everySignIn(.approve(as: "monalisa"))
        let environment = [
            "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "credential.gitspaceStore", "GIT_CONFIG_VALUE_0": "cache",
        ]
        let login = try await fixture.start(
            [BuiltFiles.helper, "login", fixture.host], environment: environment,
            terminal: .standardError(PseudoTerminal())
        ).ended()
        let own = try #require(fixture.github.tokens.last?.accessToken, "\(login)")
        let program = try fixture.start(
            [BuiltFiles.helper, "share", "box", "--token", "--host", fixture.host, "--repository", "acme/private"],
            environment: environment, terminal: .standardError(PseudoTerminal()))
        let box = try await SharedBox(program, in: fixture)
        let token = try #require(fixture.github.tokens.last?.accessToken)
        let answer = try await box.ask("get", "protocol=https", "host=\(fixture.host)")
        #expect(Self.password(in: answer) == token && token != own)
        for path in ["path=", "path=acme/private", "path=box:write:acme/private"] {
            let outside = try await fixture.helper("get", path, environment: environment).output
            #expect(Self.password(in: outside) == own, "\(path)")
        }
        _ = try await box.interrupt()
        #expect(!fixture.github.isLive(token) && fixture.github.isLive(own))
        _ = try await fixture.git("credential-cache", "exit")
    }
}
