import CredentialCore
import Helper
import Messages
import Providers
import TestSupport
import Testing
import Verbs

@Suite("The verb login")
struct LoginTests {
    private let helper = HelperFixture()
    private var doubles: Doubles { helper.doubles }

    private func login(_ lines: String = "protocol=https\nhost=github.com", isForced: Bool = false) throws
        -> Verbs.ExitStatus
    {
        try run(lines, isForced: isForced).status
    }

    private func run(
        _ lines: String = "protocol=https\nhost=github.com", isForced: Bool = false
    ) throws -> (status: Verbs.ExitStatus, text: [String]) {
        let request = try Request(lines)
        let verb = VerbFixture(doubles)
        verb.setUpGit()
        return try isForced ? verb.run("login", about: request, "--force") : verb.run("login", about: request)
    }

    private func approve() {
        doubles.transport.answer(GitHubAnswers.device)
        doubles.transport.answer(GitHubAnswers.oauthAppToken)
        doubles.transport.answer(GitHubAnswers.user("octocat"))
    }

    @Test("tells that git does not ask gitspace, with the command, after a sign-in and a pasted token")
    func notAsked() throws {
        let verb = VerbFixture(doubles)
        let advice = [
            "git is not set up to use gitspace for github.com",
            "To have git use gitspace: git credential-gitspace configure github.com",
        ]
        approve()
        #expect(try verb.run("login").text.suffix(2) == advice[...])
        verb.questions.answers = ["ghp_pasted"]
        doubles.transport.otherwise = GitHubAnswers.user("octocat")
        #expect(try verb.run("login", "--with-token").text.suffix(2) == advice[...])
        verb.files.texts[.global] = "[credential \"https://github.com\"]\n\thelper = store\n"
        #expect(try verb.run("login").text.suffix(2).first?.hasPrefix("git uses the helper store instead") == true)
    }

    @Test("it signs in where there is no token")
    func signsIn() throws {
        approve()
        #expect(try login() == .done)
        #expect(doubles.keyring.credential(of: "octocat")?.password.text.hasPrefix("gho_") == true)
    }

