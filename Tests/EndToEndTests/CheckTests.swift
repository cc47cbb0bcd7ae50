import Foundation
import Staging
import StandIn
import Testing

/// `check` explains why a repository is out of reach: each reason as GitHub tells it.
@Suite("The verb check")
struct CheckTests {
    private struct Answer: Decodable {
        let result: String
        let account: String?
        let read: Bool
        let push: Bool
        let workflow: Bool?
        let page: String?
        let other_account: String?
    }

    private static let scopes = ["repo", "workflow", "gist"]

    /// Runs `check` for people, which is kept as a capture, and for programs.
    private func check(
        _ fixture: EndToEndFixture, _ slug: String = "acme/private", as name: String
    ) async throws -> (end: RunningProgram.End, answer: Answer) {
        let address = fixture.address(slug)
        let end = try await fixture.start([BuiltFiles.helper, "check", address]).ended()
        Capture.keep("check-\(name)", "git credential-gitspace check \(address)", end)
        let programs = try await fixture.start([BuiltFiles.helper, "check", "--json", address]).ended()
        #expect(programs.status == end.status && programs.errors.isEmpty, "\(programs.errors)")
        let answer = try JSONDecoder().decode(Answer.self, from: Data(programs.output.utf8))
        #expect((end.status == 0) == answer.read)
        for secret in fixture.github.issuedSecrets {
            #expect(!(end.output + end.errors + programs.output).contains(secret))
        }
        return (end, answer)
    }

    @Test("may read, push and change workflows; may only read; may read what everybody may")
    func rights() async throws {
        let fixture = try await EndToEndFixture()
        try fixture.github.createRepository("acme/open", isPrivate: false, readers: ["monalisa"])
        let nobody = try await check(fixture, as: "not-signed-in")
        #expect(nobody.answer.result == "not_signed_in" && nobody.end.status == 1)
        let open = try await check(fixture, "acme/open", as: "not-signed-in-public")
        #expect(open.answer.result == "not_signed_in" && open.end.status == 0)
        let token = fixture.github.issueToken(for: "monalisa", app: fixture.app, scopes: Self.scopes)
        try await fixture.remember(token)
        let all = try await check(fixture, as: "reachable")
        #expect(all.answer.push && all.answer.workflow == true && all.answer.account == "monalisa")
        #expect(
            all.end.output
                == """
                acme/private on \(fixture.host), as monalisa
                  Read: yes
                  Push: yes
                  Change workflow files: yes

                """)
        let reader = try await check(fixture, "acme/open", as: "read-only")
        #expect(reader.answer.read && !reader.answer.push && reader.end.errors.isEmpty)
        fixture.github.archive("acme/private")
        #expect(try await !check(fixture, as: "archived").answer.push)
        #expect(try await check(fixture, "acme/nothing", as: "not-found").answer.result == "not_found")
        // The very token is in the keyring still, and no sign-in was started.
        #expect(try await fixture.session.items().map(\.password) == [token.accessToken])
        #expect(fixture.github.count(of: .deviceCode) == 0)
    }

    @Test("each refusal is told apart, with the page on which it is mended")
    func refusals() async throws {
        let fixture = try await EndToEndFixture()
        try await fixture.remember(fixture.github.issueToken(for: "monalisa", app: fixture.app, scopes: Self.scopes))
        let expected: [(Repository.Refusal, String)] = [
            (.singleSignOn, "single_sign_on"), (.appRestriction, "app_restricted"),
            (.notInstalled, "app_not_installed"), (.networkAddress, "address_not_allowed"), (.blocked, "blocked"),
        ]
        for (refusal, result) in expected {
            fixture.github.refuse("monalisa", at: "acme/private", because: refusal)
            let found = try await check(fixture, as: result.replacing("_", with: "-"))
            #expect(found.answer.result == result, "\(found.end.errors)")
            #expect(found.end.errors.hasPrefix("gitspace: error: "))
            if refusal == .singleSignOn {
                #expect(
                    found.answer.page?.hasPrefix("https://\(fixture.host)/orgs/acme/sso?authorization_request=") == true
                )
            }
        }
    }

    @Test("a token with too few scopes, a dead one, a limit, and a server that is in trouble or gone")
    func faults() async throws {
        let fixture = try await EndToEndFixture()
        let token = fixture.github.issueToken(for: "monalisa", app: fixture.app, scopes: ["public_repo"])
        try await fixture.remember(token)
        #expect(try await check(fixture, as: "scope-missing").answer.result == "scope_missing")
        let limit = [Header("X-RateLimit-Remaining", "0"), Header("X-RateLimit-Reset", "1")]
        fixture.github.answer(.repository, with: .status(403, headers: limit), times: 2)
        #expect(try await check(fixture, as: "rate-limited").answer.result == "rate_limited")
        fixture.github.answer(.repository, with: .status(503), times: 2)
        #expect(try await check(fixture, as: "server-in-trouble").answer.result == "server_in_trouble")
        fixture.github.revoke(token.accessToken)
        #expect(try await check(fixture, as: "token-rejected").answer.result == "token_rejected")
        await fixture.github.stop()
        #expect(try await check(fixture, as: "offline").answer.result == "offline")
    }

    @Test("a token that has ended is renewed and kept; another account that reaches the repository is named")
    func accounts() async throws {
        let fixture = try await EndToEndFixture(app: .gitHubApp())
        try fixture.github.createRepository("acme/other", writers: ["bob"])
        for login in ["bob", "monalisa"] {
            let token = fixture.github.issueToken(for: login, app: fixture.app)
            try await fixture.remember(token, expiringIn: login == "bob" ? 60 : 28_800)
        }
        try await fixture.session.run(
            ["git", "config", "--global", "credential.https://\(fixture.host).username", "monalisa"]
        ).isGood()
        let found = try await check(fixture, "acme/other", as: "wrong-account")
        #expect(found.answer.other_account == "bob" && found.answer.account == "monalisa")
        #expect(found.end.errors.contains("git remote set-url origin https://bob@\(fixture.host)/acme/other\n"))
        #expect(fixture.github.count(of: .refresh) == 1 && fixture.github.refreshTokenReuses == 0)
        let app = try await check(fixture, as: "github-app")
        #expect(app.answer.push && app.answer.workflow == nil)
    }

    @Test("what is no repository's address is told so, and is not repeated")
    func malformed() async throws {
        let session = try await Session(.noBus)
        let end = try await session.run([BuiltFiles.helper, "check", "https://x:hunter2@github.com/"])
        Capture.keep("check-no-address", "git credential-gitspace check https://github.com/", end)
        #expect(end.status == 1 && end.errors.hasPrefix("gitspace: error: this is not the address of a repository\n"))
        #expect(!end.errors.contains("hunter2"))
    }
}

extension RunningProgram.End {
    fileprivate func isGood() { #expect(status == 0, "\(errors)") }
}
