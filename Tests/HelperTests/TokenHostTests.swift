import TestSupport
import Testing

@Suite("Hosts without a device flow")
struct TokenHostTests: HelperSuite {
    private let setup = SetupFixture()
    var helper: HelperFixture { setup.helper }

    private func login(_ words: String..., token: String?) throws -> (Verbs.ExitStatus, [String]) {
        questions.answers = token.map { [$0] } ?? []
        return try verb.run(["login"] + words + (token == nil ? [] : ["--with-token"]))
    }

    private func challenge(_ realm: String) -> HTTPResponse {
        let names = ["Negotiate", "Basic realm=\"\(realm)\""]
        return .json("", status: 401, headers: names.map { ("www-authenticate", $0) })
    }

    @Test("setup shows the page, takes a token, asks the host for its account, and sets git up")
    func codeberg() throws {
        questions.answers = ["2", "wrong token", "tok_mine"]
        questions.hasBrowser = true
        respond(.json("{\"login\":\"alice\"}"))
        #expect(try setup.run(host: "codeberg.org") == .done)
        #expect(questions.opened == ["https://codeberg.org/user/settings/applications"])
        #expect(doubles.errors == [.malformedToken])
        let request = try #require(requests.first)
        #expect(requests.count == 1)
        #expect(request.address == "https://codeberg.org/api/v1/user" && request.authorization == "token tok_mine")
        let stored = try #require(credential(of: "alice"))
        #expect(stored.password.text == "tok_mine" && stored.grant?.since != nil && stored.authtype == nil)
        #expect(files.texts[.global]?.contains("[credential \"https://codeberg.org\"]") == true)
        #expect(setup.lines.contains("It needs these permissions: repository: read and write, user: read"))
        #expect(setup.lines.suffix(2) == ["Ready. Try:", "  git clone https://codeberg.org/OWNER/REPO"])
        // The next request of git is answered without a question.
        #expect(try get(host: "codeberg.org") == "username=alice\npassword=tok_mine\n" && requests.count == 1)
    }

    @Test("status and check use a stored token without a client ID", arguments: ["codeberg.org", "gitea.com"])
    func askedAbout(host: String) throws {
        helper.brought("tok_mine", host: host, user: "alice")
        respond(.json("{\"login\":\"alice\"}"))
        let verb = VerbFixture(doubles)
        let account = try #require(try verb.objects("status", host).first)
        #expect(account["state"] == "authorized" && account["provider"] == "gitea")
        let user = try #require(requests.first)
        #expect(user.address == "https://\(host)/api/v1/user" && user.authorization == "token tok_mine")
        respond(.json("{\"login\":\"alice\"}"), .json("{\"id\":1,\"permissions\":{\"push\":false}}"))
        let finding = try verb.check("https://\(host)/acme/widgets")
        #expect(finding["result"] == "reachable" && finding.isTrue("read") == true && finding.isTrue("push") == false)
        #expect(requests.last?.address == "https://\(host)/api/v1/repos/acme/widgets")
    }

    @Test("setup checks only whether the token is still accepted in a second run")
    func again() throws {
        respond(.json("{\"login\":\"alice\"}"))
        #expect(try login("gitea.com", token: "tok_mine").0 == .done)
        respond(.json("{\"login\":\"alice\"}"))
        #expect(try setup.run(host: "gitea.com") == .done)
        #expect(setup.lines.contains("Already signed in to gitea.com as alice."))
        respond(.json("{}", status: 401))
        questions.answers = ["2"]
        #expect(try setup.run(host: "gitea.com") == .cancelled)
        // A person who is asked for a token knows the reason.
        #expect(setup.lines.contains("gitea.com rejected the stored token."))
        #expect(setup.lines.contains("Create a token here and copy it:"))
    }