    @Test("a token that cannot be saved is lost: that is said, and it is no success")
    func lost() throws {
        doubles.keyring.saveFault = .denied
        approve()
        #expect(try run() == (.failed, []))
        #expect(
            doubles.errors.map(\.text.english)
                == ["the token could not be saved and is lost: the keyring denied access"])
    }

    @Test("a good token is enough, and it is said whose it is")
    func alreadySignedIn() throws {
        helper.stored(expiresIn: 3_600)
        doubles.transport.answer(GitHubAnswers.user("octocat"))
        let (status, text) = try run()
        #expect(status == .done && doubles.ui.prompts.isEmpty)
        #expect(text.first == "Already signed in to github.com as octocat.")
    }

    @Test("where the host cannot be asked, that is said, and nothing is done")
    func offline() throws {
        helper.stored(expiresIn: 3_600)
        doubles.transport.fail(.unreachable)
        let (status, text) = try run()
        #expect(status == .done && doubles.ui.prompts.isEmpty)
        #expect(
            text == [
                "Signed in to github.com as octocat, but could not check the token with github.com.",
                "To sign in again anyway:", "  git credential-gitspace login github.com --force",
            ])
    }

    @Test("Ctrl-C while the server is looked for that would know is no answer of the host's")
    func interrupted() throws {
        for (key, value) in [("provider", "oidc"), ("oauthClientId", "c"), ("oauthIssuer", "https://id.example")] {
            doubles.configure("credential", "https://git.example", key, value)
        }
        helper.stored(expiresIn: 3_600, clientID: "c", host: "git.example")
        doubles.transport.fail(.interrupted)
        #expect(try run("protocol=https\nhost=git.example") == (.cancelled, []))
        #expect(doubles.errors.isEmpty && doubles.transport.requests.count == 1)
    }

    @Test("forced, it says what it replaced, or who is signed in as well")
    func saysWhatItReplaced() throws {
        helper.stored(expiresIn: nil)
        approve()
        #expect(
            try run(isForced: true).text == ["Replaced the previous token of octocat for github.com."])
        doubles.transport.answer(GitHubAnswers.device)
        doubles.transport.answer(GitHubAnswers.oauthAppToken)
        doubles.transport.answer(GitHubAnswers.user("hubot"))
        #expect(
            try run(isForced: true).text
                == [
                    "Also signed in: octocat. To make hubot the default account:",
                    "  git credential-gitspace switch github.com hubot",
                ])
    }

    @Test("without a host it means that of the repository here, where the person has been before")
    func defaultHost() throws {
        let verb = VerbFixture(doubles)
        func host(_ remote: String?) -> String {
            verb.remote = remote
            return verb.outside.defaultHost
        }
        #expect(host(nil) == "github.com" && host("git@github.com:acme/x.git") == "github.com")
        #expect(host("https://octo.ghe.com/acme/x") == "github.com" && host("../there") == "github.com")
        helper.stored(expiresIn: nil, host: "octo.ghe.com", user: "hubot")
        #expect(host("https://octo.ghe.com/acme/x") == "octo.ghe.com")
        doubles.configure("credential", "https://ghe.example", "provider", "github")
        #expect(host("ssh://git@ghe.example/acme/x") == "ghe.example" && host("https://evil.example/x") == "github.com")
    }

    @Test("a stored token that the host rejects is no sign-in: a new one begins")
    func rejected() throws {
        helper.stored(expiresIn: nil, refreshToken: nil)
        doubles.transport.answer(GitHubAnswers.badCredentials)
        approve()
        #expect(try login() == .done)
        #expect(doubles.keyring.credential(of: "octocat")?.password.text.hasPrefix("gho_") == true)
        #expect(doubles.transport.isExhausted)
    }

    @Test(
        "a token that the host says is another's, or that nobody has stored as theirs, is no sign-in",
        arguments: ["octocat", "x-access-token"])
    func planted(name: String) throws {
        helper.brought("ghp_planted", user: name)
        doubles.transport.answer(GitHubAnswers.user("mallory"))
        approve()
        let (status, text) = try run()
        #expect(status == .done && doubles.transport.isExhausted && doubles.ui.prompts.count == 1)
        #expect(!text.contains { $0.hasPrefix("Already signed in") })
        #expect(doubles.keyring.credential(of: "octocat")?.password.text.hasPrefix("gho_") == true)
    }

    @Test("one whose owner's name differs by letter case, and our own for an unknown owner, are")
    func spelling() throws {
        helper.brought("ghp_mine", user: "OctoCat")
        doubles.transport.answer(GitHubAnswers.user("octocat"))
        #expect(
            try run().text.first == "Already signed in to github.com as OctoCat.")
        helper.stored(expiresIn: 3_600, user: "x-access-token")
        doubles.transport.answer(GitHubAnswers.user("octocat"))
        #expect(
            try run().text.first == "Already signed in to github.com as x-access-token.")
        #expect(doubles.ui.prompts.isEmpty)
    }

    @Test("one that the host rejects and that can be renewed is renewed")
    func rejectedButRenewable() throws {
        helper.stored(expiresIn: 3_600)
        doubles.transport.answer(GitHubAnswers.badCredentials)
        doubles.transport.answer(GitHubAnswers.gitHubAppToken)
        #expect(try login() == .done)
        #expect(doubles.ui.prompts.isEmpty && doubles.transport.isExhausted)
    }

    @Test("one that can be renewed is renewed")
    func renewed() throws {
        helper.stored(expiresIn: -10)
        doubles.transport.answer(GitHubAnswers.gitHubAppToken)
        doubles.transport.answer(GitHubAnswers.user("octocat"))
        #expect(try login() == .done)
        #expect(doubles.ui.prompts.isEmpty)
    }

    @Test("forced, it signs in although a good token is there")
    func forced() throws {
        helper.stored(expiresIn: 3_600)
        approve()
        #expect(try login(isForced: true) == .done)
        #expect(doubles.keyring.credential(of: "octocat")?.password.text.hasPrefix("gho_") == true)
        #expect(doubles.keyring.items.count == 1)
    }

    @Test("it may sign in though git may not make it do so")
    func deviceFlow() throws {
        doubles.configure("credential", nil, "gitspaceFlow", "none")
        approve()
        #expect(try login() == .done)
    }

    @Test("where nobody is to be asked, it obeys like everybody, and names the setting")
    func forbidden() throws {
        doubles.environment["CI"] = "1"
        #expect(try login() == .failed)
        #expect(doubles.errors == [.nobodyHere(host: "github.com", because: "CI")])
    }

    @Test("cancelled is not failed")
    func cancelled() throws {
        doubles.transport.answer(GitHubAnswers.device)
        doubles.ui.endOfWait = (1, .cancelled)
        #expect(try login() == .cancelled)
        #expect(doubles.errors.isEmpty)
    }

    @Test(
        "a host that nobody has configured is no place to sign in", arguments: ["example.com", "github.com.evil.org"])
    func foreign(host: String) throws {
        doubles.transport.answer(.page(status: 404))
        #expect(try login("protocol=https\nhost=\(host)") == .failed)
        #expect(doubles.errors == [.notForSignIn(host: DisplayText(trusted: host))])
        // Its challenge could say what it is; nothing of ours goes there.
        #expect(doubles.transport.requests.map(\.authorization) == [nil])
        #expect(doubles.transport.requests.allSatisfy { $0.method == "GET" && $0.body.isEmpty })
    }

    @Test("a keyring in trouble is said, and no code requested")
    func keyring() throws {
        doubles.keyring.fault = .noBus
        #expect(try login() == .failed)
        #expect(doubles.errors == [.keyring(.noBus)])
    }

    @Test(
        "a mistyped host is asked about, and nothing is sent there",
        arguments: [
            ("githb.com", "github.com"), ("gihtub.com", "github.com"), ("github", "github.com"),
            ("gitlab", "gitlab.com"), ("gitlb", "gitlab.com"), ("github.co", "github.com"),
            ("codeburg.org", "codeberg.org"),
        ] as [(DisplayText, DisplayText)])
    func mistyped(typed: DisplayText, meant: DisplayText) throws {
        for verb in ["login", "setup", "status", "logout", "refresh"] {
            #expect(try VerbFixture(doubles).run(verb, typed.text).status == .failed)
            let command: DisplayText = "\(DisplayText(trusted: verb)) \(meant)"
            #expect(doubles.errors.last == .mistypedHost(typed, meant: meant, command: command))
        }
        #expect(doubles.transport.requests.isEmpty)
    }

    @Test(
        "a host that is near another is taken at its word where it is known, configured, or has something stored",
        arguments: ["gitlab.corp", "gitee.com", "gitea", "gitlabs.com", "gitlab.co"])
    func notMistyped(host: String) throws {
        doubles.configure("credential", "https://gitlabs.com", "provider", "gitlab")
        helper.brought("ghp_x", host: "gitlab.co")
        _ = try VerbFixture(doubles).run("status", host, "--offline")
        #expect(!doubles.errors.contains { $0.text.english.contains("did you mean") })
    }

    @Test("a GitLab below a path is refused with a sentence that says so")
    func belowPath() throws {
        doubles.configure("credential", "https://git.corp/gitlab", "provider", "gitlab")
        #expect(try VerbFixture(doubles).run("refresh", "git.corp").status == .failed)
        #expect(doubles.errors == [.providerBelowPath("https://git.corp/gitlab", host: "git.corp")])
    }

    @Test("the exit statuses are those of the manual page")
    func statuses() {
        #expect(
            Verbs.ExitStatus.done.rawValue == 0 && Verbs.ExitStatus.failed.rawValue == 1
                && Verbs.ExitStatus.cancelled.rawValue == 130)
    }
}
