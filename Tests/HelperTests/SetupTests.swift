import TestSupport
import Testing

@Suite("The verb setup")
struct SetupTests: HelperSuite {
    private let setup = SetupFixture()
    var helper: HelperFixture { setup.helper }

    @Test("asks only for the approval with a built-in client ID, and a second run finds everything done")
    func builtIn() throws {
        files.version = "git version 2.39.5\n"
        setup.signsIn()
        #expect(try setup.run() == .done && questions.asked.isEmpty && prompts.count == 1)
        let uses = "git now uses gitspace for github.com, gist.github.com (/global)."
        #expect(setup.lines == [uses, "Ready. Try:", "  git clone https://github.com/OWNER/REPO"])
        #expect(notices == [.signedIn(account: "octocat", storage: .keyring)])
        setup.forget()
        setup.accepts(tokenOf: "octocat")
        #expect(try setup.run() == .done)
        let already = "Already signed in to github.com as octocat."
        #expect(setup.lines.prefix(2) == [already, "git already uses gitspace for github.com, gist.github.com."])
        #expect(questions.asked.isEmpty && prompts.count == 1 && files.writes == 1)
    }

    @Test(
        "offers a sign-in of gh that the host accepts, and takes it over after Enter", arguments: ["", "y", "\u{c608}"])
    func takeOver(answer: String) throws {
        doubles.builtInClientID = nil
        setup.gh("gho_gh")
        questions.answers = [answer]
        setup.accepts(tokenOf: "mona")
        // The missing client ID does not matter to them.
        #expect(try setup.run() == .done && !setup.lines.contains { $0.hasPrefix("[") })
        #expect(questions.asked.first == "gh is signed in to github.com as mona. Use this account for git, too? [Y/n] ")
        #expect(setup.lines.contains("✓ Signed in as mona. Saved in the keyring."))
        let stored = try #require(credential(of: "mona"))
        #expect(stored.password.text == "gho_gh" && stored.grant?.clientID == nil && stored.grant != nil)
        #expect(prompts.isEmpty && questions.opened.isEmpty)
    }

    @Test("offers the next tool's sign-in after each refusal, and then signs in")
    func declined() throws {
        setup.gh("gho_gh")
        setup.gcm("gho_gcm", user: "hubot")
        questions.answers = ["no", "what", "아니요"]
        respond(GitHubAnswers.user("mona"), GitHubAnswers.user("hubot"))
        setup.signsIn()
        #expect(try setup.run() == .done)
        #expect(questions.asked.count == 3 && questions.asked[1].hasPrefix("Git Credential Manager is signed in to "))
        #expect(credential(of: "mona") == nil && credential() != nil)
    }

    @Test("skips another tool's rejected token with a line, and a token of another than the configured account")
    func notTaken() throws {
        setup.gh("gho_dead")
        setup.gcm("gho_hubot", user: "hubot")
        doubles.configure("credential", "https://github.com", "username", "octocat")
        respond(GitHubAnswers.badCredentials, GitHubAnswers.user("hubot"))
        setup.signsIn()
        #expect(try setup.run() == .done)
        #expect(setup.lines.contains("Skipped a token of gh, because github.com rejected it."))
        #expect(questions.asked.isEmpty)
    }

    @Test("leaves another tool's token of another account, and reports that without a name before the sign-in")
    func foreignOfAnother() throws {
        setup.gh("gho_planted")
        respond(GitHubAnswers.user("mallory"))
        setup.signsIn()
        questions.answers = ["n"]
        #expect(try setup.run() == .done)
        let line = "Skipped a token of gh, because it belongs to another account."
        #expect(setup.lines.contains(line) && prompts.count == 1)
        #expect(setup.linesBeforeCode.contains(line) && !setup.lines.contains { $0.contains("mallory") })
        #expect(credential(of: "mona") == nil)
    }

    @Test("fails and names the command if git's configuration names another account than the new one")
    func otherConfigured() throws {
        doubles.configure("credential", "https://github.com", "username", "mona")
        setup.signsIn()
        #expect(try setup.run(["octocat"]) == .failed)
        #expect(setup.lines.contains("[WARN] git's configuration names mona for github.com, but octocat is signed in"))
        #expect(setup.lines.last == "         git credential-gitspace switch github.com octocat", "\(setup.lines)")
    }

