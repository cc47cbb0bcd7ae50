import TestSupport
import Testing

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
        doubles.transport.answer(GitHubAnswers.device, GitHubAnswers.oauthAppToken, GitHubAnswers.user("octocat"))
    }

    @Test("names the command if git does not ask gitspace, after a sign-in and after a pasted token")
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

    @Test("signs in if there is no token")
    func signsIn() throws {
        approve()
        #expect(try login() == .done)
        #expect(doubles.keyring.credential(of: "octocat")?.password.text.hasPrefix("gho_") == true)
    }

    @Test("fails and reports a lost token if it cannot be saved")
    func lost() throws {
        doubles.keyring.saveFault = .denied
        approve()
        #expect(try run() == (.failed, []))
        #expect(
            doubles.errors.map(\.text.english)
                == ["the token could not be saved and is lost: the keyring denied access"])
    }

    @Test("accepts a good token, and names its account")
    func alreadySignedIn() throws {
        helper.stored(expiresIn: 3_600)
        doubles.transport.answer(GitHubAnswers.user("octocat"))
        let (status, text) = try run()
        #expect(status == .done && doubles.ui.prompts.isEmpty)
        #expect(text.first == "Already signed in to github.com as octocat.")
    }

    @Test("reports that the host cannot be asked, and does nothing")
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

    @Test("does not report Ctrl-C during the discovery as an answer of the host")
    func interrupted() throws {
        for (key, value) in [("provider", "oidc"), ("oauthClientId", "c"), ("oauthIssuer", "https://id.example")] {
            doubles.configure("credential", "https://git.example", key, value)
        }
        helper.stored(expiresIn: 3_600, clientID: "c", host: "git.example")
        doubles.transport.fail(.interrupted)
        #expect(try run("protocol=https\nhost=git.example") == (.cancelled, []))
        #expect(doubles.errors.isEmpty && doubles.transport.requests.count == 1)
    }

    @Test("names the replaced account or the other one that is signed in, with --force")
    func saysWhatItReplaced() throws {
        helper.stored(expiresIn: nil)
        approve()
        #expect(try run(isForced: true).text == ["Replaced the previous token of octocat for github.com."])
        doubles.transport.answer(GitHubAnswers.device, GitHubAnswers.oauthAppToken, GitHubAnswers.user("hubot"))
        #expect(
            try run(isForced: true).text == [
                "Also signed in: octocat. To make hubot the default account:",
                "  git credential-gitspace switch github.com hubot",
            ])
    }

    @Test("signs in to the host of this repository's remote by default, if it is known")
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

    @Test("begins a new sign-in if the host rejects the stored token")
    func rejected() throws {
        helper.stored(expiresIn: nil, refreshToken: nil)
        doubles.transport.answer(GitHubAnswers.badCredentials)
        approve()
        #expect(try login() == .done)
        #expect(doubles.keyring.credential(of: "octocat")?.password.text.hasPrefix("gho_") == true)
        #expect(doubles.transport.isExhausted)
    }

    @Test(
        "signs in if the stored token is another account's, or one without an owner that we did not store",
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

    @Test("accepts a token whose owner's name differs by letter case, and ours for an unknown owner")
    func spelling() throws {
        helper.brought("ghp_mine", user: "OctoCat")
        doubles.transport.answer(GitHubAnswers.user("octocat"))
        #expect(try run().text.first == "Already signed in to github.com as OctoCat.")
        helper.stored(expiresIn: 3_600, user: "x-access-token")
        doubles.transport.answer(GitHubAnswers.user("octocat"))
        #expect(try run().text.first == "Already signed in to github.com as x-access-token.")
        #expect(doubles.ui.prompts.isEmpty)
    }

    @Test("renews a rejected token that can be renewed")
    func rejectedButRenewable() throws {
        helper.stored(expiresIn: 3_600)
        doubles.transport.answer(GitHubAnswers.badCredentials, GitHubAnswers.gitHubAppToken)
        #expect(try login() == .done)
        #expect(doubles.ui.prompts.isEmpty && doubles.transport.isExhausted)
    }

    @Test("renews an expired token that can be renewed")
    func renewed() throws {
        helper.stored(expiresIn: -10)
        doubles.transport.answer(GitHubAnswers.gitHubAppToken, GitHubAnswers.user("octocat"))
        #expect(try login() == .done)
        #expect(doubles.ui.prompts.isEmpty)
    }

    @Test("signs in with --force although a good token is stored")
    func forced() throws {
        helper.stored(expiresIn: 3_600)
        approve()
        #expect(try login(isForced: true) == .done)
        #expect(doubles.keyring.credential(of: "octocat")?.password.text.hasPrefix("gho_") == true)
        #expect(doubles.keyring.items.count == 1)
    }

    @Test("signs in even if gitspaceFlow=none keeps git from that")
    func deviceFlow() throws {
        doubles.configure("credential", nil, "gitspaceFlow", "none")
        approve()
        #expect(try login() == .done)
    }

    @Test("fails and names the setting if nobody may be asked")
    func forbidden() throws {
        doubles.environment["CI"] = "1"
        #expect(try login() == .failed)
        #expect(doubles.errors == [.nobodyHere(host: "github.com", because: "CI")])
    }

    @Test("returns another status for a cancelled sign-in than for a failed one")
    func cancelled() throws {
        doubles.transport.answer(GitHubAnswers.device)
        doubles.ui.endOfWait = (1, .cancelled)
        #expect(try login() == .cancelled)
        #expect(doubles.errors.isEmpty)
    }

    @Test("refuses a host that is not configured", arguments: ["example.com", "github.com.evil.org"])
    func foreign(host: String) throws {
        doubles.transport.answer(.page(status: 404))
        #expect(try login("protocol=https\nhost=\(host)") == .failed)
        #expect(doubles.errors == [.notForSignIn(host: DisplayText(trusted: host))])
        // Its challenge could name the kind of host; nothing of ours is sent there.
        #expect(doubles.transport.requests.map(\.authorization) == [nil])
        #expect(doubles.transport.requests.allSatisfy { $0.method == "GET" && $0.body.isEmpty })
    }

    @Test("reports a keyring error, and requests no code")
    func keyring() throws {
        doubles.keyring.fault = .noBus
        #expect(try login() == .failed)
        #expect(doubles.errors == [.keyring(.noBus)])
    }

    @Test(
        "suggests a known host for a mistyped one, and sends nothing",
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
        "accepts a host with a similar name if it is known, configured, or has a stored token",
        arguments: ["gitlab.corp", "gitee.com", "gitea", "gitlabs.com", "gitlab.co"])
    func notMistyped(host: String) throws {
        doubles.configure("credential", "https://gitlabs.com", "provider", "gitlab")
        helper.brought("ghp_x", host: "gitlab.co")
        _ = try VerbFixture(doubles).run("status", host, "--offline")
        #expect(!doubles.errors.contains { $0.text.english.contains("did you mean") })
    }

    @Test("refuses a GitLab below a path, and explains why")
    func belowPath() throws {
        doubles.configure("credential", "https://git.corp/gitlab", "provider", "gitlab")
        #expect(try VerbFixture(doubles).run("refresh", "git.corp").status == .failed)
        #expect(doubles.errors == [.providerBelowPath("https://git.corp/gitlab", host: "git.corp")])
    }

    @Test("has the exit statuses of the manual page")
    func statuses() {
        #expect(
            Verbs.ExitStatus.done.rawValue == 0 && Verbs.ExitStatus.failed.rawValue == 1
                && Verbs.ExitStatus.cancelled.rawValue == 130)
    }
}
