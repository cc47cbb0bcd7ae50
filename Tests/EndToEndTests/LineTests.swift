import Staging
import Testing

@Suite("Lines at a terminal")
struct LineTests {
    /// Starts the program with standard output at the terminal too, as a person does.
    private func screen(
        _ fixture: EndToEndFixture, _ arguments: [String], columns: UInt16, environment: [String: String] = [:]
    ) async throws -> String {
        let terminal = try PseudoTerminal(columns: columns)
        let output = open(terminal.path, O_WRONLY | O_NOCTTY | O_CLOEXEC)
        defer { close(output) }
        _ = try await fixture.start(
            [BuiltFiles.helper] + arguments, environment: environment, standardOutput: output, on: terminal
        ).ended()
        return terminal.screen
    }

    private func columns(of line: Substring) -> Int {
        line.unicodeScalars.reduce(0) { $0 + (("가"..."힣").contains($1) ? 2 : 1) }
    }

    @Test("breaks errors, hints and reports between words, and never a command", arguments: ["en", "ko"])
    func verbs(language: String) async throws {
        let fixture = try await EndToEndFixture()
        try await fixture.signedIn("monalisa", expiringIn: 36_000)
        let environment = ["LANGUAGE": language]
        for verb in [
            ["doctor"], ["status"], ["refresh", "--username", "zoe"], ["check", "acme/none"],
            ["configure", "github.com"],
        ] {
            let verb = verb == ["check", "acme/none"] ? ["check", fixture.address("acme/none")] : verb
            let whole = try await fixture.gitspace(verb, environment: environment)
            // The output has colours.
            let screen = try await screen(fixture, verb, columns: 50, environment: environment)
                .replacing(#/\u{1b}\[\d*m/#, with: "")
            for line in screen.split(separator: "\n") where columns(of: line) > 50 {
                // A command is on a line of its own. A path is not broken before a blank in it.
                let words = line.replacing("hint:", with: "").trimmingPrefix { $0 == " " }
                let path = BuiltFiles.helper.split(separator: " ").last ?? "/"
                #expect(
                    ["git ", "/", "(/", "helper = /", "[credential", path].contains { words.hasPrefix($0) },
                    "\(verb): \(line)")
            }
            func words(_ text: String) -> [Substring] { text.split { $0 == " " || $0 == "\n" } }
            // In a pipe, the words are the same except for times and versions, standard output first.
            if verb.first != "configure" {
                #expect(Set(words(screen)) == Set(words(whole.output + whole.errors)), "\(verb)")
            }
        }
    }

    @Test("leaves whole lines to a screen reader")
    func accessible() async throws {
        let fixture = try await EndToEndFixture()
        let arguments = ["refresh", fixture.host]
        let whole = try await fixture.gitspace(arguments).errors
        #expect(whole.split(separator: "\n").contains { $0.count > 30 })
        let screen = try await screen(
            fixture, arguments, columns: 30,
            environment: [
                "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "credential.gitspaceAccessible", "GIT_CONFIG_VALUE_0": "1",
            ])
        #expect(screen == whole)
        #expect(try await self.screen(fixture, arguments, columns: 30) != whole)
    }
}
