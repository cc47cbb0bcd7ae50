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
            Circumstance(setting: said ?? name, environment: [name: value])
        }

        static let all = [
            Circumstance(setting: nil, environment: [:]),
            .variable("GIT_TERMINAL_PROMPT", "0", said: "GIT_TERMINAL_PROMPT=0"),
            .configured("false"), .configured("never"),
            .variable("GCM_INTERACTIVE", "0"), .variable("GCM_INTERACTIVE", "never"), .variable("CI", "true"),
        ]
    }

    @Test("no code is requested, one line says why, and the answer comes at once")
    func circumstance() async throws {
        let stage = try await Stage()
        for circumstance in Circumstance.all {
            var quickest = Duration.seconds(60)
            // The other tests keep the machine busy: what counts is how fast it can be.
            for _ in 1...5 where quickest >= .seconds(1) {
                let terminal = circumstance.setting == nil ? nil : try PseudoTerminal()
                let answer = try await stage.helper("get", environment: circumstance.environment, on: terminal)
                #expect(answer.output.isEmpty)
                #expect((terminal?.text ?? answer.errors) == Self.complaint(stage, circumstance))
                quickest = min(quickest, answer.duration)
            }
            #expect(quickest < .seconds(1), "\(circumstance)")
        }
        #expect(stage.github.requests.isEmpty)
    }

    @Test("git ends as it always does without a credential", arguments: Git.all)
    func ending(git: Git) async throws {
        let stage = try await Stage(git: git)
        for circumstance in Circumstance.all {
            let end = try await stage.git("ls-remote", stage.address(), environment: circumstance.environment)
            let lines = end.errors.split(separator: "\n")
            #expect(end.status == 128, "\(circumstance)")
            #expect(end.errors.hasPrefix(Self.complaint(stage, circumstance)), "\(end.errors)")
            #expect(lines.count == 4 && lines.last?.hasPrefix("fatal: ") == true, "\(end.errors)")
        }
        #expect(stage.github.count(of: .deviceCode) == 0)
    }

    @Test("a stored token and a silent refresh need nobody")
    func refresh() async throws {
        let stage = try await Stage(app: .gitHubApp(interval: 1))
        for (number, circumstance) in Circumstance.all.enumerated() {
            let token = stage.github.issueToken(for: "monalisa", app: stage.app)
            stage.github.expireAccessTokens()
            try await stage.remember(token, expiringIn: -10)
            for _ in 1...2 {
                let answer = try await stage.helper("get", environment: circumstance.environment)
                #expect(answer.output.contains("username=monalisa\n") && answer.errors.isEmpty, "\(answer.errors)")
            }
            #expect(stage.github.requests.map(\.endpoint) == Array(repeating: .refresh, count: number + 1))
        }
    }

    @Test("a terminal that git's messages do not go to is enough", arguments: Git.all)
    func onlyControllingTerminal(git: Git) async throws {
        let stage = try await Stage(git: git)
        let terminal = try PseudoTerminal()
        let running = try stage.startGit(["ls-remote", stage.address()], terminal: .onlyControlling(terminal))
        try await Person(login: "monalisa", stage: stage).answer(on: terminal)
        let end = try await running.ended()
        #expect(end.status == 0 && end.errors.isEmpty, "\(end.errors)")
    }

    private static func complaint(_ stage: Stage, _ circumstance: Circumstance) -> String {
        let reason = circumstance.setting.map { "\($0) forbids asking" } ?? "nobody is here to sign in"
        let condition = circumstance.setting.map { ", without \($0)" } ?? ""
        return """
            gitspace: error: not signed in to \(stage.host), and \(reason)
            hint: sign in once in a terminal\(condition):
            hint:   git credential-gitspace login \(stage.host)

            """
    }
}