    @Test("does not print that it is ready if the final check cannot reach the host")
    func notReached() throws {
        helper.approve()
        doubles.transport.fail(.unreachable)
        #expect(try setup.run() == .failed)
        #expect(setup.lines.contains { $0.hasPrefix("[FAIL] cannot reach") } && !setup.lines.contains("Ready. Try:"))
    }

    @Test("signs in if the stored token belongs to another account")
    func storedOfAnother() throws {
        helper.brought("ghp_planted")
        // Both setup and login ask whose token it is.
        for _ in 1...2 { respond(GitHubAnswers.user("mallory")) }
        setup.signsIn()
        questions.answers = ["n"]
        #expect(try setup.run() == .done)
        #expect(setup.lines.contains("The stored token belongs to another account."))
        #expect(!setup.linesBeforeCode.contains { $0.contains("mallory") || $0.contains("octocat") })
        #expect(password()?.hasPrefix("gho_") == true)
    }

    @Test("takes a pasted token instead, asks again if the host refuses it, and registers nothing")
    func pasted() throws {
        doubles.builtInClientID = nil
        questions.answers = ["3", "ghp_wrong", "ghp_mine"]
        respond(.json("{}", status: 401), GitHubAnswers.user("mona"))
        setup.doctorAnswers(GitHubAnswers.user("mona"))
        _ = try setup.run()
        // The page for the narrower token comes first, and opens.
        let pages = [
            "https://github.com/settings/personal-access-tokens/new?name=git&contents=write&workflows=write",
            "https://github.com/settings/tokens/new?description=git&scopes=repo,workflow,gist",
        ]
        #expect(setup.lines.filter { $0.hasPrefix("  https://") } == pages.map { "  \($0)" })
        #expect(questions.opened == [pages[0]])
        #expect(doubles.errors == [.tokenRefused(host: "github.com", page: GitHubAnswers.newToken)])
        #expect(password(of: "mona") == "ghp_mine")
    }

    @Test("--with-token reads the token first, tries it once, and asks nothing else")
    func withToken() throws {
        questions.answers = ["ghp_wrong"]
        respond(.json("{}", status: 401))
        #expect(try setup.run("--with-token") == .failed)
        #expect(doubles.errors == [.tokenRefused(host: "github.com", page: GitHubAnswers.newToken)])
        setup.gh("gho_gh")
        questions.answers = ["ghp_mine"]
        setup.accepts(tokenOf: "mona")
        #expect(try setup.run("--with-token") == .done)
        #expect(questions.asked == Array(repeating: "Token for github.com (not shown): ", count: 2))
        #expect(password(of: "mona") == "ghp_mine")
    }

