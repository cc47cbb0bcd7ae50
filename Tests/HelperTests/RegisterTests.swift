import CredentialCore
import Helper
import Language
import Messages
import Providers
import TestSupport
import Testing
import Verbs

@Suite("The verb register")
struct RegisterTests {
    private let doubles = Doubles()
    private let questions = ScriptedQuestions()
    private let told = Told()
    private let files = InMemoryConfigurationFiles()

    private func verb(
        _ kind: AppKind = .oauthApp, host: String = "github.com", clientID: String? = nil
    ) throws -> Verbs.ExitStatus {
        let (status, reports) = doubles.run(
            Register(
                try Request("protocol=https\nhost=\(host)"), kind, clientID: clientID, questions: questions,
                files: files, with: .forTests(doubles)))
        told.lines += reports.flatMap(\.lines).map(\.english)
        return status
    }

    /// All that was said, as it is read.
    private final class Told {
        var lines: [String] = []
    }

    @Test("it shows the page, asks, tries the client ID and has git remember it")
    func register() throws {
        questions.answers = ["Ov23liMine"]
        questions.hasBrowser = true
        doubles.transport.answer(GitHubAnswers.device)
        #expect(try verb() == .done)
        let page = try #require(questions.opened.first)
        #expect(page.hasPrefix("https://github.com/settings/applications/new?oauth_application%5Bname%5D="))
        #expect(told.lines.contains("  \(page)"))
        #expect(told.lines.contains { $0.contains("Enable Device Flow") })
        #expect(told.lines.contains("The page is opening in your browser."))
        #expect(doubles.transport.requests.map { $0["client_id"] } == ["Ov23liMine"])
        #expect(files.texts[.global] == "[credential \"https://github.com\"]\n\toauthClientId = Ov23liMine\n")
        #expect(doubles.errors.isEmpty)
    }

    @Test("a GitHub App has a page of its own, and permissions")
    func gitHubApp() throws {
        #expect(try verb(.gitHubApp, host: "gist.github.com") == .cancelled)
        let page = try #require(questions.opened.first)
        #expect(
            page == "https://github.com/settings/apps/new?url=https://github.com&public=false&webhook_active=false"
                + "&contents=write&workflows=write")
        #expect(told.lines.last == "Cancelled. Nothing was changed.")
    }

    @Test("a client ID that does not work can be corrected, and tried again once the app is")
    func corrected() throws {
        questions.answers = ["", "wrong", "off", ""]
        doubles.transport.answer(.json("{\"error\":\"Not Found\"}", status: 404))
        doubles.transport.answer(GitHubAnswers.error("device_flow_disabled", "Device Flow must be enabled."))
        doubles.transport.answer(GitHubAnswers.device)
        #expect(try verb() == .done)
        #expect(
            doubles.errors == [
                .malformedClientID,
                .registration(.unknownClient, host: "github.com", clientID: "wrong", form: .gitHubOAuthApp),
                .registration(.deviceFlowDisabled, host: "github.com", clientID: "off", form: .gitHubOAuthApp),
            ])
        #expect(questions.asked.last == "Client ID (Enter tries off again): ")
        #expect(files.texts[.global]?.contains("oauthClientId = off") == true)
    }

    @Test("not for ever")
    func attempts() throws {
        questions.answers = Array(repeating: "a b", count: 9)
        #expect(try verb() == .failed)
        #expect(questions.asked.count == 5 && doubles.errors.count == 5)
    }

    @Test("without a network there is no use in asking again, and nothing is remembered")
    func offline() throws {
        questions.answers = ["one", "two"]
        doubles.transport.fail(.unreachable)
        #expect(try verb() == .failed)
        #expect(questions.asked.count == 1 && files.texts.isEmpty)
        #expect(
            doubles.errors == [
                .registration(.transport(.unreachable), host: "github.com", clientID: "one", form: .gitHubOAuthApp)
            ])
    }

    @Test("named beforehand, the client ID is tried and nothing is asked")
    func named() throws {
        doubles.transport.answer(GitHubAnswers.device)
        #expect(try verb(clientID: "Ov23liMine") == .done)
        #expect(questions.asked.isEmpty && questions.opened.isEmpty)
        doubles.transport.answer(.json("{\"error\":\"Not Found\"}", status: 404))
        #expect(try verb(clientID: "other") == .failed)
        #expect(
            doubles.errors == [
                .registration(.unknownClient, host: "github.com", clientID: "other", form: .gitHubOAuthApp)
            ])
    }

    @Test("where nobody can answer, the page is shown and one line says what to run")
    func nobody() throws {
        questions.canAsk = false
        #expect(try verb() == .failed)
        doubles.environment["CI"] = "true"
        questions.canAsk = true
        #expect(try verb() == .failed)
        #expect(
            doubles.errors == [
                .nobodyToAsk(host: "github.com", because: nil), .nobodyToAsk(host: "github.com", because: "CI"),
            ])
        #expect(questions.opened.isEmpty && told.lines.contains { $0.contains("/settings/applications/new") })
    }

    @Test("a host that nobody has named a provider for is none to register on")
    func unknownHost() throws {
        #expect(try verb(host: "ghe.example") == .failed)
        #expect(doubles.errors == [.notForSignIn(host: "ghe.example")])
        doubles.configure("credential", "https://ghe.example", "provider", "github")
        doubles.transport.answer(
            .json(
                """
                {"device_code":"d","user_code":"WDJB-MJHT","verification_uri":"https://ghe.example/login/device",\
                "expires_in":900,"interval":5}
                """))
        #expect(try verb(host: "ghe.example", clientID: "Iv1.x") == .done)
        #expect(files.texts[.global] == "[credential \"https://ghe.example\"]\n\toauthClientId = Iv1.x\n")
    }

    @Test("a client ID that works and cannot be written down is told with the command that does")
    func notKept() throws {
        files.fault = .locked("/global.lock")
        doubles.transport.answer(GitHubAnswers.device)
        #expect(try verb(clientID: "x") == .failed)
        #expect(
            doubles.errors == [
                .clientIDNotKept(
                    .locked("/global.lock"), key: "credential.https://github.com.oauthClientId", clientID: "x")
            ])
    }
}
