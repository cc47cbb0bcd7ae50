import TestSupport
import Testing

@Suite("The verb login")
struct LoginTests: HelperSuite {
    let helper = HelperFixture()

    private func login(_ words: String..., host: String = "github.com") throws -> (
        status: Verbs.ExitStatus, text: [String]
    ) {
        verb.setUpGit()
        return try verb.run(["login", host] + words)
    }

    @Test("names the command if git does not ask gitspace, after a sign-in and after a pasted token")
    func notAsked() throws {
        let advice = [
            "git is not set up to use gitspace for github.com",
            "To have git use gitspace: git credential-gitspace configure github.com",
        ]
        helper.approve()
        #expect(try verb.run("login").text.suffix(2) == advice[...])
        verb.questions.answers = ["ghp_pasted"]
        doubles.transport.otherwise = GitHubAnswers.user("octocat")
        #expect(try verb.run("login", "--with-token").text.suffix(2) == advice[...])
        verb.files.texts[.global] = "[credential \"https://github.com\"]\n\thelper = store\n"
        #expect(try verb.run("login").text.suffix(2).first?.hasPrefix("git uses the helper store instead") == true)
    }

    @Test("fails and reports a lost token if it cannot be saved")
    func lost() throws {
        doubles.keyring.saveFault = .denied
        helper.approve()
        #expect(try login() == (.failed, []))
        #expect(sentences == ["the token could not be saved and is lost: the keyring denied access"])
    }

    @Test("reports that the host cannot be asked, and does nothing")
    func offline() throws {
        helper.stored(expiresIn: 3_600)
        doubles.transport.fail(.unreachable)
        let unchecked = "Signed in to github.com as octocat, but could not check the token with github.com."
        let command = ["To sign in again anyway:", "  git credential-gitspace login github.com --force"]
        let (status, text) = try login()
        #expect(status == .done && text == [unchecked] + command && prompts.isEmpty)
        doubles.transport.fail(.unreachable)
        #expect(try login("octocat").text.last == "  git credential-gitspace login github.com octocat --force")
    }

    @Test("does not report Ctrl-C during the discovery as an answer of the host")
    func interrupted() throws {
        configureOpenID()
        helper.stored(expiresIn: 3_600, clientID: "c", host: "git.example")
        doubles.transport.fail(.interrupted)
        #expect(try login(host: "git.example") == (.cancelled, []) && doubles.errors.isEmpty && requests.count == 1)
    }

    @Test("names the replaced account or the other one that is signed in, with --force")
    func saysWhatItReplaced() throws {
        helper.stored(expiresIn: nil)
        helper.approve()
        #expect(try login("--force").text == ["Replaced the previous token of octocat for github.com."])
        helper.approve(as: "hubot")
        let other = "Also signed in: octocat. To make hubot the default account:"
        #expect(try login("--force").text == [other, "  git credential-gitspace switch github.com hubot"])
    }

    @Test("signs in to the host of this repository's remote by default, if it is known")
    func defaultHost() throws {
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
        #expect(host("https://evil.ghe.com/acme/x") == "github.com")
    }

    @Test("accepts a token whose owner's name differs by letter case, and ours for an unknown owner")
    func spelling() throws {
        helper.brought("ghp_mine", user: "OctoCat")
        respond(GitHubAnswers.user("octocat"))
        #expect(try login().text.first == "Already signed in to github.com as OctoCat.")
        helper.stored(expiresIn: 3_600, user: "x-access-token")
        respond(GitHubAnswers.user("octocat"))
        #expect(try login().text.first == "Already signed in to github.com as x-access-token." && prompts.isEmpty)
    }

    @Test("renews a rejected token that can be renewed")
    func rejectedButRenewable() throws {
        helper.stored(expiresIn: 3_600)
        respond(GitHubAnswers.badCredentials, GitHubAnswers.gitHubAppToken)
        #expect(try login().status == .done && prompts.isEmpty && doubles.transport.isExhausted)
    }

    @Test("signs in even if gitspaceFlow=none keeps git from that")
    func deviceFlow() throws {
        doubles.configure("credential", nil, "gitspaceFlow", "none")
        helper.approve()
        #expect(try login().status == .done)
    }

    @Test("has the manual page's status for a cancelled sign-in, and another for a keyring error, without a request")
    func cancelled() throws {
        respond(GitHubAnswers.device)
        doubles.ui.endOfWait = (1, .cancelled)
        #expect(try login().status == .cancelled && doubles.errors.isEmpty)
        doubles.keyring.fault = .noBus
        #expect(try login().status == .failed && doubles.errors == [.keyring(.noBus)])
        #expect(([.done, .failed, .cancelled] as [Verbs.ExitStatus]).map(\.rawValue) == [0, 1, 130])
    }

