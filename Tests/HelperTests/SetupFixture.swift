import CredentialCore
import Helper
import Language
import Messages
import Providers
import TestSupport
import Verbs

/// The verb setup among doubles, with a person who cancels unless a test has them answer.
final class SetupFixture {
    let helper = HelperFixture()
    let questions = ScriptedQuestions()
    let files = InMemoryConfigurationFiles()
    let foreignKeyring = InMemoryForeignKeyring()
    let foreignFiles = InMemoryForeignFiles()
    let machine: ScriptedInspections
    /// Whether Ctrl-C was pressed.
    var isInterrupted = false
    /// All that was said, as it is read.
    private(set) var lines: [String] = []
    /// What of it stands above the first code.
    private(set) var linesBeforeCode: [String] = []
    private var ownSettings: [ConfigurationEntry]?

    var doubles: Doubles { helper.doubles }

    init() {
        machine = ScriptedInspections(helper.doubles)
        machine.gitVersion = { [files] in files.version }
    }

    /// Forgets what was said.
    func forget() { lines = [] }

    /// Runs it; what is written to git's configuration is read from it by the next step.
    func run(_ options: Setup.Options = .init(), host: String = "github.com") throws -> Verbs.ExitStatus {
        let settings = ownSettings ?? doubles.configuration
        ownSettings = settings
        let outside = Setup.Outside(
            questions: questions, files: files, foreignKeyring: foreignKeyring, foreignFiles: foreignFiles,
            inspections: { self.machine.inspections },
            dependencies: {
                self.doubles.configuration = settings + ((try? self.files.entries()) ?? []).map(\.entry)
                return .forTests(self.doubles)
            }, isInterrupted: { self.isInterrupted })
        let setup = Setup(try Request("protocol=https\nhost=\(host)"), options, with: outside)
        return doubles.run(setup) { report in
            self.lines += report.lines.map(\.english)
            if self.doubles.ui.prompts.isEmpty { self.linesBeforeCode = self.lines }
        }.status
    }

    /// A sign-in of gh, as mona.
    func gh(_ token: String) {
        foreignKeyring.put(token, ("service", "gh:github.com"), ("username", "mona"))
    }

    /// A sign-in of Git Credential Manager.
    func gcm(_ token: String, user: String) {
        foreignKeyring.put(
            token, ("xdg:schema", "com.microsoft.GitCredentialManager"), ("service", "git:https://github.com"),
            ("account", user))
    }

    /// Lets the host sign octocat in.
    func signInAnswers() {
        doubles.transport.answer(GitHubAnswers.device)
        doubles.transport.answer(GitHubAnswers.oauthAppToken)
        doubles.transport.answer(GitHubAnswers.user("octocat"))
    }

    /// Lets the host answer the doctor.
    func doctorAnswers(_ accounts: HTTPResponse...) {
        for _ in 0..<2 {
            doubles.transport.answer(.json("{}", status: 404, headers: [("date", "Tue, 14 Nov 2023 22:13:20 GMT")]))
        }
        accounts.forEach(doubles.transport.answer)
    }
}
