import Staging
import StandIn
import Testing

/// `git credential`, as a person types it or a script runs it.
@Suite("git credential")
struct CredentialCommandTests {
    @Test(
        "reject without a password removes every account of the host, and tells the person",
        arguments: Git.all, Service.withDeviceFlow)
    func rejectHost(git: Git, service: Service) async throws {
        let fixture = try await EndToEndFixture(service, git: git)
        for login in ["monalisa", "bob"] {
            try await fixture.remember(fixture.server.issueToken(for: login, app: fixture.app))
        }
        let terminal = try PseudoTerminal()
        let end = try await fixture.reject("url=https://\(fixture.host)\n\n", on: terminal)
        #expect(end.status == 0)
        #expect(terminal.text.hasPrefix("Signed out of \(fixture.host): removed "), "\(terminal.text)")
        #expect(terminal.text.contains("monalisa") && terminal.text.contains("bob"))
        #expect(try await fixture.session.items().isEmpty)
        let again = try PseudoTerminal()
        _ = try await fixture.reject("url=https://\(fixture.host)\n\n", on: again)
        #expect(again.text == "Nothing to remove: no credential is stored for \(fixture.host).\n")
        #expect(fixture.server.requests.isEmpty)
    }

    @Test(
        "fill returns an approved credential of any other host exactly there, without a question",
        arguments: [
            ("https", "git.example.test", "git.example.test:8443"),
            ("https", "git.example.test:8443", "git.example.test"),
            ("https", "git.example.test:8443", "git.example.test:8444"),
            ("http", "git.example.test", "git.example.test.evil.test"),
            ("smtp", "mail.example.test:587", "mail.example.test"),
            ("https", "[2001:db8::1]:8443", "[2001:db8::2]:8443"),
        ])
    func otherHosts(scheme: String, host: String, otherHost: String) async throws {
        let fixture = try await EndToEndFixture()
        let place = "protocol=\(scheme)\nhost=\(host)\n"
        let credential = "username=monalisa\npassword=a pass=word\n"
        let approve = try await fixture.git("credential", "approve", input: place + credential + "\n")
        #expect(approve.status == 0 && approve.errors.isEmpty, "\(approve.errors)")
        let fill = try await fixture.git("credential", "fill", input: place + "\n")
        #expect(fill.output == place + credential && fill.errors.isEmpty, "\(fill.errors)")

        for elsewhere in ["protocol=\(scheme)\nhost=\(otherHost)\n", "protocol=ftp\nhost=\(host)\n"] {
            let miss = try await fixture.git("credential", "fill", input: elsewhere + "\n")
            #expect(miss.status == 128 && !miss.output.contains("pass=word"))
        }
        _ = try await fixture.git("credential", "reject", input: place + "\n")
        #expect(try await fixture.session.items().isEmpty)
        #expect(fixture.server.requests.isEmpty)
    }
}
