import Staging
import StandIn
import Testing

/// A client ID of one's own, tried at the stand-in for GitHub.
@Suite("Registering an app")
struct RegisterTests {
    private func clientID(on stage: Stage) async throws -> String {
        try await stage.git("config", "--global", "credential.https://\(stage.host).oauthClientId").output
    }

    private func start(on stage: Stage, _ terminal: PseudoTerminal, _ arguments: String...) throws -> RunningProgram {
        try stage.start(
            [BuiltFiles.helper, "register", stage.host] + arguments, terminal: .standardError(terminal))
    }

    @Test("a person is led to the page, corrects the client ID, and can sign in with it")
    func leads() async throws {
        let stage = try await Stage(app: .oauthApp(clientID: "Ov23liOld", interval: 1))
        stage.github.register(.oauthApp(clientID: "Ov23liMine", interval: 1))
        var off = App.oauthApp(clientID: "Ov23liOff")
        off.allowsDeviceFlow = false
        stage.github.register(off)
        let terminal = try PseudoTerminal()
        let running = try start(on: stage, terminal)
        try await terminal.shows("Client ID: ")
        #expect(running.outputText.contains("  https://\(stage.host)/settings/applications/new?oauth_application%5B"))
        terminal.type("Ov23liWrong\n")
        try await terminal.shows("gitspace: error: \(stage.host) does not know the app Ov23liWrong")
        try await terminal.shows("(Enter tries Ov23liWrong again): ")
        terminal.type("  Ov23liOff \n")
        try await terminal.shows("gitspace: error: this app may not use the device flow")
        try await terminal.shows("(Enter tries Ov23liOff again): ")
        terminal.type("Ov23liMine\n")
        let end = try await running.ended()
        #expect(end.status == 0 && end.output.hasSuffix("  git credential-gitspace login \(stage.host)\n"))
        #expect(try await clientID(on: stage) == "Ov23liMine\n")
        try await stage.signIn()
        #expect(try await stage.session.items().first?["gitspace_client_id"] == "Ov23liMine")
    }

    @Test("Ctrl-C ends it with status 130, and nothing has changed", arguments: ["\u{3}", "\u{4}"])
    func cancelled(key: String) async throws {
        let stage = try await Stage()
        let terminal = try PseudoTerminal()
        let running = try start(on: stage, terminal, "--github-app")
        try await terminal.shows("Client ID: ")
        terminal.type(key)
        let end = try await running.ended()
        #expect(end.status == 130 && end.output.hasSuffix("Cancelled. Nothing was changed.\n"), "\(end.output)")
        #expect(try await clientID(on: stage) == stage.app.clientID + "\n")
    }

    @Test("without a terminal it takes the client ID from the command line, or says so")
    func noTerminal() async throws {
        let stage = try await Stage()
        stage.github.register(.oauthApp(clientID: "Ov23liMine"))
        let program = [BuiltFiles.helper, "register", stage.host]
        let silent = try await stage.start(program).ended()
        #expect(silent.status == 1 && silent.output.contains("/settings/applications/new?"))
        #expect(silent.errors.hasSuffix("hint:   git credential-gitspace register \(stage.host) --client-id ID\n"))
        let wrong = try await stage.start(program + ["--client-id", "nope"]).ended()
        #expect(wrong.status == 1 && wrong.errors.contains("does not know the app nope"), "\(wrong.errors)")
        let noProxy = [
            "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "http.proxy", "GIT_CONFIG_VALUE_0": "http://127.0.0.1:1",
        ]
        let offline = try await stage.start(program + ["--client-id", "Ov23liMine"], environment: noProxy).ended()
        #expect(offline.status == 1 && offline.errors.contains("cannot reach \(stage.host)"), "\(offline.errors)")
        #expect(try await clientID(on: stage) == stage.app.clientID + "\n")
        #expect(try await stage.start(program + ["--client-id", "Ov23liMine"]).ended().status == 0)
        #expect(try await clientID(on: stage) == "Ov23liMine\n")
    }
}
