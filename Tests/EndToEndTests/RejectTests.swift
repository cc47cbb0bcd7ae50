import Staging
import Testing

@Suite("Rejections by persons and programs")
struct RejectTests {
    private func fixture(git: Git = .system) async throws -> EndToEndFixture {
        let fixture = try await EndToEndFixture(git: git)
        for login in ["monalisa", "bob"] { try await fixture.signedIn(login) }
        return fixture
    }

    /// Writes a program that runs the body, under the name of a real one.
    private func program(_ fixture: EndToEndFixture, named name: String = "gh", body: String) async throws -> String {
        let path = fixture.session.home + "/bin/" + name
        try await fixture.session.write(
            program: path,
            """
            #!/usr/bin/python3
            import subprocess
            request = b"protocol=https\\nhost=\(fixture.host)\\n\\n"
            \(body)
            """)
        return path
    }

    private func script(_ fixture: EndToEndFixture) async throws -> String {
        let path = fixture.session.home + "/bin/leave"
        try await fixture.session.write(
            program: path,
            """
            #!/bin/sh
            printf 'protocol=https\\nhost=\(fixture.host)\\n\\n' | git credential reject
            exit 0
            """)
        return path
    }

    @Test(
        "keeps every sign-in if a program rejects, and shows at a terminal how to sign out", arguments: Git.all,
        [
            "subprocess.run(['git', 'credential', 'reject'], input=request)",
            "subprocess.run(['sh', '-c', 'git credential reject; exit 0'], input=request)",
            "subprocess.run(['bash', '-eo', 'pipefail', '-c', 'git credential reject; exit 0'], input=request)",
        ])
    func program(git: Git, body: String) async throws {
        let fixture = try await fixture(git: git)
        let terminal = try PseudoTerminal(columns: 200)
        let program = try await program(fixture, body: body)
        let end = try await fixture.start([program], on: terminal).ended()
        #expect(end.status == 0 && terminal.text.contains("which was kept. To sign out: "), "\(terminal.text)")
        #expect(terminal.text.contains("git credential-gitspace logout \(fixture.host) --all"), "\(terminal.text)")
        #expect(try await fixture.session.items().count == 2)
    }

    @Test("removes the sign-ins if a script, a typed line or an alias rejects, whoever starts it", arguments: Git.all)
    func person(git: Git) async throws {
        let command = "printf 'protocol=https\\nhost=HOST\\n\\n' | git credential reject; exit 0"
        for starter in ["script", "program", "sh", "bash", "alias", "helper"] {
            let fixture = try await fixture(git: git)
            let script = try await script(fixture)
            let line = command.replacing("HOST", with: fixture.host)
            let arguments: [String]
            switch starter {
            case "script": arguments = [script]
            case "program": arguments = [try await program(fixture, body: "subprocess.run(['\(script)'])")]
            // The shell leads a session here, as one of ssh, cron or a terminal does.
            case "sh": arguments = ["sh", "-c", line]
            case "bash": arguments = ["bash", "-c", "bash -c \"$0\"; exit 0", line]
            case "alias": arguments = ["sh", "-c", "git -c alias.leave='!\(script)' leave; exit 0"]
            default:
                let erase = line.replacing("git credential reject", with: BuiltFiles.helper + " erase")
                arguments = ["sh", "-c", erase]
            }
            let terminal = try PseudoTerminal(columns: 200)
            _ = try await fixture.start(arguments, on: terminal).ended()
            #expect(terminal.text.hasPrefix("Signed out of \(fixture.host): removed "), "\(starter): \(terminal.text)")
            #expect(try await fixture.session.items().isEmpty, "\(starter)")
        }
    }

    @Test("keeps our token if a program rejects it after a 404 (git-annex)", arguments: Git.all)
    func annex(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git, app: Service.gitHub.refreshingApp(interval: 1))
        let item = try await fixture.signIn()
        let program = try await program(
            fixture, named: "git-annex",
            body: """
                filled = subprocess.run(['git', 'credential', 'fill'], input=request, stdout=subprocess.PIPE).stdout
                subprocess.run(['git', 'credential', 'reject'], input=filled + b"\\n")
                """)
        for _ in 1...3 { #expect(try await fixture.start([program]).ended().status == 0) }
        #expect(try await fixture.session.items().map(\.password) == [item.password])
        #expect(fixture.server.count(of: .refresh) == 0)
    }

    @Test("removes a token that Git LFS rejects, keeps its refresh token, with any version of git", arguments: Git.all)
    func lfs(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git, app: Service.gitHub.refreshingApp(interval: 1))
        let item = try await fixture.signIn()
        let program = try await program(
            fixture,
            body: """
                filled = subprocess.run(['git', 'credential', 'fill'], input=request, stdout=subprocess.PIPE).stdout
                subprocess.run(['git', 'credential', 'reject'], input=filled + b"\\n")
                """)
        // The process is recognized by its name git-lfs.
        _ = try await fixture.start(["bash", "-c", "exec -a git-lfs /usr/bin/python3 \(program)"]).ended()
        let left = try await fixture.session.items()
        #expect(left.map(\.password) == [""])
        #expect(left.first?["oauth_refresh_token"] == item["oauth_refresh_token"])
    }
}