    @Test("login stores no token that the host rejects or cannot check, and reports a host that cannot")
    func notVerified() throws {
        respond(.json("{}", status: 401))
        #expect(try login("codeberg.org", token: "tok_dead").0 == .failed)
        respond(.json("{\"message\":\"required scope\"}", status: 403))
        #expect(try login("codeberg.org", token: "tok_mine").0 == .failed)
        respond(.json("{\"login\":\"bob\"}"))
        #expect(try login("codeberg.org", "alice", token: "tok_bob").0 == .failed)
        #expect(
            doubles.errors == [
                .tokenRefused(
                    host: "codeberg.org", page: HTTPSAddress(host: "codeberg.org", path: "/user/settings/applications")),
                .tokenOwnerUnknown(host: "codeberg.org", permissions: "repository: read and write, user: read"),
                .tokenOfAnother(asked: "alice", owner: "bob"),
            ])
        #expect(doubles.keyring.items.isEmpty)
    }

    @Test("login fails without a token, and setup --yes asks nothing; both name the command to run")
    func noToken() throws {
        #expect(try login("codeberg.org", token: nil).0 == .failed)
        #expect(try setup.run("--yes", host: "codeberg.org") == .failed)
        let error = UserFacingError.noClientID(host: "codeberg.org")
        #expect(doubles.errors == [error, error])
        #expect(error.hints.last?.english == "  git credential-gitspace setup codeberg.org")
        #expect(questions.asked.isEmpty && requests.isEmpty)
    }

    @Test("login finds the token page for provider=none by the host's own challenge", arguments: ["Gitea", "Forgejo"])
    func configured(realm: String) throws {
        doubles.configure("credential", "https://git.example", "provider", "none")
        questions.answers = ["tok_mine"]
        respond(challenge(realm), .json("{\"login\":\"alice\"}"))
        #expect(try setup.run(host: "git.example") == .done)
        #expect(questions.opened == ["https://git.example/user/settings/applications"])
        let trial = "https://git.example/git/git.git/info/refs?service=git-receive-pack"
        #expect(requests.map(\.address) == [trial, "https://git.example/api/v1/user"])
        #expect(requests.map(\.authorization) == [nil, "token tok_mine"])
    }

    @Test("login requires the account on an unknown host, and does not send the token; check cannot check such a host")
    func silent() throws {
        doubles.configure("credential", "https://git.example", "provider", "none")
        #expect(try verb.run("check", "https://git.example/a/b").status == .failed)
        #expect(sentences == ["gitspace only stores tokens for git.example, and cannot check repositories there"])
        #expect(hints.last == "  git credential-gitspace configure git.example --proactive" && requests.isEmpty)
        respond(.page(status: 404))
        #expect(try login("git.example", token: "tok_mine").0 == .failed)
        #expect(doubles.errors.last == .tokenNeedsAccount(host: "git.example"))
        doubles.transport.fail(.unreachable)
        #expect(try login("git.example", "alice", token: "tok_mine").0 == .done)
        #expect(password(of: "alice") == "tok_mine")
        #expect(requests.allSatisfy { $0.authorization == nil })
    }

    @Test(
        "login recognizes an unknown host by its challenge, and stores, configures and sends nothing, as get does",
        arguments: [
            ("GitLab", "gitlab"), ("GitHub", "github"), ("Gitea", "gitea"), ("Forgejo", "gitea"),
            ("Atlassian Bitbucket", "none"),
        ])
    func unconfigured(realm: String, provider: String) throws {
        let request = "protocol=https\nhost=git.example\nwwwauth[]=Basic realm=\"\(realm)\""
        #expect(try helper.run(.get, request) == "" && doubles.errors.isEmpty && notices.isEmpty)
        respond(challenge(realm))
        #expect(try login("git.example", token: "tok_mine").0 == .failed)
        let command = "  git config --global credential.https://git.example.provider \(provider)"
        #expect(hints.suffix(2) == [command, "  git credential-gitspace setup git.example"])
        #expect(questions.asked.isEmpty && files.writes == 0 && doubles.keyring.items.isEmpty)
        #expect(requests.map(\.authorization) == [nil])
    }

    @Test(
        "setup, login and check report why a host did not answer, and how to continue",
        arguments: [
            .proxySignIn(setting: "http.proxy", login: "http://bob@proxy.example:3128", wasSent: false), .untrusted,
        ] as [TransportError], ["setup", "login", "check"])
    func notReached(error: TransportError, name: String) throws {
        doubles.transport.fail(error)
        #expect(try verb.run(name, name == "check" ? "https://git.example/a/b" : "git.example").status == .failed)
        let (told, words) = (try #require(doubles.errors.last), error.words(host: "git.example"))
        let text = "cannot tell what kind of server git.example is: " + words.text.english
        #expect(told.text.english == text && told.hints == words.hints)
    }

    @Test(
        "setup reports an answer that no git server returns, and how to set the provider",
        arguments: [
            (200, "git.example sent a web page instead of a response (status 200)"),
            (403, "git.example refused the request (status 403)"),
            (503, "git.example returned a server error (status 503)"),
        ])
    func page(status: Int, sentence: String) throws {
        respond(.page(status: status))
        #expect(try setup.run(host: "git.example") == .failed)
        #expect(sentences.last == "cannot tell what kind of server git.example is: " + sentence)
        #expect(hints.last == "  git config --global credential.https://git.example.provider KIND")
    }

    @Test("setup leaves the host as it is without a confirmation, and names the command that sets it")
    func notRecognized() throws {
        let error = UserFacingError.hostRecognized(RecognizedHost(.gitea, "Gitea"), host: "git.example")
        func refuses(_ options: String...) throws {
            respond(challenge("Gitea"))
            #expect(try setup.run(options, host: "git.example") == .failed)
        }
        questions.answers = ["n"]
        try refuses()
        #expect(questions.asked.count == 1)
        questions.answers = ["y"]
        try refuses("--yes")
        questions.isInputTyped = false
        try refuses("--with-token")
        questions.canAsk = false
        try refuses()
        respond(challenge("Atlassian Bitbucket"))
        #expect(try setup.run(host: "git.example") == .failed)
        #expect(doubles.errors.prefix(4) == Array(repeating: error, count: 4)[...])
        #expect(questions.asked.count == 1 && files.writes == 0)
    }

    @Test("setup reports Ctrl-C at that question, and a configuration that cannot be written")
    func notSet() throws {
        respond(challenge("GitLab"))
        #expect(try setup.run(host: "git.example") == .cancelled)
        #expect(setup.lines.last == "  git credential-gitspace setup git.example")
        questions.answers = ["y"]
        files.fault = .notPermitted("/global")
        respond(challenge("GitLab"))
        #expect(try setup.run(host: "git.example") == .failed)
        #expect(doubles.errors.map(\.code) == [.configuration])
        let section = ["  [credential \"https://git.example\"]", "  \tprovider = gitlab"]
        #expect(hints == ["set its provider, then run the command again:"] + section)
    }

    @Test(
        "recognizes no challenge of another form",
        arguments: [
            "", "Basic", "Basic realm=\"\"", "Basic realm=\"GitLab2\"", "Basic x=\"realm=GitLab\"", "Bearer",
            "Basic realm=\"\u{1b}[31mGitLab\"", "realm", "=\"GitLab\"",
        ])
    func challenges(text: String) { #expect(RecognizedHost(challenge: Array(text.utf8)) == nil) }

    @Test("configure --proactive covers a host that hides its repositories, until logout")
    func proactive() throws {
        files.texts[.global] = "[credential \"https://git.example\"]\n\tprovider = none\n"
        doubles.configure("credential", "https://git.example", "provider", "none")
        respond(.page(status: 404))
        #expect(try login("git.example", "alice", token: "tok_mine").0 == .done)
        #expect(try verb.run("status", "git.example").text == ["git.example", "  Token of alice (keyring)"])
        let (status, text) = try verb.run("configure", "git.example", "--proactive")
        #expect(status == .done && text.contains("  [http \"https://git.example\"]"), "\(text)")
        let end = try verb.run("logout", "git.example").text
        #expect(end.last == "git no longer sends a token with its first request to git.example.", "\(end)")
        #expect(files.texts[.global]?.contains("proactiveAuth") == false)
    }

    @Test(
        "setup asks for another token if the stored one has expired",
        arguments: ["gitea.com", "bitbucket.org/acme/widgets"])
    func expired(host: String) throws {
        helper.brought("tok_old", expiresIn: -10, host: String(host.prefix { $0 != "/" }), user: "alice")
        questions.answers = ["2"]
        #expect(try setup.run(host: host) == .cancelled)
        #expect(!setup.lines.contains { $0.hasPrefix("Already signed in") })
        #expect(requests.isEmpty)
    }
}