    @Test("refuses a host that is not configured", arguments: ["example.com", "github.com.evil.org"])
    func foreign(host: String) throws {
        respond(.page(status: 404))
        #expect(try login(host: host).status == .failed)
        #expect(doubles.errors == [.notForSignIn(host: DisplayText(trusted: host))])
        // Its challenge could name the kind of host; nothing of ours is sent there.
        #expect(requests.map(\.authorization) == [nil])
        #expect(requests.allSatisfy { $0.method == "GET" && $0.body.isEmpty })
    }

    @Test(
        "suggests a known host for a mistyped one, and sends nothing",
        arguments: [
            ("githb.com", "github.com"), ("gihtub.com", "github.com"), ("github", "github.com"),
            ("gitlab", "gitlab.com"), ("gitlb", "gitlab.com"), ("github.co", "github.com"),
            ("codeburg.org", "codeberg.org"),
        ] as [(DisplayText, DisplayText)])
    func mistyped(typed: DisplayText, meant: DisplayText) throws {
        for name in ["login", "setup", "status", "logout", "refresh"] {
            #expect(try verb.run(name, typed.text).status == .failed)
            let command: DisplayText = "\(DisplayText(trusted: name)) \(meant)"
            #expect(doubles.errors.last == .mistypedHost(typed, meant: meant, command: command))
        }
        #expect(requests.isEmpty)
    }

    @Test(
        "suggests a known host alone if the verb takes no account, or a token was typed as the account",
        arguments: [
            ["doctor", "https://bob@githb.com"], ["configure", "bob@githb.com"],
            ["login", "githb.com", "ghp_0123456789abcdefghijklmnopqrstuvwxyz"],
        ])
    func mistypedAlone(words: [String]) throws {
        _ = try verb.run(words)
        #expect(hints.last == "  git credential-gitspace \(words[0]) github.com")
    }

    @Test(
        "accepts a host with a similar name if it is known, configured, or has a stored token",
        arguments: ["gitlab.corp", "gitee.com", "gitea", "gitlabs.com", "gitlab.co"])
    func notMistyped(host: String) throws {
        doubles.configure("credential", "https://gitlabs.com", "provider", "gitlab")
        helper.brought("ghp_x", host: "gitlab.co")
        _ = try verb.run("status", host, "--offline")
        #expect(!doubles.errors.contains { $0.text.english.contains("did you mean") })
    }

    @Test(
        "finds the nearest word to a mistyped one, or none",
        arguments: [
            ("stauts", "status"), ("logn", "login"), ("signin", nil), ("unconfigrue", "unconfigure"),
            ("chekc", "check"), ("x", nil), ("", nil), ("refersh", "refresh"),
        ] as [(String, String?)])
    func nearest(word: String, meant: String?) {
        let verbs = ["login", "logout", "refresh", "status", "switch", "check", "unconfigure"]
        #expect(EditDistance.nearest(to: word, of: verbs) == meant)
    }

    @Test("refuses a GitLab below a path, and explains why")
    func belowPath() throws {
        doubles.configure("credential", "https://git.corp/gitlab", "provider", "gitlab")
        #expect(try verb.run("refresh", "git.corp").status == .failed)
        #expect(doubles.errors == [.providerBelowPath("https://git.corp/gitlab", host: "git.corp")])
    }

    @Test("reports the account that another login has signed in meanwhile")
    func meanwhile() throws {
        doubles.locks.turnsUntilFree = 5
        doubles.locks.whenAcquired = { [helper] in helper.brought("gho_first", user: "monalisa") }
        let (status, text) = try login()
        #expect(status == .done && prompts.isEmpty)
        #expect(text.first == "Already signed in to github.com as monalisa.")
    }

    @Test("checks the account that git uses, not the first one, and replaces it if it is rejected")
    func chosenAccount() throws {
        for user in ["monalisa", "zoe", "bob"] { helper.brought("gho_\(user)", user: user) }
        doubles.configure("credential", "https://github.com", "username", "zoe")
        respond(GitHubAnswers.user("zoe"))
        let (status, text) = try login()
        #expect(status == .done && prompts.isEmpty)
        #expect(requests.map(\.authorization) == ["Bearer gho_zoe"])
        #expect(text.first == "Already signed in to github.com as zoe.")
        // An account that was stored before is not reported as the new sign-in.
        respond(GitHubAnswers.badCredentials, GitHubAnswers.device, GitHubAnswers.oauthAppToken)
        respond(GitHubAnswers.user("zoe"))
        #expect(try login() == (.done, ["Replaced the previous token of zoe for github.com."]) && prompts.count == 1)
    }

    @Test("ignores an empty name in git's configuration")
    func emptyName() throws {
        helper.brought("gho_bob", user: "bob")
        doubles.configure("credential", nil, "username", "")
        respond(GitHubAnswers.user("bob"))
        #expect(try login().text.first == "Already signed in to github.com as bob.")
    }
}
