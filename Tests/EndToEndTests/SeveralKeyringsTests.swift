import Foundation
import Staging
import StandIn
import Testing

@Suite("Several keyrings, one of them locked")
struct SeveralKeyringsTests {
    /// octocat in the keyring "login", which is open; hubot in "work", which is locked.
    private func halfLocked() async throws -> EndToEndFixture {
        let fixture = try await EndToEndFixture()
        try await fixture.remember(fixture.github.issueToken(for: "octocat", app: fixture.app))
        let end = try await fixture.session.run([BuiltFiles.script("keyring-control.py"), "create-collection", "work"])
        #expect(end.status == 0, "\(end.errors)")
        try await fixture.remember(fixture.github.issueToken(for: "hubot", app: fixture.app))
        try await fixture.session.control("lock")
        return fixture
    }

    private func request(_ fixture: EndToEndFixture) -> String { "protocol=https\nhost=\(fixture.host)\n\n" }

    @Test(
        "git credential reject says what it has removed and what not, and git hears nothing of it", arguments: Git.all)
    func reject(git: Git) async throws {
        let fixture = try await halfLocked()
        let terminal = try PseudoTerminal(columns: 200)
        let environment = ["GCM_INTERACTIVE": "never"]
        let end = try await fixture.git(
            "credential", "reject", environment: environment, input: request(fixture), on: terminal)
        #expect(end.status == 0 && end.output.isEmpty)
        #expect(terminal.text.contains("removed octocat from the keyring"), "\(terminal.text)")
        #expect(terminal.text.contains("hubot could not be removed for \(fixture.host): the keyring is locked"))
        try await fixture.session.control("unlock")
        #expect(try await fixture.session.items().map { $0.attributes["user"] } == ["hubot"])
    }

    @Test("status shows the account that can be read, and names the keyring that is locked")
    func status() async throws {
        let fixture = try await halfLocked()
        for arguments in [["status", "--offline"], ["status", "--offline", fixture.host]] {
            let end = try await fixture.start([BuiltFiles.helper] + arguments).ended()
            #expect(end.status == 0 && end.errors.isEmpty, "\(end.errors)")
            #expect(end.output.contains("octocat") && !end.output.contains("hubot"))
            #expect(end.output.contains("The keyring work is locked; accounts in it are not shown."), "\(end.output)")
        }
    }

    @Test("the account that can be read is used")
    func get() async throws {
        let fixture = try await halfLocked()
        let end = try await fixture.helper("get", "username=octocat")
        #expect(end.output.contains("username=octocat") && end.errors.isEmpty, "\(end.errors)")
    }
}
