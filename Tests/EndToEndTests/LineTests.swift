import Foundation
import Staging
import StandIn
import Testing

/// What the verbs say fits the terminal that it is said on, and nothing else is changed.
@Suite("Lines at a terminal")
struct LineTests {
    /// Starts the program with standard output at a terminal as well, as a person does.
    private func screen(
        _ fixture: EndToEndFixture, _ arguments: [String], columns: UInt16, environment: [String: String] = [:]
    ) async throws -> String {
        let terminal = try PseudoTerminal(columns: columns)
        let output = open(terminal.path, O_WRONLY | O_NOCTTY | O_CLOEXEC)
        defer { close(output) }
        _ = try await fixture.start(
            [BuiltFiles.helper] + arguments, environment: environment, standardOutput: output,
            terminal: .standardError(terminal)
        ).ended()
        return terminal.screen
    }

    private func columns(of line: Substring) -> Int {
        line.unicodeScalars.reduce(0) { $0 + (("가"..."힣").contains($1) ? 2 : 1) }
    }

    @Test("errors, hints and reports are broken between words, and a command never is", arguments: ["en", "ko"])
    func verbs(language: String) async throws {
        let fixture = try await EndToEndFixture()
        let token = fixture.github.issueToken(for: "monalisa", app: fixture.app)
        try await fixture.remember(token, expiringIn: 36_000)
        let environment = ["LANGUAGE": language]
        for verb in [
            ["doctor"], ["status"], ["refresh", "--username", "zoe"], ["check", "acme/none"],
            ["configure", "github.com"],
        ] {
            let verb = verb == ["check", "acme/none"] ? ["check", fixture.address("acme/none")] : verb
            let whole = try await fixture.start([BuiltFiles.helper] + verb, environment: environment).ended()
            // In colours.
            let screen = try await screen(fixture, verb, columns: 50, environment: environment)
                .replacing(#/\u{1b}\[\d*m/#, with: "")
            for line in screen.split(separator: "\n") where columns(of: line) > 50 {
                // What has to stay whole stands alone; a path does up to a blank in it.
                let words = line.replacing("hint:", with: "").trimmingPrefix { $0 == " " }
                let path = BuiltFiles.helper.split(separator: " ").last ?? "/"
                #expect(
                    ["git ", "/", "(/", "helper = /", "[credential", path].contains { words.hasPrefix($0) },
                    "\(verb): \(line)")
            }
            func words(_ text: String) -> [Substring] { text.split { $0 == " " || $0 == "\n" } }
            // Times and versions aside, the same words: those of standard output first, in a pipe.
            if verb.first != "configure" {
                #expect(Set(words(screen)) == Set(words(whole.output + whole.errors)), "\(verb)")
            }
        }
    }

    @Test("a screen reader is given whole lines")
    func accessible() async throws {
        let fixture = try await EndToEndFixture()
        let arguments = ["refresh", fixture.host]
        let whole = try await fixture.start([BuiltFiles.helper] + arguments).ended().errors
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
