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
        _ stage: Stage, _ slug: String = "acme/private", as name: String
    ) async throws -> (end: RunningProgram.End, answer: Answer) {
        let address = stage.address(slug)
        let end = try await stage.start([BuiltFiles.helper, "check", address]).ended()
        Capture.keep("check-\(name)", "git credential-gitspace check \(address)", end)
        let programs = try await stage.start([BuiltFiles.helper, "check", "--json", address]).ended()
        #expect(programs.status == end.status && programs.errors.isEmpty, "\(programs.errors)")
        let answer = try JSONDecoder().decode(Answer.self, from: Data(programs.output.utf8))
        #expect((end.status == 0) == answer.read)
        for secret in stage.github.issuedSecrets {
            #expect(!(end.output + end.errors + programs.output).contains(secret))
        }
        return (end, answer)
    }

    @Test("may read, push and change workflows; may only read; may read what everybody may")
    func rights() async throws {
        let stage = try await Stage()
        try stage.github.createRepository("acme/open", isPrivate: false, readers: ["monalisa"])
        let nobody = try await check(stage, as: "not-signed-in")
        #expect(nobody.answer.result == "not_signed_in" && nobody.end.status == 1)
        let open = try await check(stage, "acme/open", as: "not-signed-in-public")
        #expect(open.answer.result == "not_signed_in" && open.end.status == 0)
        let token = stage.github.issueToken(for: "monalisa", app: stage.app, scopes: Self.scopes)
        try await stage.remember(token)
        let all = try await check(stage, as: "reachable")
        #expect(all.answer.push && all.answer.workflow == true && all.answer.account == "monalisa")
        #expect(
            all.end.output
                == """
                acme/private on \(stage.host), as monalisa
                  Read: yes
                  Push: yes
                  Change workflow files: yes

                """)
        let reader = try await check(stage, "acme/open", as: "read-only")
        #expect(reader.answer.read && !reader.answer.push && reader.end.errors.isEmpty)
        stage.github.archive("acme/private")
        #expect(try await !check(stage, as: "archived").answer.push)
        #expect(try await check(stage, "acme/nothing", as: "not-found").answer.result == "not_found")
        // The very token is in the keyring still, and no sign-in was started.
        #expect(try await stage.session.items().map(\.password) == [token.accessToken])
        #expect(stage.github.count(of: .deviceCode) == 0)
    }

    @Test("each refusal is told apart, with the page on which it is mended")
    func refusals() async throws {
        let stage = try await Stage()
        try await stage.remember(stage.github.issueToken(for: "monalisa", app: stage.app, scopes: Self.scopes))
        let expected: [(Repository.Refusal, String)] = [
            (.singleSignOn, "single_sign_on"), (.appRestriction, "app_restricted"),
            (.notInstalled, "app_not_installed"), (.networkAddress, "address_not_allowed"), (.blocked, "blocked"),
        ]
        for (refusal, result) in expected {
            stage.github.refuse("monalisa", at: "acme/private", because: refusal)
            let found = try await check(stage, as: result.replacing("_", with: "-"))
            #expect(found.answer.result == result, "\(found.end.errors)")
            #expect(found.end.errors.hasPrefix("gitspace: error: "))
            if refusal == .singleSignOn {
                #expect(
                    found.answer.page?.hasPrefix("https://\(stage.host)/orgs/acme/sso?authorization_request=") == true)
            }
        }
    }

    @Test("a token with too few scopes, a dead one, a limit, and a server that is in trouble or gone")
    func faults() async throws {
        let stage = try await Stage()
        let token = stage.github.issueToken(for: "monalisa", app: stage.app, scopes: ["public_repo"])
        try await stage.remember(token)
        #expect(try await check(stage, as: "scope-missing").answer.result == "scope_missing")
        let limit = [Header("X-RateLimit-Remaining", "0"), Header("X-RateLimit-Reset", "1")]
        stage.github.answer(.repository, with: .status(403, headers: limit), times: 2)
        #expect(try await check(stage, as: "rate-limited").answer.result == "rate_limited")
        stage.github.answer(.repository, with: .status(503), times: 2)
        #expect(try await check(stage, as: "server-in-trouble").answer.result == "server_in_trouble")
        stage.github.revoke(token.accessToken)
        #expect(try await check(stage, as: "token-rejected").answer.result == "token_rejected")
        await stage.github.stop()
        #expect(try await check(stage, as: "offline").answer.result == "offline")
    }

    @Test("a token that has ended is renewed and kept; another account that reaches the repository is named")
    func accounts() async throws {
        let stage = try await Stage(app: .gitHubApp())
        try stage.github.createRepository("acme/other", writers: ["bob"])
        for login in ["bob", "monalisa"] {
            let token = stage.github.issueToken(for: login, app: stage.app)
            try await stage.remember(token, expiringIn: login == "bob" ? 60 : 28_800)
        }
        try await stage.session.run(
            ["git", "config", "--global", "credential.https://\(stage.host).username", "monalisa"]
        ).isGood()
        let found = try await check(stage, "acme/other", as: "wrong-account")
        #expect(found.answer.other_account == "bob" && found.answer.account == "monalisa")
        #expect(found.end.errors.contains("git remote set-url origin https://bob@\(stage.host)/acme/other\n"))
        #expect(stage.github.count(of: .refresh) == 1 && stage.github.refreshTokenReuses == 0)
        let app = try await check(stage, as: "github-app")
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
