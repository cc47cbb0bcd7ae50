import Staging
import StandIn
import Testing

/// A client ID of one's own, tried at the stand-in for GitHub.
@Suite("Registering an app")
struct RegisterTests {
    private func clientID(on fixture: EndToEndFixture) async throws -> String {
        try await fixture.git("config", "--global", "credential.https://\(fixture.host).oauthClientId").output
    }

    private func start(on fixture: EndToEndFixture, _ terminal: PseudoTerminal, _ arguments: String...) throws
        -> RunningProgram
    {
        try fixture.start(
            [BuiltFiles.helper, "register", fixture.host] + arguments, terminal: .standardError(terminal))
    }

    @Test("a person is led to the page, corrects the client ID, and can sign in with it")
    func leads() async throws {
        let fixture = try await EndToEndFixture(app: .oauthApp(clientID: "Ov23liOld", interval: 1))
        fixture.github.register(.oauthApp(clientID: "Ov23liMine", interval: 1))
        var off = App.oauthApp(clientID: "Ov23liOff")
        off.allowsDeviceFlow = false
        fixture.github.register(off)
        let terminal = try PseudoTerminal()
        let running = try start(on: fixture, terminal)
        try await terminal.shows("Client ID: ")
        #expect(running.outputText.contains("  https://\(fixture.host)/settings/applications/new?oauth_application%5B"))
        terminal.type("Ov23liWrong\n")
        try await terminal.shows("gitspace: error: \(fixture.host) does not recognize the client ID Ov23liWrong")
        try await terminal.shows("(Enter tries Ov23liWrong again): ")
        terminal.type("  Ov23liOff \n")
        try await terminal.shows("gitspace: error: the device flow is not enabled for this app")
        try await terminal.shows("(Enter tries Ov23liOff again): ")
        terminal.type("Ov23liMine\n")
        let end = try await running.ended()
        #expect(end.status == 0 && end.output.hasSuffix("  git credential-gitspace setup \(fixture.host)\n"))
        #expect(try await clientID(on: fixture) == "Ov23liMine\n")
        try await fixture.signIn()
        #expect(try await fixture.session.items().first?["gitspace_client_id"] == "Ov23liMine")
    }

    @Test("Ctrl-C ends it with status 130, and nothing has changed", arguments: ["\u{3}", "\u{4}"])
    func cancelled(key: String) async throws {
        let fixture = try await EndToEndFixture()
        let terminal = try PseudoTerminal()
        let running = try start(on: fixture, terminal, "--github-app")
        try await terminal.shows("Client ID: ")
        terminal.type(key)
        let end = try await running.ended()
        #expect(end.status == 130 && end.output.hasSuffix("Cancelled. Nothing was changed.\n"), "\(end.output)")
        #expect(try await clientID(on: fixture) == fixture.app.clientID + "\n")
    }

    @Test("without a terminal it takes the client ID from the command line, or says so")
    func noTerminal() async throws {
        let fixture = try await EndToEndFixture()
        fixture.github.register(.oauthApp(clientID: "Ov23liMine"))
        let program = [BuiltFiles.helper, "register", fixture.host]
        let silent = try await fixture.start(program).ended()
        #expect(silent.status == 1 && silent.output.contains("/settings/applications/new?"))
        #expect(silent.errors.hasSuffix("hint:   git credential-gitspace register \(fixture.host) --client-id ID\n"))
        #expect(try await clientID(on: fixture) == fixture.app.clientID + "\n")
        #expect(try await fixture.start(program + ["--client-id", "Ov23liMine"]).ended().status == 0)
        #expect(try await clientID(on: fixture) == "Ov23liMine\n")
    }
}
