import Staging
import Testing

@Suite("Refusals of an app's installation")
struct InstallationRefusalTests {
    @Test("distinguishes a wrong key, an unknown app and a wrong clock")
    func rejections() async throws {
        let machine = try await AppFixture()
        let fixture = machine.fixture
        machine.github.setClock(aheadBy: 900)
        let behind = try await fixture.helper("get", "path=acme/private.git")
        #expect(Self.isQuarter(behind.errors.firstMatch(of: #/clock is (\d+) minutes behind/#)), "\(behind.errors)")
        machine.github.setClock(aheadBy: -900)
        let ahead = try await fixture.helper("get", "path=acme/private.git")
        #expect(Self.isQuarter(ahead.errors.firstMatch(of: #/clock is (\d+) minutes ahead/#)), "\(ahead.errors)")
        // A clock within our tolerance does not change the expiry of the token.
        machine.github.setClock(aheadBy: 30)
        let fine = try await fixture.helper("get", "path=acme/private.git")
        let end = try #require(fine.output.split(separator: "\n").first { $0.hasPrefix("password_expiry_utc=") })
        let left = try #require(Double(end.dropFirst(20))) - StandIn.systemClock()
        #expect((3_000...3_605).contains(left), "\(left)")
        machine.github.setClock(aheadBy: 0)
        var other = machine.app
        other.installations.append(.init(id: 7, owner: "beta"))
        other.publicKey = try await fixture.session.run([
            "sh", "-c", "openssl genrsa 2048 2>/dev/null | openssl rsa -pubout 2>/dev/null",
        ]).output
        machine.github.install(other)
        let wrong = try await fixture.helper("get", "path=beta/x.git")
        #expect(wrong.errors.contains("accepts neither the app ID 4711 nor its private key"), "\(wrong.errors)")
    }

    /// Returns whether a server's clock is reported as a quarter of an hour off.
    ///
    /// Its answer may come in a later second than it was made.
    private static func isQuarter(_ match: Regex<(Substring, Substring)>.Match?) -> Bool {
        match.flatMap { Int($0.1) }.map { (14...16).contains($0) } ?? false
    }

    @Test("reports a suspended installation, a repository that is not included, and a server in trouble")
    func refusals() async throws {
        let machine = try await AppFixture(settings: "githubAppScope = repository")
        let fixture = machine.fixture
        var app = machine.app
        app.installations = [.init(id: 1, owner: "acme", repositories: ["private"])]
        machine.github.install(app)
        let excluded = try await fixture.helper("get", "path=acme/other.git")
        #expect(excluded.errors.contains("the app's installation does not include acme/other"), "\(excluded.errors)")
        app.installations[0].isSuspended = true
        machine.github.install(app)
        let suspended = try await fixture.helper("get", "path=acme/private.git")
        #expect(
            suspended.errors.contains("installation for acme on \(fixture.host) is suspended"), "\(suspended.errors)")
        for status in [500, 502] {
            machine.github.answer(.installation, with: .status(status))
            let trouble = try await fixture.helper("get", "path=acme/private.git")
            #expect(trouble.output == "quit=1\n" && trouble.errors.contains("status \(status)"), "\(trouble.errors)")
        }
        machine.github.answer(.installation, with: .status(429))
        let limited = try await fixture.helper("get", "path=acme/private.git")
        #expect(limited.output == "quit=1\n" && limited.errors.contains("try again in 60 min"), "\(limited.errors)")
    }
}