    @Test("replaces a stored token that the host rejects, and keeps one that it cannot check")
    func storedAlready() throws {
        helper.stored(expiresIn: nil, refreshToken: nil)
        // The sign-in checks again, because another terminal may have replaced the token.
        for _ in 0..<2 { respond(GitHubAnswers.badCredentials) }
        setup.signsIn()
        #expect(try setup.run() == .done)
        #expect(setup.lines.contains("github.com rejected the stored token."))
        #expect(password()?.hasPrefix("gho_") == true)
        setup.forget()
        doubles.transport.fail(.unreachable)
        doubles.transport.fail(.unreachable)
        #expect(try setup.run() == .failed)
        #expect(
            setup.lines.contains("Signed in to github.com as octocat, but could not check the token with github.com."))
        #expect(setup.lines.contains { $0.hasPrefix("[FAIL] ") })
    }

    @Test("sets up a host of an enterprise without any configuration")
    func enterpriseCloud() throws {
        setup.accepts(tokenOf: "mona")
        questions.answers = ["ghp_mine"]
        setup.machine.gitConfiguration = [("global", "file:/g", "credential.https://acme.ghe.com.helper\ngitspace")]
        #expect(try setup.run("--with-token", host: "acme.ghe.com") == .done)
        #expect(files.texts[.global]?.contains("[credential \"https://acme.ghe.com\"]\n\thelper =\n") == true)
        #expect(setup.lines.last == "  git clone https://acme.ghe.com/OWNER/REPO")
    }

    @Test("keeps our lines that work, by name or by path")
    func keepsForm() throws {
        let verb = VerbFixture(doubles)
        _ = try verb.run("configure")
        // The lines of an earlier version.
        files.ownCommand = HelperCommand(path: "/usr/bin/git-credential-gitspace")
        files.texts = verb.files.texts
        let text = files.texts[.global]
        helper.stored(expiresIn: 3_600)
        setup.accepts(tokenOf: "octocat")
        questions.answers = ["y"]
        #expect(try setup.run() == .done)
        #expect(files.texts[.global]?.hasPrefix(text ?? "-") == true)
    }

    @Test("offers neither registration nor a pasted token if no page for an app is known", arguments: [false, true])
    func noRegistrationPage(isUnattended: Bool) throws {
        doubles.builtInClientID = nil
        doubles.configure("credential", "https://git.example", "provider", "oidc")
        #expect(try setup.run(isUnattended ? ["--yes"] : [], host: "git.example") == .failed)
        #expect(doubles.errors == [.noRegistrationPage(host: "git.example")] && questions.asked.isEmpty)
    }

    @Test("is ready with an app that several owners have installed, and has git send paths")
    func severalInstallations() throws {
        files.texts[.global] = "[credential \"https://github.com\"]\n\tgithubAppId = 1\n\tgithubAppKey = /k\n"
        let both = #"[{"id":1,"account":{"login":"acme"}},{"id":2,"account":{"login":"other"}}]"#
        doubles.transport.aside = { .json($0.address.hasSuffix("/app/installations?per_page=5") ? both : "{}") }
        #expect(try setup.run() == .done, "\(setup.lines)\(sentences)")
        #expect(files.texts[.global]?.contains("useHttpPath = true") == true)
    }

    @Test("warns that memory keeps the token without a keyring, and fails if a keyring is required")
    func inMemory() throws {
        for (store, mark, status) in [(nil, "[WARN] ", Verbs.ExitStatus.done), ("secretservice", "[FAIL] ", .failed)] {
            let setup = SetupFixture()
            if let store { setup.doubles.configure("credential", nil, "gitspaceStore", store) }
            setup.machine.providerFault = .noProvider
            setup.questions.answers = ["ghp_mine"]
            setup.doubles.transport.answer(GitHubAnswers.user("mona"))
            setup.doctorAnswers()
            #expect(try setup.run("--with-token") == status)
            #expect(setup.lines.contains(mark + "no program provides a keyring"), "\(setup.lines)")
            #expect(setup.lines.contains("Ready. Try:") == (status == .done))
            let kept = "Memory keeps the token for 8 hours after it was last saved. Then git asks you to sign in again."
            #expect(setup.lines.contains(kept) == (status == .done), "\(setup.lines)")
        }
    }

    @Test(
        "takes the account that another setup signed in meanwhile, even in place of a rejected token, and asks nobody",
        arguments: [false, true])
    func meanwhile(replaces: Bool) throws {
        if replaces {
            helper.brought("gho_dead", user: "monalisa")
            respond(GitHubAnswers.badCredentials, GitHubAnswers.badCredentials)
        }
        doubles.locks.turnsUntilFree = 5
        doubles.locks.whenAcquired = { [helper] in helper.brought("gho_first", user: "monalisa") }
        setup.doctorAnswers(GitHubAnswers.user("monalisa"))
        questions.answers = ["n"]
        #expect(try setup.run() == .done && prompts.isEmpty && (replaces || doubles.transport.isExhausted))
        #expect(setup.lines.contains("Already signed in to github.com as monalisa."))
    }

    @Test("checks the account that git uses, and not the first one")
    func chosenAccount() throws {
        for user in ["monalisa", "zoe", "bob"] { helper.brought("gho_\(user)", user: user) }
        doubles.configure("credential", "https://github.com", "username", "zoe")
        respond(GitHubAnswers.user("zoe"))
        setup.doctorAnswers(GitHubAnswers.user("monalisa"), GitHubAnswers.user("zoe"), GitHubAnswers.user("bob"))
        questions.answers = ["n"]
        #expect(try setup.run() == .done)
        #expect(prompts.isEmpty && setup.lines.contains("Already signed in to github.com as zoe."))
    }
}
