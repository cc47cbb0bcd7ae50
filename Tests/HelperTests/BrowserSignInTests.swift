import CredentialCore
import Helper
import Messages
import Providers
import TestSupport
import Testing
import Verbs

/// GitLab has both flows, and an OpenID server may have either.
@Suite("A sign-in in the browser")
struct BrowserSignInTests {
    private let helper = HelperFixture()
    private var doubles: Doubles { helper.doubles }

    init() {
        doubles.ui.opensBrowser = true
        doubles.configure("credential", "https://gitlab.com", "oauthClientId", "app")
    }

    private func get(_ host: String = "gitlab.com", as username: String? = nil) throws -> String {
        try helper.run(.get, "protocol=https\nhost=\(host)" + (username.map { "\nusername=\($0)" } ?? ""))
    }

    private func answer(_ answers: HTTPResponse...) { answers.forEach(doubles.transport.answer) }

    private var result: String {
        guard let result = doubles.redirect.results.last, doubles.redirect.results.count == 1 else { return "none" }
        return switch result {
        case .signedIn(let account, let host): "\(account) on \(host)"
        case .failed(let host, let error): "not on \(host): \(error?.text.english ?? "-")"
        }
    }

    @Test("where a browser is at hand it brings the token, and shows the account once that is saved")
    func signIn() throws {
        doubles.redirect.queries = ["code=mallorys", "code=c&state=guessed", "code=c&state=STATE"]
        answer(GitLabAnswers.token, GitLabAnswers.user("monalisa"))
        #expect(try get().hasPrefix("username=monalisa\npassword=de6780bc"))
        let page = try #require(doubles.redirect.page)
        #expect(page.address.hasPrefix("https://gitlab.com/oauth/authorize?response_type=code&client_id=app&"))
        #expect(page["scope"] == "read_repository write_repository read_user" && page["nonce"] == nil)
        guard case .browser(_, offersDeviceCode: true) = doubles.ui.prompts.first?.approval else {
            Issue.record("\(String(describing: doubles.ui.prompts.first))")
            return
        }
        #expect(doubles.transport.requests.map(\.address).first == "https://gitlab.com/oauth/token")
        #expect(doubles.transport.requests.first?["code"] == "c" && doubles.redirect.strays == 2)
        #expect(result == "monalisa on gitlab.com" && doubles.errors.isEmpty)
        let steps = doubles.journal.entries
        let saved = try #require(steps.lastIndex { $0.contains("save") })
        #expect(try #require(steps.lastIndex(of: "browser")) > saved, "\(steps)")
    }

    @Test("without a browser, with `device`, and on github.com it is the device flow")
    func device() throws {
        doubles.ui.opensBrowser = false
        answer(GitLabAnswers.device(), GitLabAnswers.token, GitLabAnswers.user("monalisa"))
        #expect(try get().hasPrefix("username=monalisa\n"))
        doubles.ui.opensBrowser = true
        answer(GitHubAnswers.device, GitHubAnswers.oauthAppToken, GitHubAnswers.user("monalisa"))
        #expect(try get("github.com").hasPrefix("username=monalisa\n"))
        doubles.configure("credential", "https://gitlab.com", "gitspaceFlow", "device")
        answer(GitLabAnswers.device(), GitLabAnswers.token, GitLabAnswers.user("bob"))
        #expect(try get(as: "bob").hasPrefix("username=bob\n"))
        #expect(doubles.redirect.address == nil && doubles.errors.isEmpty)
    }

    @Test("a person may want a code instead, and gets one where nothing can be listened on", arguments: [true, false])
    func instead(isAvailable: Bool) throws {
        doubles.redirect.failure = isAvailable ? nil : .noRedirect
        if isAvailable { doubles.ui.endOfWait = (1, .wantsDeviceCode) }
        answer(GitLabAnswers.device(), GitLabAnswers.token, GitLabAnswers.user("monalisa"))
        #expect(try get().hasPrefix("username=monalisa\n"))
        #expect(doubles.ui.prompts.last?.approval.userCode == "0A44L90H" && doubles.redirect.results.isEmpty)
    }

