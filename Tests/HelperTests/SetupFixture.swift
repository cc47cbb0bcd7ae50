import TestSupport

/// The verb setup on test doubles, with a person who cancels unless a test gives answers.
final class SetupFixture: HelperSuite {
    let helper = HelperFixture()
    private var ownSettings: [ConfigurationEntry]?
    private var forgotten = 0
    var foreignKeyring: InMemoryForeignKeyring { verb.foreignKeyring }
    var foreignFiles: InMemoryForeignFiles { verb.foreignFiles }
    var machine: ScriptedInspections { verb.machine }

    init() {
        machine.gitVersion = { [files] in files.version }
        verb.willMakeDependencies = { [unowned self] in
            if ownSettings == nil { ownSettings = doubles.configuration }
            doubles.configuration = (ownSettings ?? []) + ((try? files.entries()) ?? []).map(\.entry)
        }
    }

    /// All lines that were printed, as a person reads them.
    var lines: [String] { Array(verb.said.dropFirst(forgotten)) }
    var linesBeforeCode: [String] { verb.saidBeforeCode }

    func forget() { forgotten = verb.said.count }

    /// Runs setup; each step reads what the step before wrote to git's configuration.
    func run(_ options: String..., host: String = "github.com") throws -> Verbs.ExitStatus {
        try run(options, host: host)
    }

    func run(_ options: [String], host: String = "github.com") throws -> Verbs.ExitStatus {
        try verb.run(["setup", host] + options).status
    }

    func gh(_ token: String) { foreignKeyring.put(token, ("service", "gh:github.com"), ("username", "mona")) }

    func gcm(_ token: String, user: String) {
        foreignKeyring.put(
            token, ("xdg:schema", "com.microsoft.GitCredentialManager"), ("service", "git:https://github.com"),
            ("account", user))
    }

    func store(_ lines: String) {
        doubles.environment["HOME"] = "/home/x"
        foreignFiles.texts["/home/x/.git-credentials"] = lines
    }

    /// Queues the host's answers that sign octocat in, and those to the doctor.
    func signsIn() {
        helper.approve()
        doctorAnswers(GitHubAnswers.user("octocat"))
    }

    /// Queues the host's answers that name the owner of a token, and those to the doctor.
    func accepts(tokenOf user: String) {
        respond(GitHubAnswers.user(user))
        doctorAnswers(GitHubAnswers.user(user))
    }

    /// Queues the host's answers to the doctor.
    func doctorAnswers(_ accounts: HTTPResponse...) {
        for _ in 0..<2 { respond(.json("{}", status: 404, headers: [("date", "Tue, 14 Nov 2023 22:13:20 GMT")])) }
        accounts.forEach(doubles.transport.answer)
    }
}
