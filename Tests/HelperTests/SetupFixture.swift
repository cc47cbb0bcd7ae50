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
    let verb: VerbFixture
    private var ownSettings: [ConfigurationEntry]?
    private var forgotten = 0

    var doubles: Doubles { helper.doubles }
    var questions: ScriptedQuestions { verb.questions }
    var files: InMemoryConfigurationFiles { verb.files }
    var foreignKeyring: InMemoryForeignKeyring { verb.foreignKeyring }
    var foreignFiles: InMemoryForeignFiles { verb.foreignFiles }
    var machine: ScriptedInspections { verb.machine }

    init() {
        verb = VerbFixture(helper.doubles)
        machine.gitVersion = { [verb] in verb.files.version }
        verb.willMakeDependencies = { [unowned self] in
            if ownSettings == nil { ownSettings = doubles.configuration }
            doubles.configuration = (ownSettings ?? []) + ((try? files.entries()) ?? []).map(\.entry)
        }
    }

    /// All that was said, as it is read.
    var lines: [String] { Array(verb.said.dropFirst(forgotten)) }
    /// What of it stands above the first code.
    var linesBeforeCode: [String] { verb.saidBeforeCode }

    /// Forgets what was said.
    func forget() { forgotten = verb.said.count }

    /// Runs it; what is written to git's configuration is read from it by the next step.
    func run(_ options: String..., host: String = "github.com") throws -> Verbs.ExitStatus {
        try run(options, host: host)
    }

    func run(_ options: [String], host: String = "github.com") throws -> Verbs.ExitStatus {
        try verb.run(["setup", host] + options).status
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

    /// Lines of git-credential-store.
    func store(_ lines: String) {
        doubles.environment["HOME"] = "/home/x"
        foreignFiles.texts["/home/x/.git-credentials"] = lines
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
