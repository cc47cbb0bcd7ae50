import CredentialCore
import Staging
import Testing

@Suite("Hostile texts")
struct HostileTextTests {
    /// A text with one character of each kind: a C1 CSI, bidirectional marks, zero width, line and paragraph
    /// separators, tags, a variation selector, an invisible letter.
    private static let piece =
        "\u{9b}2J\u{202e}\u{2066}\u{200f}\u{61c}\u{200b}\u{2060}\u{feff}\u{2028}\u{2029}\u{e0041}\u{fe0f}\u{3164}"

    /// Checks that the text has only visible characters, in lines.
    private func expectClean(_ text: String, _ what: String) {
        let bad = text.unicodeScalars.filter { $0 != "\n" && $0 != "\t" && !DisplayText.isVisible($0) }
        #expect(bad.isEmpty, "\(what): \(text.debugDescription)")
    }

    private func run(_ fixture: EndToEndFixture, _ arguments: [String], in folder: String? = nil) async throws
        -> RunningProgram.End
    {
        let end = try await fixture.gitspace(
            arguments, in: folder, environment: ["GITSPACE_TRACE": arguments.first == "status" ? "0" : "1"])
        expectClean(end.output, "\(arguments)")
        expectClean(end.errors, "\(arguments)")
        return end
    }

    @Test("escapes a stored name in every verb")
    func storedName() async throws {
        let fixture = try await EndToEndFixture()
        for name in ["m\(Self.piece)", "n\(Self.piece)\"\\"] { try await fixture.signedIn(name) }
        let shown = #"m\xc2\x9b2J\xe2\x80\xae"#
        for verb in ["login", "status", "logout", "refresh"] {
            let end = try await run(fixture, [verb, fixture.host])
            if verb != "refresh" { #expect((end.output + end.errors).contains(shown), "\(verb): \(end)") }
        }
        for arguments in [
            ["login", "m\(Self.piece)@\(fixture.host)"], ["login", fixture.host, "--username", "m\(Self.piece)"],
            ["check", fixture.address("acme/private")], ["doctor"], ["status"], ["login", fixture.host, Self.piece],
            ["check", "https://m\(Self.piece)@\(fixture.host)/acme/private"],
        ] { _ = try await run(fixture, arguments) }
        for verb in ["status", "doctor"] {
            let json = try await run(fixture, [verb, "--json"])
            #expect(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) is [Any], "\(json.output)")
        }
        let all = try await run(fixture, ["logout", fixture.host, "--all"])
        #expect(all.status == 0 && all.output.contains(shown))
    }

    @Test("escapes typed and pasted arguments that the parser repeats")
    func arguments() async throws {
        let fixture = try await EndToEndFixture()
        for verb in ["login", "logout", "refresh", "status", "check", "doctor", "configure", "unconfigure", "setup"] {
            for arguments in [
                ["--x\(Self.piece)"], ["a", "b\(Self.piece)"], ["x\(Self.piece)"], ["-\(Self.piece)"],
                ["--username=\(Self.piece)"], ["--folder", Self.piece], ["x.\(Self.piece).example/a/b"],
            ] { _ = try await run(fixture, [verb] + arguments) }
        }
        for arguments in [[Self.piece], ["help", Self.piece], ["--version", Self.piece], ["--\(Self.piece)"]] {
            _ = try await run(fixture, arguments)
        }
        // Bytes that are not UTF-8, and an escape sequence as a shell passes it on.
        let end = try await fixture.start([
            "bash", "-c", #"for a in $'\x9b2J' $'\e[2J' $'--\xff\e]0;x\a'; do "$0" login "$a"; "$0" "$a"; done"#,
            BuiltFiles.helper,
        ]).ended()
        expectClean(end.output + end.errors, "bytes")
    }

    @Test("escapes settings and folders")
    func settings() async throws {
        let fixture = try await EndToEndFixture()
        let folder = fixture.session.home + "/f\(Self.piece)\u{1b}[31m"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (key, value) in [
            ("credential.helper", "x\(Self.piece)"), ("credential.helper", "\(folder)/helper"),
            ("credential.https://h\(Self.piece).example.provider", "github\(Self.piece)"),
            ("credential.https://h.example.oauthClientId", "c\(Self.piece)"),
            ("http.proxy", "http://p\(Self.piece).example"), ("http.sslCAInfo", "\(folder)/ca\(Self.piece)"),
            ("credential.gitspaceBrowser", "b\(Self.piece)"),
        ] { #expect(try await fixture.git("config", "--global", "--add", key, value).status == 0) }
        let own = folder + "/gitconfig"
        for arguments in [
            ["doctor"], ["doctor", "--json"], ["status", "h.example"], ["login", "h.example"],
            ["configure", "--dry-run"],
            ["check", "https://h.example/a/b"], ["setup", "h.example", "--client-id", "c"], ["login"],
        ] {
            _ = try await run(fixture, arguments, in: folder)
            let end = try await fixture.gitspace(
                arguments, in: folder,
                environment: ["GIT_CONFIG_GLOBAL": own, "HOME": folder, "GITSPACE_TRACE": folder + "/none/trace"])
            expectClean(end.output + end.errors, "\(arguments) with a home of that name")
        }
    }
}
