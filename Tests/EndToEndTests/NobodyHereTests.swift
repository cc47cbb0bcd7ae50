import Staging
import StandIn
import Testing

/// Where nobody can see a code, none is asked for.
@Suite("Nobody is here")
struct NobodyHereTests {
    /// Something that says that nobody is here.
    struct Circumstance {
        /// What is said to forbid asking; nil where there is simply no terminal.
        let setting: String?
        let environment: [String: String]
        /// Whether git has not been told, and would ask for a name at a terminal.
        var bindsUsAlone = false

        /// A setting of git's configuration, as `git -c` hands it on.
        static func configured(_ value: String) -> Circumstance {
            Circumstance(
                setting: "credential.interactive=false",
                environment: [
                    "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "credential.interactive", "GIT_CONFIG_VALUE_0": value,
                ])
        }

        /// A variable.
        static func variable(_ name: String, _ value: String, said: String? = nil) -> Circumstance {
            Circumstance(
                setting: said ?? name, environment: [name: value], bindsUsAlone: name != "GIT_TERMINAL_PROMPT")
        }

        static let all = [
            Circumstance(setting: nil, environment: [:]),
            .variable("GIT_TERMINAL_PROMPT", "0", said: "GIT_TERMINAL_PROMPT=0"),
            .configured("false"), .configured("never"),
            .variable("GCM_INTERACTIVE", "0"), .variable("GCM_INTERACTIVE", "never"), .variable("CI", "true"),
        ]
    }

    @Test("no code is requested, and one line says why")
    func circumstance() async throws {
        let fixture = try await EndToEndFixture()
        for circumstance in Circumstance.all {
            let terminal = circumstance.setting == nil ? nil : try PseudoTerminal(columns: 200)
            let answer = try await fixture.helper("get", environment: circumstance.environment, on: terminal)
            #expect(answer.output == (circumstance.bindsUsAlone ? "quit=1\n" : ""), "\(circumstance)")
            #expect((terminal?.text ?? answer.errors) == Self.failure(fixture, circumstance))
        }
        #expect(fixture.github.requests.isEmpty)
    }

    @Test("git ends as it always does without a credential", arguments: Git.all)
    func ending(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git)
        for circumstance in Circumstance.all.prefix(2) {
            let end = try await fixture.git("ls-remote", fixture.address(), environment: circumstance.environment)
            let lines = end.errors.split(separator: "\n")
            #expect(end.status == 128, "\(circumstance)")
            #expect(end.errors.hasPrefix(Self.failure(fixture, circumstance)), "\(end.errors)")
            #expect(lines.count == 4 && lines.last?.hasPrefix("fatal: ") == true, "\(end.errors)")
        }
        #expect(fixture.github.count(of: .deviceCode) == 0)
    }

    @Test("a terminal that git's messages do not go to is enough", arguments: Git.all)
    func onlyControllingTerminal(git: Git) async throws {
        let fixture = try await EndToEndFixture(git: git)
        let terminal = try PseudoTerminal()
        let running = try fixture.startGit(["ls-remote", fixture.address()], terminal: .onlyControlling(terminal))
        try await BrowserUser(login: "monalisa", on: fixture).answer(on: terminal)
        let end = try await running.ended()
        #expect(end.status == 0 && end.errors.isEmpty, "\(end.errors)")
    }

    private static func failure(_ fixture: EndToEndFixture, _ circumstance: Circumstance) -> String {
        let reason =
            circumstance.setting.map { "sign-in is off because \($0) is set" }
            ?? "there is no terminal or desktop to sign in from"
        let condition = circumstance.setting.map { ", without \($0)" } ?? ""
        let command =
            switch circumstance.setting {
            case nil: "git credential-gitspace"
            case "credential.interactive=false"?: "git -c credential.interactive=true credential-gitspace"
            case let setting?: "env -u \(setting.prefix { $0 != "=" }) git credential-gitspace"
            }
        guard circumstance.setting != "CI" else {
            return """
                gitspace: error: not signed in to \(fixture.host), and \(reason)
                hint: in CI, use a GitHub App (on GitHub) or a token; see "CI and servers" in "man gitspace-config":
                hint:   git credential-gitspace login \(fixture.host) --with-token <token.txt

                """
        }
        return """
            gitspace: error: not signed in to \(fixture.host), and \(reason)
            hint: sign in from a terminal\(condition):
            hint:   \(command) login \(fixture.host)

            """
    }
}
