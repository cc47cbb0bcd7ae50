import TestSupport
import Testing

@Suite("Commands in hints to sign in")
struct SignInHintTests: HelperSuite {
    private let examination = Examination()
    var helper: HelperFixture { examination.helper }
    private static let again = "  git credential-gitspace login github.com bob"
    private func commands(_ hints: [String]) -> [String] { hints.filter { $0.hasPrefix("  ") } }
    private func doctor() -> [String] { examination.diagnoses(.account).flatMap { commands($0.hints) } }

    private func refresh() throws -> [String] {
        let before = doubles.errors.count
        _ = try verb.run("refresh", "github.com", "bob")
        return doubles.errors.dropFirst(before).flatMap(\.hints).map(\.english)
    }

    private func check() throws -> [String] { commands(try verb.check("https://bob@github.com/acme/widgets").hints) }
    private func status() throws -> String { try verb.run("status", "github.com").text.joined(separator: "\n") }

    // MARK: Which account

    @Test("doctor names each account that has to sign in again")
    func doctorNames() {
        for user in ["monalisa", "zoe", "bob"] { helper.brought("gho_\(user)", user: user) }
        helper.stored(expiresIn: -10, refreshToken: nil, user: "eve")
        examination.answer(
            accounts: GitHubAnswers.badCredentials, GitHubAnswers.badCredentials, GitHubAnswers.badCredentials)
        let logins = ["monalisa", "zoe", "bob", "eve"].map { "  git credential-gitspace login github.com \($0)" }
        #expect(Set(doctor()) == Set(logins))
    }

    @Test("suggests no account that only stands for an unknown one")
    func unknownName() {
        helper.stored(expiresIn: -10, refreshToken: nil, user: "x-access-token")
        examination.answer()
        #expect(doctor() == ["  git credential-gitspace login github.com --force"])
    }

    @Test("check names the account whose token it used, and refresh one that it cannot refresh or the host rejected")
    func checkNames() throws {
        helper.stored(expiresIn: 3_600, refreshToken: nil, user: "bob")
        #expect(try refresh() == ["sign in again:", Self.again + " --force"])
        helper.stored(expiresIn: -10, user: "bob")
        respond(.json("{\"error\":\"invalid_grant\"}", status: 400))
        #expect(try refresh().last == Self.again)
        helper.stored(expiresIn: -10, refreshToken: nil, user: "bob")
        #expect(try check() == [Self.again])
        helper.stored(expiresIn: 3_600, refreshToken: nil, user: "bob")
        respond(GitHubAnswers.badCredentials)
        #expect(try check() == [Self.again])
    }

    @Test("names the account that git asked for as not signed in")
    func asked() throws {
        helper.stored(expiresIn: nil, user: "monalisa")
        doubles.environment["CI"] = "1"
        _ = try get(as: "alice")
        let error = try #require(doubles.errors.last)
        #expect(error.text.english == "not signed in to github.com as alice, and sign-in is off because CI is set")
        #expect(error.hints.last?.english == "  git credential-gitspace login github.com alice --with-token <token.txt")
        doubles.environment["CI"] = nil
        doubles.ui.canBeReached = false
        _ = try get(as: "alice")
        let away = "not signed in to github.com as alice, and there is no terminal or desktop to sign in from"
        #expect(sentences.last == away)
        #expect(hints.last == "  git credential-gitspace login github.com alice")
    }

    // MARK: Without a client ID

    @Test("suggests --with-token for a rejected or expired token without a client ID, and for one that does not expire")
    func byToken() throws {
        doubles.builtInClientID = nil
        helper.brought("ghp_mine", user: "bob")
        #expect(try refresh() == ["it does not expire; to replace it, sign in again:", Self.again + " --with-token"])
        let command = Self.again + " --with-token"
        helper.brought("ghp_dead", user: "bob")
        respond(GitHubAnswers.badCredentials)
        #expect(try check() == [command])
        respond(GitHubAnswers.badCredentials)
        let status = try status()
        #expect(status.contains("To sign in again: \(command.dropFirst(2))\n"), "\(status)")
        examination.answer(accounts: GitHubAnswers.badCredentials)
        #expect(doctor() == [command])
        helper.brought("ghp_dead", expiresIn: -10, user: "bob")
        #expect(try check() == [command] && refresh().last == command)
        examination.answer()
        #expect(doctor() == [command])
    }

