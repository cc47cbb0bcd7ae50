import Foundation
import Glibc
import Staging
import StandIn
import Testing

/// `doctor` in environments that each have one fault.
@Suite("The verb doctor in real environments")
struct DoctorTests {
    /// Runs `doctor`, and keeps its output as a capture.
    private func examine(
        _ fixture: EndToEndFixture, as name: String, environment: [String: String] = [:]
    ) async throws -> RunningProgram.End {
        let end = try await fixture.start([BuiltFiles.helper, "doctor"], environment: environment).ended()
        Capture.keep("doctor-\(name)", "git credential-gitspace doctor", end)
        #expect(end.errors.isEmpty, "\(end.errors)")
        #expect(!end.output.contains("hunter2"))
        for secret in fixture.github.issuedSecrets { #expect(!end.output.contains(secret)) }
        #expect((end.status == 1) == end.output.contains("[FAIL]"))
        return end
    }

    /// Expects one fault, with the command below it that corrects it.
    private func onlyFault(
        _ end: RunningProgram.End, _ text: String, mendedBy command: String? = nil,
        at location: SourceLocation = #_sourceLocation
    ) {
        let faults = end.output.split(separator: "\n").filter { $0.hasPrefix("[FAIL]") }
        #expect(faults.map(String.init) == ["[FAIL] \(text)"], "\(end.output)", sourceLocation: location)
        if let command {
            #expect(end.output.contains("\n         \(command)\n"), "\(end.output)", sourceLocation: location)
        }
    }

    @Test("finds no fault in a good environment, changes nothing, and prints JSON")
    func good() async throws {
        let fixture = try await EndToEndFixture()
        try await fixture.remember(fixture.github.issueToken(for: "monalisa", app: fixture.app))
        let before = try await fixture.session.items()
        let end = try await examine(fixture, as: "good")
        #expect(end.status == 0, "\(end.output)")
        // With a newer git, a line about its first request follows.
        #expect(end.output.contains("[ OK ] \(fixture.host) accepts the token of monalisa\n"), "\(end.output)")
        struct Line: Decodable {
            let check: String
            let result: String
            let text: String
            let hints: [String]
        }
        let programs = try await fixture.start([BuiltFiles.helper, "doctor", "--json"]).ended()
        let lines = try JSONDecoder().decode([Line].self, from: Data(programs.output.utf8))
        #expect(
            lines.filter { $0.result == "fail" }.isEmpty
                && lines.contains { $0.check == "round_trip" && $0.result == "ok" })
        #expect(try await fixture.session.items() == before)
        // Both runs have tried the client ID, by a code that is not shown.
        #expect(fixture.github.count(of: .deviceCode) == 2 && fixture.github.completedSignIns == 0)
    }

    @Test("stops waiting for a hanging keyring after seconds, and continues")
    func hung() async throws {
        let fixture = try await EndToEndFixture()
        kill(fixture.session.keyring, SIGSTOP)
        let end = try await examine(fixture, as: "hung")
        kill(fixture.session.keyring, SIGCONT)
        onlyFault(
            end, "the keyring did not answer within 5 seconds",
            mendedBy: "systemctl --user status gnome-keyring-daemon")
        #expect(end.output.contains("[ OK ] \(fixture.host) is reachable, and its certificate is trusted\n"))
    }

    @Test("warns of another helper before or after ours, and reports a missing one")
    func helpers() async throws {
        let fixture = try await EndToEndFixture()
        let file = fixture.session.home + "/.gitconfig"
        let own = try String(contentsOfFile: file, encoding: .utf8)
        func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: file)) }
        try write("[credential]\nhelper = store\n" + own)
        onlyFault(
            try await examine(fixture, as: "helper-before"),
            "the helper store stores tokens for \(fixture.host) in a plain text file (set in \(file))",
            mendedBy: "git credential-gitspace configure \(fixture.host)")
        try write(own + "\n[credential]\nhelper = store\nhelper = \"!f() { echo password=hunter2; }; f\"\n")
        let after = try await examine(fixture, as: "helper-after")
        onlyFault(
            after,
            "the helper store stores tokens for \(fixture.host) in a plain text file (set in \(file))",
            mendedBy: "git credential-gitspace configure \(fixture.host)")
        #expect(after.output.contains("[WARN] the helper !... runs after gitspace"), "\(after.output)")
        try write(own.replacing("helper = \(BuiltFiles.helperValue)", with: "helper = gitspace"))
        let folders = (fixture.session.environment["PATH"] ?? "").split(separator: ":").filter {
            access("\($0)/git-credential-gitspace", X_OK) != 0
        }
        onlyFault(
            try await examine(
                fixture, as: "not-on-path", environment: ["PATH": folders.joined(separator: ":")]),
            "git-credential-gitspace is not on the PATH, so git cannot find it")
    }

    @Test("reports an unreachable proxy, an untrusted certificate, and a host that is gone")
    func network() async throws {
        let noProxy = try await EndToEndFixture(settings: "[http]\nproxy = http://me:hunter2@127.0.0.1:1")
        onlyFault(
            try await examine(noProxy, as: "proxy"), "cannot reach \(noProxy.host) through the proxy",
            mendedBy: "git config --show-origin --get-all http.proxy")
        let untrusted = try await EndToEndFixture(certificate: .selfSigned, beside: noProxy.session)
        onlyFault(
            try await examine(untrusted, as: "certificate"), "the certificate of \(untrusted.host) is not trusted",
            mendedBy: "git config --show-origin --get-all http.sslcainfo")
        let port = try ClosedPort()
        defer { withExtendedLifetime(port) {} }
        let gone = try await EndToEndFixture(
            host: "127.0.0.1:\(port.number)", settings: "provider = github\n[http]\nproxy =", beside: noProxy.session)
        onlyFault(try await examine(gone, as: "unreachable"), "cannot reach \(gone.host)")
    }
}
