import Staging
import Testing

@Suite("The verb check")
struct CheckTests {
    private struct Answer: Decodable {
        let result: String
        let username: String?
        let read: Bool
        let push: Bool
        let workflow: Bool?
    }

    /// Runs `check` for people and for programs.
    private func check(_ fixture: EndToEndFixture, _ slug: String = "acme/private") async throws
        -> (end: RunningProgram.End, answer: Answer)
    {
        let address = fixture.address(slug)
        let end = try await fixture.gitspace("check", address)
        let programs = try await fixture.gitspace("check", "--json", address)
        #expect(programs.status == end.status && programs.errors.isEmpty, "\(programs.errors)")
        let answer = try JSONDecoder().decode(Answer.self, from: Data(programs.output.utf8))
        #expect((end.status == 0) == answer.read)
        for secret in fixture.github.issuedSecrets {
            #expect(!(end.output + end.errors + programs.output).contains(secret))
        }
        return (end, answer)
    }

    @Test("checks the push remote of the current branch")
    func pushRemote() async throws {
        let fixture = try await EndToEndFixture()
        try await fixture.signedIn("monalisa", scopes: ["repo", "workflow", "gist"])
        let folder = try await fixture.repository("work", origin: fixture.address())
        for words in [
            ["remote", "add", "fork", "git@github.com:me/private"], ["symbolic-ref", "HEAD", "refs/heads/topic"],
            ["config", "branch.other.pushRemote", "fork"],
        ] { try await fixture.startGit(words, in: folder).ended().succeeded() }
        #expect(try await fixture.gitspace("check").errors.contains("no repository given"))
        #expect(try await fixture.gitspace("check", in: folder).output.contains("Push: yes"))
        #expect(try await fixture.git("config", "branch.topic.pushRemote", "fork", in: folder).status == 0)
        let output = try await fixture.gitspace("check", in: folder).output
        #expect(output.contains("Push: not by gitspace\n  pushes go to git@github.com:me/private"), "\(output)")
    }

    @Test("reports read, push and workflow rights, read-only rights, and public repositories")
    func rights() async throws {
        let fixture = try await EndToEndFixture()
        try fixture.github.createRepository("acme/open", isPrivate: false, readers: ["monalisa"])
        let nobody = try await check(fixture)
        #expect(nobody.answer.result == "not_signed_in" && nobody.end.status == 1)
        let open = try await check(fixture, "acme/open")
        #expect(open.answer.result == "not_signed_in" && open.end.status == 0)
        let token = try await fixture.signedIn("monalisa", scopes: ["repo", "workflow", "gist"])
        let all = try await check(fixture)
        #expect(all.answer.push && all.answer.workflow == true && all.answer.username == "monalisa")
        #expect(
            all.end.output == """
                acme/private on \(fixture.host), as monalisa
                  Read: yes
                  Push: yes
                  Change workflow files: yes

                """)
        let reader = try await check(fixture, "acme/open")
        #expect(reader.answer.read && !reader.answer.push && reader.end.errors.isEmpty)
        fixture.github.archive("acme/private")
        #expect(try await !check(fixture).answer.push)
        #expect(try await check(fixture, "acme/nothing").answer.result == "not_found")
        // The token is unchanged in the keyring, and no sign-in was started.
        #expect(try await fixture.session.items().map(\.password) == [token.accessToken])
        #expect(fixture.github.count(of: .deviceCode) == 0)
    }
}