    @Test("login suggests --with-token for another account without a client ID")
    func anotherByToken() throws {
        doubles.builtInClientID = nil
        helper.brought("ghp_mine", user: "bob")
        respond(GitHubAnswers.user("bob"))
        #expect(try verb.run("login").text.contains("  git credential-gitspace login github.com NAME --with-token"))
    }

    @Test("doctor does not report a missing client ID if the host accepts a stored token")
    func noClientNeeded() {
        doubles.builtInClientID = nil
        #expect(examination.found(.clientID).results == [.fail])
        helper.brought("ghp_mine", user: "bob")
        let found = examination.found(.clientID, accounts: GitHubAnswers.user("bob"))
        #expect(found.results == [.ok] && found.allSatisfy { $0.hints.isEmpty })
        #expect(found.texts == ["no OAuth client ID is needed for github.com: you sign in there with a token"])
    }

    // MARK: Wrong account

    @Test("login as another account suggests that account, and does not mention git")
    func wrongAccount() throws {
        approveAsBob()
        #expect(try verb.run("login", "github.com", "carol").status == .failed)
        #expect(sentences == ["signed in as bob, not as carol; nothing was stored"])
        let words = "sign in to github.com as carol in the browser, then try again:"
        #expect(hints == [words, "  git credential-gitspace login github.com carol"])
    }

    @Test(
        "suggests the account in git's address, with the repository if git named it, and a clone without a remote",
        arguments: [false, true],
        [
            ("\npath=acme/private.git", "acme/private.git"), ("", "OWNER/REPOSITORY"),
            ("\npath=a;id", "OWNER/REPOSITORY"),
        ])
    func wrongAccountForGit(isClone: Bool, request: (line: String, repository: String)) throws {
        if isClone { doubles.askingRepository = AskingRepository(.clone) }
        approveAsBob()
        _ = try get(as: "alice\(request.line)")
        let (what, command) = isClone ? ("the URL", "clone") : ("the remote's URL", "remote set-url origin")
        let words = "sign in to github.com as alice in the browser first, or put the account in \(what):"
        #expect(hints == [words, "  git \(command) https://bob@github.com/\(request.repository)"])
    }

    private func approveAsBob() {
        helper.approve(as: "bob")
        // The answer to the revocation of the token.
        respond(.json("{}", status: 202))
    }

    // MARK: A setting that prevents it

    @Test(
        "switches off the setting that prevents a sign-in in the command to paste",
        arguments: [
            ("GCM_INTERACTIVE", "env -u GCM_INTERACTIVE git credential-gitspace"),
            ("VSCODE_GIT_FETCH_SILENT", "env -u VSCODE_GIT_FETCH_SILENT git credential-gitspace"),
            ("GIT_TERMINAL_PROMPT=0", "env -u GIT_TERMINAL_PROMPT git credential-gitspace"),
            ("credential.interactive=false", "git -c credential.interactive=true credential-gitspace"),
            // The setting forbids sign-ins to git only.
            ("gitspaceFlow=none", "git credential-gitspace"),
        ] as [(DisplayText, String)])
    func setting(setting: DisplayText, command: String) {
        let hints = UserFacingError.nobodyHere(host: "github.com", because: setting).hints.map(\.english)
        #expect(hints.last == "  \(command) login github.com")
        #expect(setting == "gitspaceFlow=none" || hints.first == "sign in from a terminal, without \(setting):")
        let setup = UserFacingError.setupNeedsPerson(host: "github.com", because: setting)
        #expect(setup.hints.last?.english == "  \(command) setup github.com")
    }

    // MARK: From nothing

    @Test("suggests setup if nothing is configured")
    func fromNothing() throws {
        #expect(try status() == "Not signed in to github.com. To sign in:\n  git credential-gitspace setup github.com")
        let lines = ["Not signed in to any host. To sign in:", "  git credential-gitspace setup"]
        #expect(try verb.run("status").text == lines)
        examination.answer()
        #expect(doctor() == ["  git credential-gitspace setup github.com"])
    }
}
