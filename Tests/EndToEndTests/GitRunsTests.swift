import Staging
import Testing

/// How often the verbs run git, which takes some milliseconds each time, counted by a git in front of the real one.
@Suite("Runs of git")
struct GitRunsTests {
    private func runs(
        _ words: String..., on fixture: EndToEndFixture, in folder: String? = nil, terminal: PseudoTerminal? = nil
    ) async throws -> [String] {
        let notes = fixture.session.home + "/runs"
        try await fixture.session.write(git: #"printf '%s\n' "$*" >>"$HOME/runs""#)
        try? FileManager.default.removeItem(atPath: notes)
        let end = try await fixture.gitspace(
            words, in: folder, environment: ["PATH": fixture.session.path()], on: terminal)
        #expect(end.status == 0, "\(end.output)\(end.errors)\(terminal?.screen ?? "")")
        let text = (try? String(contentsOfFile: notes, encoding: .utf8)) ?? ""
        #expect(!text.isEmpty, "\(words)")
        return text.split(separator: "\n").map(String.init)
    }

    @Test("setup runs git at most four times, also in a repository that names the host")
    func setup() async throws {
        let fixture = try await EndToEndFixture(settings: "[credential]\nhelper =")
        fixture.github.nextSignIn(.approve(as: "monalisa"))
        #expect(try await runs("setup", fixture.host, on: fixture, terminal: PseudoTerminal()).count <= 4)
        #expect(try await fixture.git("ls-remote", fixture.address()).status == 0)
        let other = try await EndToEndFixture(settings: "[credential]\nhelper =")
        other.github.nextSignIn(.approve(as: "monalisa"))
        let folder = try await other.repository("work", origin: other.address())
        #expect(try await runs("setup", on: other, in: folder, terminal: PseudoTerminal()).count <= 4)
        #expect(try await other.git("ls-remote", other.address()).status == 0)
    }

    @Test("switch runs git at most three times, whether the host is named or not")
    func change() async throws {
        let fixture = try await EndToEndFixture()
        try await fixture.signedIn(inOrder: "monalisa", "bob")
        let folder = try await fixture.repository("work", origin: fixture.address())
        #expect(try await runs("switch", fixture.host, "bob", on: fixture).count <= 3)
        let key = fixture.setting("username")
        #expect(try await fixture.git("config", "--global", key).output == "bob\n")
        #expect(try await runs("switch", "monalisa", on: fixture, in: folder).count <= 3)
        #expect(try await fixture.git("config", "--global", key).output == "monalisa\n")
    }

    @Test("switch --here asks git once for the repository")
    func here() async throws {
        let fixture = try await EndToEndFixture()
        try await fixture.signedIn(inOrder: "monalisa", "bob")
        let folder = try await fixture.repository("work", origin: fixture.address())
        let runs = try await runs("switch", "bob", "--here", on: fixture, in: folder)
        #expect(runs.count <= 6 && runs.count { $0.contains("--git-common-dir") } == 1, "\(runs)")
        let key = fixture.setting("username")
        #expect(try await fixture.git("config", "--local", key, in: folder).output == "bob\n")
    }

    @Test("doctor runs git at most three times")
    func doctor() async throws {
        let fixture = try await EndToEndFixture()
        try await fixture.signedIn("monalisa")
        #expect(try await runs("doctor", fixture.host, on: fixture).count <= 3)
        #expect(try await runs("doctor", on: fixture).count <= 3)
    }
}
