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
    let helper = HelperFixture()
    var doubles: Doubles { helper.doubles }

    init() {
        doubles.ui.opensBrowser = true
        doubles.configure("credential", "https://gitlab.com", "oauthClientId", "app")
    }

    func get(_ host: String = "gitlab.com", as username: String? = nil) throws -> String {
        try helper.run(.get, "protocol=https\nhost=\(host)" + (username.map { "\nusername=\($0)" } ?? ""))
    }

    func answer(_ answers: HTTPResponse...) { answers.forEach(doubles.transport.answer) }

    var result: String {
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

    @Test("a code is exchanged three times at most where the host is in trouble", arguments: [2, 3])
    func exchanges(failures: Int) throws {
        doubles.redirect.queries = ["code=c&state=STATE"]
        for _ in 0..<failures { answer(HTTPResponse(status: 503)) }
        answer(GitLabAnswers.token, GitLabAnswers.user("monalisa"))
        #expect(try get().hasPrefix("username=monalisa\n") == (failures < 3))
        #expect(doubles.transport.requests.count { $0["code"] == "c" } == 3)
    }

    @Test("at codeberg.org it is Codeberg that is signed in to")
    func codeberg() throws {
        doubles.configure("credential", "https://codeberg.org", "oauthClientId", "app")
        doubles.redirect.queries = ["code=c&state=STATE"]
        answer(GiteaAnswers.discovery(), GiteaAnswers.token, GiteaAnswers.user("monalisa"))
        #expect(try get("codeberg.org").hasPrefix("username=monalisa\n"))
        #expect(doubles.ui.prompts.map(\.providerName) == ["Codeberg"])
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
