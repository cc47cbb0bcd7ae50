import Foundation
import Glibc
import Staging
import StandIn
import Testing

/// `doctor` in environments of which each is broken in one way, with the real thing.
@Suite("The verb doctor")
struct DoctorTests {
    /// Runs `doctor` and keeps what it says as a capture.
    private func examine(
        _ stage: Stage, as name: String, environment: [String: String] = [:]
    ) async throws -> RunningProgram.End {
        let end = try await stage.start([BuiltFiles.helper, "doctor"], environment: environment).ended()
        Capture.keep("doctor-\(name)", "git credential-gitspace doctor", end)
        #expect(end.errors.isEmpty, "\(end.errors)")
        #expect(!end.output.contains("hunter2"))
        for secret in stage.github.issuedSecrets { #expect(!end.output.contains(secret)) }
        #expect((end.status == 1) == end.output.contains("[FAIL]"))
        return end
    }

    /// Expects one fault, and below it the command that mends it.
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

    @Test("where all is well nothing fails, nothing is changed, and programs can read it")
    func good() async throws {
        let stage = try await Stage()
        try await stage.remember(stage.github.issueToken(for: "monalisa", app: stage.app))
        let before = try await stage.session.items()
        let end = try await examine(stage, as: "good")
        #expect(end.status == 0, "\(end.output)")
        #expect(end.output.hasSuffix("[ OK ] \(stage.host) accepts the token of monalisa\n"), "\(end.output)")
        struct Line: Decodable {
            let check: String
            let result: String
            let text: String
            let hints: [String]
        }
        let programs = try await stage.start([BuiltFiles.helper, "doctor", "--json"]).ended()
        let lines = try JSONDecoder().decode([Line].self, from: Data(programs.output.utf8))
        #expect(
            lines.filter { $0.result == "fail" }.isEmpty
                && lines.contains { $0.check == "round_trip" && $0.result == "ok" })
        #expect(try await stage.session.items() == before)
        #expect(stage.github.count(of: .deviceCode) == 0)
    }

    /// How a keyring is opened without a desktop.
    private static let opening =
        #"IFS= read -rsp "Password: " p; printf %s "$p" | gnome-keyring-daemon --replace --unlock"#

    @Test("no bus, and no program that offers a keyring")
    func absent() async throws {
        let noBus = try await Stage(session: .noBus)
        onlyFault(
            try await examine(noBus, as: "no-bus"), "no keyring is running in this session",
            mendedBy: "dbus-run-session -- bash -c '\(Self.opening); exec bash'")
        let noProvider = try await Stage(session: .noProvider)
        onlyFault(
            try await examine(noProvider, as: "no-provider"), "no program offers a keyring",
            mendedBy: "sudo apt install gnome-keyring")
    }

    @Test("a locked keyring, which stays locked, and one without a collection")
    func closed() async throws {
        let stage = try await Stage()
        try await stage.session.control("lock")
        onlyFault(
            try await examine(stage, as: "locked"), "the keyring is locked and no password prompt can be shown here",
            mendedBy: "bash -c '\(Self.opening)'")
        try await stage.session.control("unlock")
        try await stage.session.control("delete-collection")
        onlyFault(
            try await examine(stage, as: "no-collection"), "the keyring service has no keyring to keep a token in",
            mendedBy: "seahorse")
    }

    @Test("a keyring that hangs ends the wait after seconds, and the rest is looked at")
    func hung() async throws {
        let stage = try await Stage()
        kill(stage.session.keyring, SIGSTOP)
        let end = try await examine(stage, as: "hung")
        kill(stage.session.keyring, SIGCONT)
        onlyFault(
            end, "the keyring did not answer within 5 seconds",
            mendedBy: "systemctl --user status gnome-keyring-daemon")
        #expect(end.output.contains("[ OK ] \(stage.host) answers, and its certificate is trusted\n"))
    }

    @Test("another helper before ours, one after it, and none of ours")
    func helpers() async throws {
        let stage = try await Stage()
        let file = stage.session.home + "/.gitconfig"
        let own = try String(contentsOfFile: file, encoding: .utf8)
        func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: file)) }
        try write("[credential]\nhelper = store\n" + own)
        onlyFault(
            try await examine(stage, as: "helper-before"),
            "the helper store writes the tokens of \(stage.host) to a file in plain text; it stands in \(file)",
            mendedBy: "git credential-gitspace configure")
        try write(own + "\n[credential]\nhelper = store\nhelper = \"!f() { echo password=hunter2; }; f\"\n")
        let after = try await examine(stage, as: "helper-after")
        onlyFault(
            after, "the helper store writes the tokens of \(stage.host) to a file in plain text; it stands in \(file)",
            mendedBy: "git config --file \(file) --unset-all credential.helper '^store$'")
        #expect(after.output.contains("[WARN] a shell command comes after gitspace"), "\(after.output)")
        try write(own.replacing("helper = \(BuiltFiles.helper)", with: "helper = gitspace"))
        onlyFault(
            try await examine(stage, as: "not-on-path"),
            "the program git-credential-gitspace is not on the PATH, so git does not find it")
    }

    @Test("no client ID, and a clock that is off")
    func settings() async throws {
        let stage = try await Stage()
        stage.github.setClock(aheadBy: 3_600)
        let clock = try await examine(stage, as: "clock")
        #expect(clock.output.contains(" seconds behind that of \(stage.host)\n"), "\(clock.output)")
        #expect(clock.output.contains("\n         sudo timedatectl set-ntp true\n") && clock.status == 1)
        stage.github.setClock(aheadBy: 0)
        _ = try await stage.git("config", "--global", "--unset", "credential.https://\(stage.host).oauthClientId")
        onlyFault(
            try await examine(stage, as: "no-client-id"),
            "no OAuth client ID is known for \(stage.host), so nobody can sign in",
            mendedBy: "git credential-gitspace register \(stage.host)")
    }

    @Test("a proxy that is away, a certificate that nobody has signed, and a host that is gone")
    func network() async throws {
        let noProxy = try await Stage(settings: "[http]\nproxy = http://me:hunter2@127.0.0.1:1")
        onlyFault(
            try await examine(noProxy, as: "proxy"), "cannot reach \(noProxy.host) through the proxy",
            mendedBy: "git config --get-all http.proxy")
        let untrusted = try await Stage(certificate: .selfSigned)
        onlyFault(
            try await examine(untrusted, as: "certificate"), "the certificate of \(untrusted.host) is not trusted",
            mendedBy: "git config --global http.sslCAInfo <file>")
        let gone = try await Stage(settings: "[http]\nproxy =")
        await gone.github.stop()
        onlyFault(try await examine(gone, as: "unreachable"), "cannot reach \(gone.host)")
    }
}
