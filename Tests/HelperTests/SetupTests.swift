import CredentialCore
import Helper
import Language
import Messages
import Providers
import TestSupport
import Testing
import Verbs

@Suite("The verb setup")
struct SetupTests {
    private let setup = SetupFixture()
    private var doubles: Doubles { setup.doubles }
    private var questions: ScriptedQuestions { setup.questions }

    @Test("with a built-in client ID it takes no answer but the approval, and a second run finds all of it done")
    func builtIn() throws {
        setup.files.version = "git version 2.39.5\n"
        setup.signInAnswers()
        setup.doctorAnswers(GitHubAnswers.user("octocat"))
        #expect(try setup.run() == .done)
        #expect(questions.asked.isEmpty && doubles.ui.prompts.count == 1)
        #expect(
            setup.lines == [
                "git now uses gitspace for github.com, gist.github.com (/global).", "Ready. Try:",
                "  git clone https://github.com/OWNER/REPO",
            ])
        #expect(doubles.ui.notices == [.signedIn(account: "octocat", storage: .keyring)])
        setup.forget()
        doubles.transport.answer(GitHubAnswers.user("octocat"))
        setup.doctorAnswers(GitHubAnswers.user("octocat"))
        #expect(try setup.run() == .done)
        #expect(
            setup.lines.prefix(2) == [
                "Already signed in to github.com as octocat.",
                "git already uses gitspace for github.com, gist.github.com.",
            ])
        #expect(questions.asked.isEmpty && doubles.ui.prompts.count == 1 && setup.files.writes == 1)
    }

    @Test(
        "a sign-in of gh that the host accepts is offered, and Enter takes it: no registration, no browser",
        arguments: ["", "y", "\u{c608}"])
    func takeOver(answer: String) throws {
        doubles.builtInClientID = nil
        setup.gh("gho_gh")
        questions.answers = [answer]
        doubles.transport.answer(GitHubAnswers.user("mona"))
        setup.doctorAnswers(GitHubAnswers.user("mona"))
        // That there is no client ID is no trouble to them.
        #expect(try setup.run() == .done && !setup.lines.contains { $0.hasPrefix("[") })
        #expect(questions.asked.first == "gh is signed in to github.com as mona. Use this account for git, too? [Y/n] ")
        #expect(setup.lines.contains("✓ Signed in as mona. Saved in the keyring."))
        let stored = try #require(doubles.keyring.credential(of: "mona"))
        #expect(stored.password.text == "gho_gh" && stored.grant?.clientID == nil && stored.grant != nil)
        #expect(doubles.ui.prompts.isEmpty && questions.opened.isEmpty)
    }

    @Test("who declines one is offered the next, and then signs in")
    func declined() throws {
        setup.gh("gho_gh")
        setup.gcm("gho_gcm", user: "hubot")
        questions.answers = ["n", "what", "no"]
        doubles.transport.answer(GitHubAnswers.user("mona"))
        doubles.transport.answer(GitHubAnswers.user("hubot"))
        setup.signInAnswers()
        setup.doctorAnswers(GitHubAnswers.user("octocat"))
        #expect(try setup.run() == .done)
        #expect(questions.asked.count == 3 && questions.asked[1].hasPrefix("Git Credential Manager is signed in to "))
        #expect(doubles.keyring.credential(of: "mona") == nil && doubles.keyring.credential(of: "octocat") != nil)
    }

    @Test(
        "a dead token of another tool is named and left, one of another account than the configured one is passed over")
    func notTaken() throws {
        setup.gh("gho_dead")
        setup.gcm("gho_hubot", user: "hubot")
        doubles.configure("credential", "https://github.com", "username", "octocat")
        doubles.transport.answer(GitHubAnswers.badCredentials)
        doubles.transport.answer(GitHubAnswers.user("hubot"))
        setup.signInAnswers()
        setup.doctorAnswers(GitHubAnswers.user("octocat"))
        #expect(try setup.run() == .done)
        #expect(setup.lines.contains("Skipped a token of gh, because github.com rejected it."))
        #expect(questions.asked.isEmpty)
    }

    @Test("another tool's token that is not the account's is left, which is said before the sign-in and without a name")
    func foreignOfAnother() throws {
        setup.gh("gho_planted")
        doubles.transport.answer(GitHubAnswers.user("mallory"))
        setup.signInAnswers()
        setup.doctorAnswers(GitHubAnswers.user("octocat"))
        questions.answers = ["n"]
        #expect(try setup.run() == .done)
        let line = "Skipped a token of gh, because it belongs to another account."
        #expect(setup.lines.contains(line) && doubles.ui.prompts.count == 1)
        #expect(setup.linesBeforeCode.contains(line) && !setup.lines.contains { $0.contains("mallory") })
        #expect(doubles.keyring.credential(of: "mona") == nil)
    }

    @Test(
        "where git's configuration names another account than the one that signs in, it is not ready, and the way is named"
    )
    func otherConfigured() throws {
        doubles.configure("credential", "https://github.com", "username", "mona")
        setup.signInAnswers()
        setup.doctorAnswers(GitHubAnswers.user("octocat"))
        #expect(try setup.run(["octocat"]) == .failed)
        #expect(
            setup.lines.contains(
                "[WARN] git's configuration names mona for github.com, but octocat is signed in"))
        #expect(setup.lines.last == "         git credential-gitspace switch github.com octocat", "\(setup.lines)")
    }

    @Test("nor where the check at its end found that the host cannot be reached")
    func notReached() throws {
        setup.signInAnswers()
        doubles.transport.fail(.unreachable)
        #expect(try setup.run() == .failed)
        #expect(setup.lines.contains { $0.hasPrefix("[FAIL] cannot reach") } && !setup.lines.contains("Ready. Try:"))
    }

    @Test("nor is a stored one that is somebody else's a reason not to sign in")
    func storedOfAnother() throws {
        doubles.keyring.put(
            StoredCredential(username: Array("octocat".utf8), password: Secret("ghp_planted")), for: "github.com")
        // Setup asks, and so does login.
        for _ in 1...2 { doubles.transport.answer(GitHubAnswers.user("mallory")) }
        setup.signInAnswers()
        setup.doctorAnswers(GitHubAnswers.user("octocat"))
        questions.answers = ["n"]
        #expect(try setup.run() == .done)
        #expect(setup.lines.contains("The stored token belongs to another account."))
        #expect(!setup.linesBeforeCode.contains { $0.contains("mallory") || $0.contains("octocat") })
        #expect(doubles.keyring.credential(of: "octocat")?.password.text.hasPrefix("gho_") == true)
    }

    @Test("without a keyring gh's file is read all the same")
    func plainFile() throws {
        doubles.builtInClientID = nil
        setup.foreignKeyring.fault = .noBus
        doubles.environment["HOME"] = "/home/x"
        setup.foreignFiles.texts["/home/x/.config/gh/hosts.yml"] =
            "github.com:\n    oauth_token: gho_file\n    user: mona\n"
        doubles.transport.answer(GitHubAnswers.user("mona"))
        setup.doctorAnswers(GitHubAnswers.user("mona"))
        _ = try setup.run("--yes")
        #expect(doubles.keyring.credential(of: "mona")?.password.text == "gho_file")
    }

    @Test("without a client ID one is registered, and the sign-in goes by it at once")
    func register() throws {
        doubles.builtInClientID = nil
        questions.answers = ["?", "", "Ov23liMine"]
        doubles.transport.answer(GitHubAnswers.device)
        setup.signInAnswers()
        setup.doctorAnswers(GitHubAnswers.user("octocat"))
        #expect(try setup.run() == .done)
        #expect(questions.asked == ["1, 2 or 3? [1] ", "1, 2 or 3? [1] ", "Client ID: "])
        #expect(
            setup.lines.contains("github.com accepted the client ID Ov23liMine. It is saved in git's configuration."))
        #expect(setup.files.texts[.global]?.contains("oauthClientId = Ov23liMine") == true)
        #expect(doubles.keyring.credential(of: "octocat")?.grant?.clientID == "Ov23liMine")
    }

    @Test("or a token is pasted, again if the host refuses it, and nothing is registered")
    func pasted() throws {
        doubles.builtInClientID = nil
        questions.answers = ["3", "ghp_wrong", "ghp_mine"]
        doubles.transport.answer(.json("{}", status: 401))
        doubles.transport.answer(GitHubAnswers.user("mona"))
        setup.doctorAnswers(GitHubAnswers.user("mona"))
        _ = try setup.run()
        // The one that reaches less comes first, and opens.
        let pages = [
            "https://github.com/settings/personal-access-tokens/new?name=git&contents=write&workflows=write",
            "https://github.com/settings/tokens/new?description=git&scopes=repo,workflow,gist",
        ]
        #expect(setup.lines.filter { $0.hasPrefix("  https://") } == pages.map { "  \($0)" })
        #expect(questions.opened == [pages[0]])
        #expect(doubles.errors == [.tokenRefused(host: "github.com", page: GitHubAnswers.newToken)])
        #expect(doubles.keyring.credential(of: "mona")?.password.text == "ghp_mine")
    }

    @Test("--with-token reads the token at once, tries it once, and asks nothing else")
    func withToken() throws {
        questions.answers = ["ghp_wrong"]
        doubles.transport.answer(.json("{}", status: 401))
        #expect(try setup.run("--with-token") == .failed)
        #expect(doubles.errors == [.tokenRefused(host: "github.com", page: GitHubAnswers.newToken)])
        setup.gh("gho_gh")
        questions.answers = ["ghp_mine"]
        doubles.transport.answer(GitHubAnswers.user("mona"))
        setup.doctorAnswers(GitHubAnswers.user("mona"))
        #expect(try setup.run("--with-token") == .done)
        #expect(questions.asked == Array(repeating: "Token for github.com (not shown): ", count: 2))
        #expect(doubles.keyring.credential(of: "mona")?.password.text == "ghp_mine")
    }

    @Test("a stored token that the host rejects is replaced by a sign-in; one that it says nothing of is kept")
    func storedAlready() throws {
        setup.helper.stored(expiresIn: nil, refreshToken: nil)
        // The sign-in looks again: another terminal may have replaced the token meanwhile.
        for _ in 0..<2 { doubles.transport.answer(GitHubAnswers.badCredentials) }
        setup.signInAnswers()
        setup.doctorAnswers(GitHubAnswers.user("octocat"))
        #expect(try setup.run() == .done)
        #expect(setup.lines.contains("github.com rejected the stored token."))
        #expect(doubles.keyring.credential(of: "octocat")?.password.text.hasPrefix("gho_") == true)
        setup.forget()
        doubles.transport.fail(.unreachable)
        doubles.transport.fail(.unreachable)
        #expect(try setup.run() == .failed)
        #expect(
            setup.lines.contains(
                "Signed in to github.com as octocat, but could not check the token with github.com."))
        #expect(setup.lines.contains { $0.hasPrefix("[FAIL] ") })
    }

    @Test("what has expired and can be refreshed is refreshed, and nobody signs in")
    func refreshed() throws {
        setup.helper.stored(expiresIn: -10)
        doubles.transport.answer(GitHubAnswers.gitHubAppToken)
        doubles.transport.answer(GitHubAnswers.user("octocat"))
        setup.doctorAnswers(GitHubAnswers.user("octocat"))
        #expect(try setup.run() == .done)
        #expect(doubles.ui.prompts.isEmpty)
        #expect(doubles.keyring.credential(of: "octocat")?.password.text.hasPrefix("ghu_16C7") == true)
    }

    @Test("a host of an enterprise is set up although nothing is configured for it")
    func enterpriseCloud() throws {
        doubles.transport.answer(GitHubAnswers.user("mona"))
        questions.answers = ["ghp_mine"]
        setup.machine.gitConfiguration = [
            ("global", "file:/g", "credential.https://acme.ghe.com.helper\n/usr/bin/git-credential-gitspace")
        ]
        setup.machine.programs["/usr/bin/git-credential-gitspace"] = "/usr/bin/git-credential-gitspace"
        setup.doctorAnswers(GitHubAnswers.user("mona"))
        #expect(try setup.run("--with-token", host: "acme.ghe.com") == .done)
        #expect(setup.files.texts[.global]?.contains("[credential \"https://acme.ghe.com\"]\n\thelper =\n") == true)
        #expect(setup.lines.last == "  git clone https://acme.ghe.com/OWNER/REPO")
    }

    @Test("lines of ours that work stay as they are, by name or by path")
    func keepsForm() throws {
        let verb = VerbFixture(doubles)
        _ = try verb.run("configure")
        // As an earlier version wrote them.
        setup.files.command = HelperCommand(path: "/usr/bin/git-credential-gitspace")
        setup.files.texts = verb.files.texts
        let text = setup.files.texts[.global]
        setup.files.command = HelperCommand(path: "/usr/bin/git-credential-gitspace")
        setup.helper.stored(expiresIn: 3_600)
        doubles.transport.answer(GitHubAnswers.user("octocat"))
        questions.answers = ["y"]
        setup.doctorAnswers(GitHubAnswers.user("octocat"))
        #expect(try setup.run() == .done)
        #expect(setup.files.texts[.global]?.hasPrefix(text ?? "-") == true)
    }

    @Test(
        "where no page for an app is known, neither registration nor a pasted token is offered",
        arguments: [false, true])
    func noRegistrationPage(isUnattended: Bool) throws {
        doubles.builtInClientID = nil
        doubles.configuration = [
            ConfigurationEntry(
                section: "credential", subsection: "https://git.example", key: "provider", value: "oidc")
        ]
        #expect(
            try (isUnattended ? setup.run("--yes", host: "git.example") : setup.run(host: "git.example")) == .failed)
        #expect(doubles.errors == [.noRegistrationPage(host: "git.example")])
        #expect(setup.questions.asked.isEmpty)
    }

    @Test("without a keyring the token is in memory, which is a warning; where a keyring is wanted, it is a failure")
    func inMemory() throws {
        for (store, mark, status) in [
            (nil, "[WARN] ", Verbs.ExitStatus.done), ("secretservice", "[FAIL] ", .failed),
        ] {
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
}