    @Test("`browser` is a person's word: an address is pasted where none can be opened, and github.com has none")
    func browserOnly() throws {
        doubles.ui.opensBrowser = false
        doubles.configure("credential", "https://gitlab.com", "gitspaceFlow", "browser")
        doubles.configure("credential", "https://github.com", "gitspaceFlow", "browser")
        doubles.ui.endOfWait = (1, .pasted)
        doubles.ui.willPaste = { "http://127.0.0.1:49152/?code=c&state=wrong" }
        #expect(try get() == "quit=1\n")
        #expect(doubles.ui.notices == [.notTheAddress] && doubles.transport.requests.isEmpty)
        guard case .pastedAddress = doubles.ui.prompts.first?.approval else {
            Issue.record("\(String(describing: doubles.ui.prompts.first))")
            return
        }
        #expect(try get("github.com") == "quit=1\n" && doubles.errors.last?.code == .clientUnusable)
        doubles.redirect.failure = .noRedirect
        #expect(try get(as: "bob") == "quit=1\n")
        #expect(
            doubles.errors.last?.text.english
                == "cannot listen on 127.0.0.1 for the browser's answer")
        doubles.redirect.failure = .redirectTaken(port: 8_123, by: "python3 (PID 7)")
        #expect(try get(as: "carol") == "quit=1\n")
        #expect(
            doubles.errors.last?.text.english
                == "cannot listen on port 8123 for the browser's answer: it is in use by python3 (PID 7)")
    }

    @Test(
        "an address that a person has registered is listened on, and sent letter by letter",
        arguments: [
            ("http://127.0.0.1:8123/cb", 8_123, "http://127.0.0.1:8123/cb"),
            ("http://localhost:8123", 8_123, "http://localhost:8123"),
            ("http://[::1]/", nil, "http://[::1]:49152/"),
        ] as [(String, UInt16?, String)])
    func configuredRedirect(text: String, port: UInt16?, sent: String) throws {
        doubles.configure("credential", "https://gitlab.com", "oauthRedirectURL", text)
        doubles.redirect.queries = ["code=c&state=STATE"]
        answer(GitLabAnswers.token, GitLabAnswers.user("monalisa"))
        #expect(try get().hasPrefix("username=monalisa\n"))
        #expect(doubles.redirect.address?.port == port && doubles.redirect.address?.registered == text)
        #expect(doubles.redirect.page?["redirect_uri"] == sent)
        #expect(doubles.transport.requests.first?["redirect_uri"] == sent)
    }

    @Test("of an address without a path, a browser shows one")
    func pastedWithPath() throws {
        doubles.ui.opensBrowser = false
        doubles.configure("credential", "https://gitlab.com", "gitspaceFlow", "browser")
        doubles.configure("credential", "https://gitlab.com", "oauthRedirectURL", "http://127.0.0.1:8123")
        doubles.ui.endOfWait = (1, .pasted)
        doubles.ui.willPaste = { [doubles] in
            "http://127.0.0.1:8123/?code=c&state=\(doubles.redirect.page?["state"] ?? "")"
        }
        answer(GitLabAnswers.token, GitLabAnswers.user("monalisa"))
        #expect(try get().hasPrefix("username=monalisa\n"))
    }

    @Test(
        "an address that is none of this machine's is told before anybody is asked",
        arguments: [
            "https://127.0.0.1:8123/", "http://git.example/", "http://127.0.0.1:0/", "http://127.0.0.1:x/",
            "http://127.0.0.1:65536/", "http://localhost.example/", "http://127.0.0.1.example:8123/",
            "http://a@127.0.0.1/", "http://127.0.0.1:8123/?a", "http://127.0.0.1:8123/#a", "127.0.0.1:8123",
        ])
    func foreignRedirect(text: String) throws {
        doubles.configure("credential", "https://gitlab.com", "oauthRedirectURL", text)
        #expect(try get() == "quit=1\n" && doubles.redirect.address == nil && doubles.ui.prompts.isEmpty)
        let error = SignInError.malformedRedirect(DisplayText(untrusted: text.utf8))
        let words = UserFacingError.signIn(error, host: "gitlab.com", clientID: "app")
        #expect(doubles.errors == [words])
    }

    @Test("the address that is pasted is as good as the browser itself")
    func pasted() throws {
        doubles.ui.opensBrowser = false
        doubles.configure("credential", "https://gitlab.com", "gitspaceFlow", "browser")
        doubles.ui.endOfWait = (1, .pasted)
        doubles.ui.willPaste = { [doubles] in
            "  http://127.0.0.1:49152/?code=c&state=\(doubles.redirect.page?["state"] ?? "")#top"
        }
        answer(GitLabAnswers.token, GitLabAnswers.user("monalisa"))
        #expect(try get().hasPrefix("username=monalisa\n") && doubles.ui.notices.count == 1)
    }

    @Test(
        "of what is pasted, only the address that was asked for counts: another server's page ends elsewhere",
        arguments: [
            ("https://127.0.0.1:49152/git.example?", true), ("127.0.0.1:49152/git.example?", true),
            ("http://127.0.0.1:49152/?", false), ("http://127.0.0.1:49152/gitlab.com?", false),
            ("http://127.0.0.1:49153/git.example?", false), ("http://evil.example/git.example?", false),
            ("http://127.0.0.1:49152/git.example/?", false), ("?", false), ("", false),
        ])
    func pastedFromElsewhere(beginning: String, isTaken: Bool) throws {
        doubles.ui.opensBrowser = false
        configureGitLab()
        doubles.configure("credential", "https://git.example", "gitspaceFlow", "browser")
        doubles.ui.endOfWait = (1, .pasted)
        doubles.ui.willPaste = { [doubles] in "\(beginning)code=c&state=\(doubles.redirect.page?["state"] ?? "")" }
        answer(GitLabAnswers.token, GitLabAnswers.user("monalisa"))
        #expect(try get("git.example").hasPrefix("username=monalisa\n") == isTaken)
        #expect(doubles.ui.notices.contains(.notTheAddress) == !isTaken)
        #expect(doubles.transport.requests.isEmpty == !isTaken)
    }

    private func configureGitLab() {
        doubles.configure("credential", "https://git.example", "provider", "gitlab")
        doubles.configure("credential", "https://git.example", "oauthClientId", "app")
    }

    @Test("each configured server has a redirect of its own, and a built-in one the plain one")
    func ownRedirect() throws {
        configureGitLab()
        doubles.configure("credential", "https://[fd00::1]:8443", "provider", "gitlab")
        doubles.configure("credential", "https://[fd00::1]:8443", "oauthClientId", "app")
        for (host, uri) in [
            ("gitlab.com", "http://127.0.0.1:49152/"), ("git.example", "http://127.0.0.1:49152/git.example"),
            ("[fd00::1]:8443", "http://127.0.0.1:49152/fd00::1:8443"),
        ] {
            doubles.redirect.queries = ["code=c&state=STATE"]
            answer(GitLabAnswers.token, GitLabAnswers.user("monalisa"))
            #expect(try get(host).hasPrefix("username=monalisa\n"), "\(doubles.errors)")
            #expect(doubles.redirect.page?["redirect_uri"] == uri)
            #expect(doubles.transport.requests.last { $0["code"] != nil }?["redirect_uri"] == uri)
        }
    }

    @Test(
        "GitLab publishes nothing of itself, and its origin is what `iss` is compared with",
        arguments: [
            ("https://git.example", true), ("https://git.example/gitlab", true), ("https://mallory.example", false),
            ("https://git.example.mallory.example", false), ("http://git.example", false), ("", false),
        ])
    func otherIssuer(name: String, isRight: Bool) throws {
        configureGitLab()
        doubles.redirect.queries = ["code=c&state=STATE&iss=\(name)"]
        answer(GitLabAnswers.token, GitLabAnswers.user("monalisa"))
        #expect(try get("git.example").hasPrefix("username=monalisa\n") == isRight)
        guard !isRight else { return }
        #expect(result == "not on git.example: another server answered in the browser: \(name), not git.example")
        #expect(doubles.transport.requests.isEmpty)
    }

    @Test("a browser that comes back by https is told how to come back, once; so is whoever else comes")
    func otherEvents() throws {
        let origin = RedirectEvent.https(origin: "http://127.0.0.1:49152")
        for (event, notice) in [
            (origin, Notice.redirectByHTTPS(origin: "http://127.0.0.1:49152")), (.stranger, .strangerRefused),
        ] {
            doubles.redirect.events = [event, event, event]
            #expect(try get() == "quit=1\n")
            #expect(doubles.ui.notices.filter { $0 == notice } == [notice], "\(doubles.ui.notices)")
        }
        #expect(doubles.transport.requests.isEmpty)
    }

    @Test("where the kernel does not tell who connects, a code is shown, else the address is pasted")
    func deaf() throws {
        doubles.redirect.hearsBrowser = false
        answer(GitLabAnswers.device(), GitLabAnswers.token, GitLabAnswers.user("monalisa"))
        #expect(try get().hasPrefix("username=monalisa\n"))
        #expect(doubles.ui.prompts.last?.approval.userCode == "0A44L90H")
        doubles.configure("credential", "https://gitlab.com", "gitspaceFlow", "browser")
        #expect(try get(as: "bob") == "quit=1\n")
        guard case .pastedAddress = doubles.ui.prompts.last?.approval else {
            Issue.record("\(String(describing: doubles.ui.prompts.last))")
            return
        }
    }

    @Test("a no in the browser is a no, told there and here")
    func declined() throws {
        doubles.redirect.queries = ["error=access_denied&state=STATE"]
        #expect(try get() == "quit=1\n")
        #expect(result == "not on gitlab.com: the sign-in was declined in the browser")
        #expect(doubles.errors.map(\.text.english) == ["the sign-in was declined in the browser"])
    }

    @Test("a browser that never comes back, or an end of git, ends it; nothing is sent")
    func never() throws {
        #expect(try get() == "quit=1\n")
        #expect(doubles.ui.waits == [900_000])
        #expect(doubles.errors.map(\.text.english) == ["the code expired before it was approved"])
        doubles.ui.endOfWait = (2, .abandoned)
        #expect(try get(as: "bob") == "quit=1\n" && doubles.errors.count == 1)
        #expect(doubles.transport.requests.isEmpty && doubles.redirect.results.isEmpty)
    }

    @Test("a fault on the way is tried three times; what the server then says counts")
    func faults() throws {
        doubles.redirect.queries = ["code=c&state=STATE"]
        doubles.transport.fail(.unreachable)
        answer(.page(status: 502), GitLabAnswers.invalidGrant)
        #expect(try get() == "quit=1\n")
        #expect(doubles.transport.requests.map { $0["code"] } == ["c", "c", "c"])
        #expect(result == "not on gitlab.com: gitlab.com no longer recognizes this sign-in")
    }

    @Test("another account than the one that was asked for gets a page that says so, and nothing is stored")
    func wrongAccount() throws {
        doubles.redirect.queries = ["code=c&state=STATE"]
        answer(GitLabAnswers.token, GitLabAnswers.user("mallory"), .json("{}"), .json("{}"))
        #expect(try get(as: "monalisa") == "quit=1\n")
        #expect(doubles.redirect.page?["login_hint"] == "monalisa")
        #expect(result.hasPrefix("not on gitlab.com: signed in as mallory") && doubles.keyring.items.isEmpty)
    }

    @Test("what no account can be called does not get into the address")
    func hint() throws {
        #expect(try get(as: "x y&prompt=none") == "quit=1\n")
        #expect(doubles.redirect.page?["login_hint"] == nil && doubles.redirect.page?["prompt"] == nil)
    }
}

