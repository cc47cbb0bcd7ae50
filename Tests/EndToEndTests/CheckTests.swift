import Staging
import Testing

@Suite("The verb check")
struct CheckTests {
    @Test("reports the rights, checks the push remote of the current branch, and changes nothing")
    func pushRemote() async throws {
        let fixture = try await EndToEndFixture()
        let token = try await fixture.signedIn("monalisa", scopes: ["repo", "workflow", "gist"])
        let folder = try await fixture.repository("work", origin: fixture.address())
        for words in [
            ["remote", "add", "fork", "git@github.com:me/private"], ["symbolic-ref", "HEAD", "refs/heads/topic"],
            ["config", "branch.other.pushRemote", "fork"],
        ] { try await fixture.startGit(words, in: folder).ended().succeeded() }
        #expect(try await fixture.gitspace("check").errors.contains("no repository given"))
        let rights = "  Read: yes\n  Push: yes\n  Change workflow files: yes\n"
        let before = try await fixture.gitspace("check", in: folder).output
        #expect(before == "acme/private on \(fixture.host), as monalisa\n" + rights)
        #expect(try await fixture.git("config", "branch.topic.pushRemote", "fork", in: folder).status == 0)
        let output = try await fixture.gitspace("check", in: folder).output
        #expect(output.contains("Push: not by gitspace\n  pushes go to git@github.com:me/private"), "\(output)")
        #expect(try await fixture.session.items().map(\.password) == [token.accessToken])
        #expect(fixture.github.count(of: .deviceCode) == 0)
    }
}

@Suite("The verb doctor in real environments")
struct DoctorTests {
    /// Runs `doctor`, which may print no secret.
    private func examine(_ fixture: EndToEndFixture) async throws -> RunningProgram.End {
        let end = try await fixture.gitspace("doctor")
        #expect(end.errors.isEmpty, "\(end.errors)")
        for secret in fixture.github.issuedSecrets { #expect(!end.output.contains(secret)) }
        #expect((end.status == 1) == end.output.contains("[FAIL]"))
        return end
    }

    @Test("finds no fault in a good environment, changes nothing, and prints JSON")
    func good() async throws {
        let fixture = try await EndToEndFixture()
        try await fixture.signedIn("monalisa")
        let before = try await fixture.session.items()
        let end = try await examine(fixture).succeeded()
        // With a newer git, a line about its first request follows.
        #expect(end.output.contains("[ OK ] \(fixture.host) accepts the token of monalisa\n"), "\(end.output)")
        struct Line: Decodable { let check, result: String }
        let programs = try await fixture.gitspace("doctor", "--json")
        let lines = try JSONDecoder().decode([Line].self, from: Data(programs.output.utf8))
        #expect(!lines.contains { $0.result == "fail" })
        #expect(lines.contains { $0.check == "round_trip" && $0.result == "ok" })
        #expect(try await fixture.session.items() == before)
        // Both runs have tried the client ID, by a code that is not shown.
        #expect(fixture.github.count(of: .deviceCode) == 2 && fixture.github.completedSignIns == 0)
    }

    @Test("stops waiting for a hanging keyring after seconds, and continues")
    func hung() async throws {
        let fixture = try await EndToEndFixture()
        kill(fixture.session.keyring, SIGSTOP)
        let end = try await examine(fixture)
        kill(fixture.session.keyring, SIGCONT)
        let faults = end.output.split(separator: "\n").filter { $0.hasPrefix("[FAIL]") }
        #expect(faults == ["[FAIL] the keyring did not answer within 5 seconds"], "\(end.output)")
        #expect(end.output.contains("\n         systemctl --user status gnome-keyring-daemon\n"), "\(end.output)")
        #expect(end.output.contains("[ OK ] \(fixture.host) is reachable, and its certificate is trusted\n"))
    }
}
