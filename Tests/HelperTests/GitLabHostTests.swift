import TestSupport
import Testing

@Suite("GitLab hosts")
struct GitLabHostTests: HelperSuite {
    let helper = HelperFixture()
    private static let hosts = ["gitlab.com", "git.example:8443"]

    private func configure(_ host: String) {
        doubles.configure("credential", "https://\(host)", "oauthClientId", "app")
        if host != "gitlab.com" { doubles.configure("credential", "https://\(host)", "provider", "gitlab") }
    }

    @Test("get signs in, and returns the token with the account's name", arguments: hosts)
    func signIn(host: String) throws {
        configure(host)
        respond(
            GitLabAnswers.device(host: host), GitLabAnswers.pending, GitLabAnswers.slowDown, GitLabAnswers.token,
            GitLabAnswers.user("monalisa"))
        let text = try get(host: host)
        #expect(
            text.hasPrefix("username=monalisa\npassword=de6780bc506a0446309bd9362820ba8aed28aa506c71eedbe1c5c4f9dd"))
        #expect(text.contains("\npassword_expiry_utc=") && !text.contains("oauth_refresh_token"))
        #expect(prompts.map(\.providerName) == ["GitLab"] && doubles.ui.waits == [6_000, 6_000, 12_000])
        #expect(requests.allSatisfy { $0.address.hasPrefix("https://\(host)/") })
        #expect(requests.first?["scope"] == "read_repository write_repository read_user")
        #expect(doubles.transport.isExhausted && doubles.errors.isEmpty)
    }

    @Test("get returns the user name that GitLab documents if the account stays unknown")
    func anonymous() throws {
        configure("gitlab.com")
        respond(GitLabAnswers.device(), GitLabAnswers.token, .page(status: 500), .page(status: 500), .page(status: 500))
        #expect(try get(host: "gitlab.com").hasPrefix("username=oauth2\n"))
    }

    @Test("get does not use github.com's client ID for gitlab.com, lets git go on, and reports how to get one")
    func builtIn() throws {
        #expect(try get(host: "gitlab.com").isEmpty)
        #expect(doubles.errors == [.noClientID(host: "gitlab.com", form: .gitLabApplication)] && requests.isEmpty)
        #expect(hints.last == "  git credential-gitspace setup gitlab.com")
        doubles.builtInGitLabClientID = "lab"
        respond(GitLabAnswers.device(), GitLabAnswers.error("access_denied", status: 400))
        #expect(try get(host: "gitlab.com") == "quit=1\n")
        #expect(requests.map { $0["client_id"] } == ["lab", "lab"])
    }

    @Test("get treats a dead refresh token as final, but not a server in trouble")
    func refresh() throws {
        configure("gitlab.com")
        helper.stored(expiresIn: 100, clientID: "app", host: "gitlab.com")
        respond(GitLabAnswers.error("invalid_client", status: 401))
        #expect(try get(host: "gitlab.com").contains("password=ghu_old\n"))
        #expect(credential()?.oauthRefreshToken != nil)
        respond(GitLabAnswers.invalidGrant)
        #expect(try get(host: "gitlab.com").contains("password=ghu_old\n"))
        #expect(credential()?.oauthRefreshToken == nil)
    }

    @Test("logout --revoke sends both tokens with the client ID that they were issued to", arguments: hosts)
    func revoke(host: String) throws {
        configure(host)
        helper.stored(expiresIn: 100, clientID: "other", host: host)
        respond(.json("{}"), .json("{}"))
        let end = try verb.run("logout", host, "--revoke")
        #expect(
            end.status == .done && end.text.contains("Revoked the token at \(host).") && doubles.keyring.items.isEmpty)
        #expect(requests.map(\.body) == ["client_id=other&token=ghr_old", "client_id=other&token=ghu_old"])
    }

    @Test(
        "logout --revoke sends no refresh token to another origin than the one that issued it",
        arguments: [
            ("https://tokens.example", nil), (nil, "https://tokens.example/t"),
            ("https://tokens.example", "https://tokens.example/t"),
        ] as [(String?, String?)])
    func revokeElsewhere(origin: String?, endpoint: String?) throws {
        configure("git.example")
        if let endpoint { doubles.configure("credential", "https://git.example", "oauthTokenURL", endpoint) }
        helper.stored(expiresIn: 100, clientID: "app", host: "git.example", origin: origin)
        #expect(try verb.run("logout", "git.example", "--revoke").status == .failed)
        let error = try #require(doubles.errors.first)
        #expect(
            error.code == .notRevoked && error.text.english.contains("gitspace cannot revoke tokens at"), "\(error)")
        #expect(requests.isEmpty && doubles.keyring.items.count == 1)
    }

    @Test("status shows the scopes and the expiry that GitLab returns")
    func status() throws {
        helper.brought("x", host: "gitlab.com")
        // A token that may not read the account is valid all the same.
        respond(
            GitLabAnswers.insufficientScope, HTTPResponse(status: 404),
            .json(#"{"scope":["api","read_user"],"expires_in":100}"#))
        #expect(try verb.run("status", "gitlab.com", "--json").status == .done)
        for member in [
            #""provider": "gitlab""#, #""state": "authorized""#, #""scopes": "api read_user""#,
            "\"expires_at\": \(doubles.clock.now + 100),",
        ] { #expect(verb.printed.contains(member), "\(verb.printed)") }
    }

    @Test("stores a token without read_user for the named account if git's own protocol accepts it")
    func withoutReadUser() throws {
        func login(_ options: String..., git status: Int) throws -> Verbs.ExitStatus {
            verb.questions.isInputTyped = false
            verb.questions.answers = ["glpat-x"]
            respond(GitLabAnswers.insufficientScope, HTTPResponse(status: status))
            return try verb.run(["login", "gitlab.com", "--with-token"] + options).status
        }
        #expect(try login(git: 404) == .failed && doubles.errors.last == .tokenNeedsName(host: "gitlab.com"))
        #expect(try login("--username", "group_bot", git: 401) == .failed && doubles.keyring.items.isEmpty)
        #expect(try login("--username", "group_bot", git: 404) == .done)
        #expect(password(of: "group_bot") == "glpat-x")
    }

    @Test("configure leaves gitlab.com out until it has a client ID")
    func helperLines() throws {
        func hosts() throws -> [String] {
            let lines = try verb.run("configure", "--dry-run").text.below("Would add to /global:")
            return lines.filter { $0.hasPrefix("[") }.map { String($0.dropFirst(21).dropLast(2)) }
        }
        #expect(try hosts() == ["github.com", "gist.github.com"])
        doubles.builtInGitLabClientID = "lab"
        #expect(try hosts() == ["github.com", "gist.github.com", "gitlab.com"])
        doubles.builtInGitLabClientID = nil
        files.texts[.global] = "[credential \"https://gitlab.com\"]\n\toauthClientId = mine\n"
        #expect(try hosts() == ["github.com", "gist.github.com", "gitlab.com"])
    }

    @Test("setup shows GitLab's own form, and asks for its Application ID")
    func register() throws {
        let setup = SetupFixture()
        setup.questions.answers = ["1", "wrong", "unticked", "mine"]
        setup.respond(
            GitLabAnswers.error("invalid_client", status: 401), GitLabAnswers.error("invalid_scope", status: 400),
            GitLabAnswers.device(), GitLabAnswers.device(), GitLabAnswers.token, GitLabAnswers.user("monalisa"))
        setup.doubles.transport.otherwise = GitLabAnswers.user("monalisa")
        _ = try setup.run(host: "gitlab.com")
        let again = "Application ID (Enter tries wrong again, b goes back): "
        #expect(setup.questions.asked.prefix(3) == ["1 or 2? [1] ", "Application ID: ", again])
        #expect(setup.lines.contains { $0.hasPrefix("An Application ID that is registered already, such as your ") })
        #expect(setup.lines.contains("  https://gitlab.com/-/user_settings/applications"))
        #expect(setup.lines.contains("    http://127.0.0.1/"))
        #expect(setup.lines.contains { $0.contains("Untick \"Confidential\"") })
        #expect(setup.lines.contains("    read_repository, write_repository, read_user"))
        #expect(!setup.lines.contains { $0.contains("GitHub") || $0.contains("Device Flow") })
        #expect(setup.doubles.errors.count == 2)
        #expect(setup.doubles.errors.first?.hints.first?.english.contains("Application ID") == true)
        #expect(setup.doubles.keyring.credential(of: "monalisa")?.grant?.clientID == "mine")
    }

    @Test("setup names the redirect address for this host", arguments: ["gitlab", "gitea"])
    func ownRedirect(provider: String) throws {
        let setup = SetupFixture()
        setup.doubles.configure("credential", "https://git.example:8443", "provider", provider)
        setup.questions.answers = ["1"]
        setup.doubles.transport.otherwise = .page(status: 404)
        #expect(try setup.run(host: "git.example:8443") != .done)
        #expect(setup.lines.contains("    http://127.0.0.1/git.example:8443"), "\(setup.lines)")
    }

    @Test("setup stops at a GitLab without the device flow, where no Application ID works")
    func withoutDeviceFlow() throws {
        let setup = SetupFixture()
        setup.doubles.configure("credential", "https://git.example", "provider", "gitlab")
        setup.questions.answers = ["1", "the-application", "another"]
        setup.doubles.transport.otherwise = .page(status: 404)
        #expect(try setup.run(host: "git.example") == .failed && setup.questions.answers == ["another"])
        let hint = "  git credential-gitspace setup git.example --with-token"
        #expect(setup.doubles.errors.last?.hints.last?.english == hint)
    }

    @Test("refuses a GitHub App's settings on GitLab")
    func gitHubApp() throws {
        let setup = SetupFixture()
        #expect(try setup.run("--github-app", host: "gitlab.com") == .failed)
        #expect(setup.doubles.errors == [.noRegistrationPage(host: "gitlab.com")])
    }

    @Test("check names the missing scope, and the page of a group's own sign-on")
    func check() throws {
        helper.stored(expiresIn: 3_600, host: "gitlab.com")
        let text = HTTPResponse(status: 403, body: Secret("You are not allowed to upload code.".utf8))
        respond(GitLabAnswers.user("octocat"), GitLabAnswers.insufficientScope, text, HTTPResponse(status: 200))
        let (status, lines) = try verb.run("check", "https://gitlab.com/acme/tools/widgets/-/tree/main")
        #expect(status == .done)
        #expect(lines.first == "acme/tools/widgets on gitlab.com, as octocat")
        #expect(lines.contains { $0.contains("grant write_repository") })
        #expect(!lines.contains { $0.contains("workflow") })
    }
}