extension BrowserSignInTests {
    private func discover(_ members: String) {
        doubles.configure("credential", "https://git.example", "provider", "oidc")
        doubles.configure("credential", "https://git.example", "oauthClientId", "c")
        doubles.configure("credential", "https://git.example", "oauthIssuer", "https://id.example")
        let document = #"{"issuer":"https://id.example","token_endpoint":"https://id.example/token",\#(members)}"#
        doubles.transport.aside = { $0.address.contains("/.well-known/openid-") ? .json(document) : nil }
    }

    @Test("a server without a device flow signs in by the browser, with a nonce and its own issuer")
    func openID() throws {
        discover(
            #""authorization_endpoint":"https://id.example/auth","userinfo_endpoint":"https://id.example/me","#
                + #""authorization_response_iss_parameter_supported":true,"code_challenge_methods_supported":["S256"]"#)
        doubles.redirect.queries = ["code=c&state=STATE&iss=https://id.example"]
        answer(
            .page(status: 404), .json(#"{"access_token":"a","token_type":"bearer","expires_in":3600}"#),
            .json(#"{"sub":"7","preferred_username":"mona"}"#))
        #expect(try get("git.example").hasPrefix("username=mona\npassword=a\n"), "\(doubles.errors)")
        #expect(doubles.redirect.page?["nonce"]?.isEmpty == false)
        #expect(
            doubles.transport.requests.map(\.address).dropFirst() == [
                "https://id.example/token", "https://id.example/me",
            ])
        doubles.redirect.queries = ["code=c&state=STATE&iss=https://mallory.example"]
        answer(.page(status: 404))
        #expect(try get("git.example", as: "bob") == "quit=1\n")
        #expect(
            doubles.errors.last?.text.english
                == "another server answered in the browser: https://mallory.example, not id.example")
    }

    @Test(
        "a server whose proof is uncertain, or whose page is elsewhere, keeps the device flow; without one it has none",
        arguments: [
            #""authorization_endpoint":"https://id.example/auth""#,
            #""authorization_endpoint":"https://id.example/auth","code_challenge_methods_supported":["plain"]"#,
            #""authorization_endpoint":"https://mallory.example/auth","code_challenge_methods_supported":["S256"]"#,
        ])
    func uncertain(members: String) throws {
        discover(#""device_authorization_endpoint":"https://id.example/device","# + members)
        answer(.json(#"{"error":"access_denied"}"#, status: 400))
        #expect(try get("git.example") == "quit=1\n")
        #expect(doubles.transport.requests.map(\.address) == ["https://id.example/device"])
        #expect(doubles.redirect.address == nil)
    }

    @Test("without a device flow, and without a browser here, the address is pasted")
    func noOtherWay() throws {
        doubles.ui.opensBrowser = false
        discover(#""authorization_endpoint":"https://id.example/auth","code_challenge_methods_supported":["S256"]"#)
        answer(.page(status: 404))
        #expect(try get("git.example") == "quit=1\n")
        guard case .pastedAddress = doubles.ui.prompts.first?.approval else {
            Issue.record("\(String(describing: doubles.ui.prompts.first))")
            return
        }
    }

    @Test("a page on another host is nobody's choice: without a device flow nothing is asked")
    func foreignPage() throws {
        discover(
            #""authorization_endpoint":"https://mallory.example/auth","code_challenge_methods_supported":["S256"]"#)
        answer(.page(status: 404))
        #expect(try get("git.example") == "quit=1\n")
        #expect(
            doubles.errors.last?.text.english.contains("another host, mallory.example") == true, "\(doubles.errors)")
        #expect(doubles.errors.last?.hints.last?.english.contains("oauthAuthURL") == true)
        #expect(doubles.redirect.address == nil && doubles.ui.prompts.isEmpty)
    }

    @Test(
        "a Gitea that publishes nothing, or calls itself otherwise, has no setting for another issuer",
        arguments: ["", #"{"issuer":"https://other.example","token_endpoint":"https://git.example/token"}"#])
    func giteaWithoutEndpoints(document: String) throws {
        doubles.configure("credential", "https://git.example", "provider", "gitea")
        doubles.configure("credential", "https://git.example", "oauthClientId", "c")
        doubles.transport.aside = { _ in document.isEmpty ? .page(status: 404) : .json(document) }
        #expect(try get("git.example") == "quit=1\n")
        let error = try #require(doubles.errors.last)
        #expect(error.code == .discovery && !error.hints.contains { $0.english.contains("oauthIssuer") }, "\(error)")
    }

    @Test("Entra ID comes back to localhost, and lets the person choose an account")
    func entra() throws {
        doubles.configure("credential", "https://dev.azure.com", "provider", "oidc")
        doubles.configure("credential", "https://dev.azure.com", "oauthClientId", "c")
        let tenant = "https://login.microsoftonline.com/contoso/v2.0"
        doubles.configure("credential", "https://dev.azure.com", "oauthIssuer", tenant)
        let host = "https://login.microsoftonline.com/contoso/oauth2/v2.0"
        let document = """
            {"issuer":"\(tenant)","token_endpoint":"\(host)/token","authorization_endpoint":"\(host)/authorize",\
            "device_authorization_endpoint":"\(host)/devicecode"}
            """
        doubles.transport.aside = { $0.address.contains("/.well-known/openid-") ? .json(document) : nil }
        // Of Azure DevOps, all that its permissions allow.
        let scopes = "499b84ac-1321-427f-aa17-267ca6975798/.default offline_access"
        doubles.configure("credential", "https://dev.azure.com", "oauthScopes", scopes)
        doubles.redirect.queries = ["code=c&state=STATE"]
        answer(
            .json(#"{"access_token":"a","token_type":"Bearer","expires_in":3600,"refresh_token":"r"}"#),
            .json(#"{"access_token":"b","token_type":"Bearer","expires_in":3600,"refresh_token":"s"}"#))
        #expect(try get("dev.azure.com").hasPrefix("username=oauth2\npassword=a\n"), "\(doubles.errors)")
        #expect(doubles.redirect.page?["scope"] == scopes && doubles.redirect.page?["nonce"] == nil)
        let exchange = try #require(doubles.transport.requests.first)
        #expect(exchange.address == "\(host)/token" && exchange["code"] == "c" && exchange["client_secret"] == nil)
        #expect(doubles.redirect.address?.registered == "http://localhost/dev.azure.com")
        #expect(doubles.redirect.page?["prompt"] == nil)
        doubles.configure("credential", "https://dev.azure.com", "oauthPrompt", "select_account")
        #expect(try get("dev.azure.com", as: "bob@corp.test") == "quit=1\n")
        #expect(doubles.redirect.page?["prompt"] == "select_account")
    }

    @Test(
        "which account it should be is asked where the person wants one that is not signed in here",
        arguments: [
            (nil, nil, true, nil), (nil, "bob", true, "select_account"), (nil, "bob", false, nil),
            ("mona", "bob", false, "select_account"), ("bob", "bob", true, nil), ("mona", nil, true, nil),
        ] as [(String?, String?, Bool, String?)])
    func prompt(stored: String?, asked: String?, isLogin: Bool, prompt: String?) throws {
        discover(
            #""authorization_endpoint":"https://id.example/auth","code_challenge_methods_supported":["S256"],"#
                + #""prompt_values_supported":["none","select_account"]"#)
        doubles.transport.otherwise = .page(status: 404)
        if let stored { helper.stored(expiresIn: -60, refreshToken: nil, host: "git.example", user: stored) }
        if isLogin {
            _ = try VerbFixture(doubles).run(["login", "git.example"] + (asked.map { [$0] } ?? []))
        } else {
            _ = try get("git.example", as: asked)
        }
        let page = try #require(doubles.redirect.page)
        #expect(page["prompt"] == prompt && page["login_hint"] == asked)
    }

    @Test(
        "a sign-in that will end without a refresh token says so last, with the scope that may bring one",
        arguments: [(#","scopes_supported":["openid","profile"]"#, "openid profile offline_access"), ("", nil)]
            as [(String, DisplayText?)])
    func endsForGood(members: String, scopes: DisplayText?) throws {
        discover(
            #""authorization_endpoint":"https://id.example/auth","userinfo_endpoint":"https://id.example/me","#
                + #""code_challenge_methods_supported":["S256"]"# + members)
        doubles.redirect.queries = ["code=c&state=STATE"]
        answer(
            .page(status: 404),
            .json(#"{"access_token":"a","token_type":"bearer","expires_in":3600,"scope":"openid"}"#),
            .json(#"{"sub":"7","preferred_username":"mona"}"#))
        #expect(try get("git.example").hasPrefix("username=mona\n"))
        #expect(
            doubles.ui.notices.last
                == .endsForGood(host: "git.example", server: "id.example", seconds: 3_600, scopes: scopes))
    }
}
