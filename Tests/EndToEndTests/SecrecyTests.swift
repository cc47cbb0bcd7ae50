import Staging
import Testing

@Suite("Secrecy")
struct SecrecyTests {
    @Test("leaves no token in a readable place during its whole life", arguments: Git.all, Service.withDeviceFlow)
    func wholeLife(git: Git, service: Service) async throws {
        let fixture = try await EndToEndFixture(service, git: git, app: service.refreshingApp(interval: 1))
        let traces = fixture.session.home + "/traces"
        try FileManager.default.createDirectory(atPath: traces, withIntermediateDirectories: true)
        var environment = ["GIT_CURL_VERBOSE": "1", "GCM_TRACE": "1", "GITSPACE_TRACE": "1"]
        for name in ["TRACE", "TRACE_PACKET", "TRACE_CURL", "TRACE_SETUP", "TRACE2", "TRACE2_EVENT", "TRACE2_PERF"] {
            environment["GIT_\(name)"] = "\(traces)/\(name)"
        }
        environment["SSLKEYLOGFILE"] = traces + "/keys"

        // The steps are sign-in, refresh, refresh and log-out.
        let terminal = try PseudoTerminal()
        fixture.server.nextSignIn(.approve(as: "monalisa"))
        let clone = try await fixture.git("clone", fixture.address(), environment: environment, on: terminal)
            .succeeded()
        try await fixture.session.age()
        let fetch = try await fixture.git("fetch", in: fixture.session.home + "/private", environment: environment)
            .succeeded()
        let reject = try await fixture.reject("url=https://\(fixture.host)\n\n", environment: environment)
        #expect(fixture.server.count(of: .refresh) >= 1)

        let printed = [clone, fetch, reject].map { $0.output + $0.errors }.joined() + terminal.text
        expectNoSecrets(of: fixture, in: printed, "what was printed")
        let files = FileManager.default.enumerator(atPath: fixture.session.home)?.compactMap { $0 as? String } ?? []
        #expect(files.contains { $0.hasPrefix("traces/TRACE2") })
        // The keyring's own files are encrypted, and searched like all others.
        for file in files {
            let contents = FileManager.default.contents(atPath: fixture.session.home + "/" + file) ?? Data()
            expectNoSecrets(of: fixture, in: String(decoding: contents, as: UTF8.self), file)
        }
    }

    /// Searches for the secrets as they are, and as git sends them (`Authorization: Basic`).
    private func expectNoSecrets(of fixture: EndToEndFixture, in text: String, _ place: String) {
        for secret in fixture.server.issuedSecrets {
            let encoded = Data("monalisa:\(secret)".utf8).base64EncodedString()
            #expect(!text.contains(secret) && !text.contains(encoded), "a secret in \(place)")
        }
    }
}
