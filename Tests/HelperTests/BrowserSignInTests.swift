import TestSupport
import Testing

/// GitLab has both flows, and an OpenID server may have either.
@Suite("Sign-in in the browser")
struct BrowserSignInTests: HelperSuite {
    let helper = HelperFixture()

    init() {
        doubles.ui.opensBrowser = true
        doubles.configure("credential", "https://gitlab.com", "oauthClientId", "app")
    }

    func get(_ host: String = "gitlab.com", as username: String? = nil) throws -> String {
        try helper.run(.get, "protocol=https\nhost=\(host)" + (username.map { "\nusername=\($0)" } ?? ""))
    }

    /// Whether the person is asked for the address of the browser's last page.
    var asksForAddress: Bool { if case .pastedAddress? = prompts.last?.approval { true } else { false } }

    var result: String {
        guard let result = doubles.redirect.results.last, doubles.redirect.results.count == 1 else { return "none" }
        return switch result {
        case .signedIn(let account, let host): "\(account) on \(host)"
        case .failed(let host, let error): "not on \(host): \(error?.text.english ?? "-")"
        }
    }

    @Test("stores the token that the browser brings, and shows the account after that")
    func signIn() throws {
        doubles.redirect.queries = ["code=mallorys", "code=c&state=guessed", "code=c&state=STATE"]
        respond(GitLabAnswers.token, GitLabAnswers.user("monalisa"))
        #expect(try get().hasPrefix("username=monalisa\npassword=de6780bc"))
        let page = try #require(doubles.redirect.page)
        #expect(page.address.hasPrefix("https://gitlab.com/oauth/authorize?response_type=code&client_id=app&"))
        #expect(page["scope"] == "read_repository write_repository read_user" && page["nonce"] == nil)
        let offersCode = if case .browser(_, offersDeviceCode: true)? = prompts.first?.approval { true } else { false }
        #expect(offersCode, "\(prompts)")
        #expect(requests.map(\.address).first == "https://gitlab.com/oauth/token")
        #expect(requests.first?["code"] == "c" && doubles.redirect.strays == 2)
        #expect(result == "monalisa on gitlab.com" && doubles.errors.isEmpty)
        let steps = doubles.journal.entries
        let saved = try #require(steps.lastIndex { $0.contains("save") })
        #expect(try #require(steps.lastIndex(of: "browser")) > saved, "\(steps)")
    }

    @Test("exchanges a code three times at most if the host returns errors", arguments: [2, 3])
    func exchanges(failures: Int) throws {
        doubles.redirect.queries = ["code=c&state=STATE"]
        for _ in 0..<failures { respond(HTTPResponse(status: 503)) }
        respond(GitLabAnswers.token, GitLabAnswers.user("monalisa"))
        #expect(try get().hasPrefix("username=monalisa\n") == (failures < 3))
        #expect(requests.count { $0["code"] == "c" } == 3)
    }

    @Test("uses the device flow without a browser, with `device`, and on github.com")
    func device() throws {
        doubles.ui.opensBrowser = false
        respond(GitLabAnswers.device(), GitLabAnswers.token, GitLabAnswers.user("monalisa"))
        #expect(try get().hasPrefix("username=monalisa\n"))
        doubles.ui.opensBrowser = true
        helper.approve(as: "monalisa")
        #expect(try get("github.com").hasPrefix("username=monalisa\n"))
        doubles.configure("credential", "https://gitlab.com", "gitspaceFlow", "device")
        respond(GitLabAnswers.device(), GitLabAnswers.token, GitLabAnswers.user("bob"))
        #expect(try get(as: "bob").hasPrefix("username=bob\n"))
        #expect(doubles.redirect.address == nil && doubles.errors.isEmpty)
    }

    @Test("shows a code if the person chooses it, and if no port can be opened", arguments: [true, false])
    func instead(isAvailable: Bool) throws {
        doubles.redirect.failure = isAvailable ? nil : .noRedirect
        if isAvailable { doubles.ui.endOfWait = (1, .wantsDeviceCode) }
        respond(GitLabAnswers.device(), GitLabAnswers.token, GitLabAnswers.user("monalisa"))
        #expect(try get().hasPrefix("username=monalisa\n"))
        #expect(prompts.last?.approval.userCode == "0A44L90H" && doubles.redirect.results.isEmpty)
    }

    @Test("asks for a pasted address with `browser` if no browser opens, and shows a code on github.com")
    func browserOnly() throws {
        doubles.ui.opensBrowser = false
        doubles.configure("credential", "https://gitlab.com", "gitspaceFlow", "browser")
        doubles.configure("credential", "https://github.com", "gitspaceFlow", "browser")
        doubles.ui.endOfWait = (1, .pasted)
        doubles.ui.willPaste = { "http://127.0.0.1:49152/?code=c&state=wrong" }
        #expect(try get() == "quit=1\n" && notices == [.notTheAddress] && requests.isEmpty)
        #expect(asksForAddress, "\(prompts)")
        #expect(try get("github.com") == "quit=1\n" && doubles.errors.last?.code == .clientUnusable)
        doubles.redirect.failure = .noRedirect
        #expect(try get(as: "bob") == "quit=1\n")
        #expect(sentences.last == "cannot listen on 127.0.0.1 for the browser's answer")
        doubles.redirect.failure = .redirectTaken(port: 8_123, by: "python3 (PID 7)")
        #expect(try get(as: "carol") == "quit=1\n")
        #expect(
            sentences.last == "cannot listen on port 8123 for the browser's answer: it is in use by python3 (PID 7)")
    }

    @Test(
        "listens on the registered redirect address, and sends it unchanged",
        arguments: [
            ("http://127.0.0.1:8123/cb", 8_123, "http://127.0.0.1:8123/cb"),
            ("http://localhost:8123", 8_123, "http://localhost:8123"), ("http://[::1]/", nil, "http://[::1]:49152/"),
        ] as [(String, UInt16?, String)])
    func configuredRedirect(text: String, port: UInt16?, sent: String) throws {
        doubles.configure("credential", "https://gitlab.com", "oauthRedirectURL", text)
        doubles.redirect.queries = ["code=c&state=STATE"]
        respond(GitLabAnswers.token, GitLabAnswers.user("monalisa"))
        #expect(try get().hasPrefix("username=monalisa\n"))
        #expect(doubles.redirect.address?.port == port && doubles.redirect.address?.registered == text)
        #expect(doubles.redirect.page?["redirect_uri"] == sent)
        #expect(requests.first?["redirect_uri"] == sent)
    }

    @Test(
        "reports a redirect address that is not on this machine before anybody is asked",
        arguments: [
            "https://127.0.0.1:8123/", "http://git.example/", "http://127.0.0.1:0/", "http://127.0.0.1:x/",
            "http://127.0.0.1:65536/", "http://localhost.example/", "http://127.0.0.1.example:8123/",
            "http://a@127.0.0.1/", "http://127.0.0.1:8123/?a", "http://127.0.0.1:8123/#a", "127.0.0.1:8123",
        ])
    func foreignRedirect(text: String) throws {
        doubles.configure("credential", "https://gitlab.com", "oauthRedirectURL", text)
        #expect(try get() == "quit=1\n" && doubles.redirect.address == nil && prompts.isEmpty)
        let error = SignInError.malformedRedirect(DisplayText(untrusted: text.utf8))
        let words = UserFacingError.signIn(error, host: "gitlab.com", clientID: "app")
        #expect(doubles.errors == [words])
    }

    @Test(
        "accepts a pasted address only if it is the redirect address, with a slash if that has no path",
        arguments: [
            (nil, "  https://127.0.0.1:49152/git.example?", true), (nil, "127.0.0.1:49152/git.example?", true),
            (nil, "http://127.0.0.1:49152/?", false), (nil, "http://127.0.0.1:49152/gitlab.com?", false),
            (nil, "http://127.0.0.1:49153/git.example?", false), (nil, "http://evil.example/git.example?", false),
            (nil, "http://127.0.0.1:49152/git.example/?", false), (nil, "?", false), (nil, "", false),
            ("http://127.0.0.1:8123", "http://127.0.0.1:8123/?", true),
        ] as [(String?, String, Bool)])
    func pastedFromElsewhere(registered: String?, beginning: String, isTaken: Bool) throws {
        doubles.ui.opensBrowser = false
        configureGitLab()
        if let registered { doubles.configure("credential", "https://git.example", "oauthRedirectURL", registered) }
        doubles.configure("credential", "https://git.example", "gitspaceFlow", "browser")
        doubles.ui.endOfWait = (1, .pasted)
        let end = registered == nil ? "#top" : ""
        doubles.ui.willPaste = { [doubles] in
            "\(beginning)code=c&state=\(doubles.redirect.page?["state"] ?? "")\(end)"
        }
        respond(GitLabAnswers.token, GitLabAnswers.user("monalisa"))
        #expect(try get("git.example").hasPrefix("username=monalisa\n") == isTaken)
        #expect(notices.contains(.notTheAddress) == !isTaken)
        #expect(requests.isEmpty == !isTaken)
    }

    private func configureGitLab() {
        doubles.configure("credential", "https://git.example", ["provider": "gitlab", "oauthClientId": "app"])
    }

    @Test("gives each configured server a redirect of its own, and a built-in one the plain one")
    func ownRedirect() throws {
        configureGitLab()
        doubles.configure("credential", "https://[fd00::1]:8443", ["provider": "gitlab", "oauthClientId": "app"])
        for (host, uri) in [
            ("gitlab.com", "http://127.0.0.1:49152/"), ("git.example", "http://127.0.0.1:49152/git.example"),
            ("[fd00::1]:8443", "http://127.0.0.1:49152/fd00::1:8443"),
        ] {
            doubles.redirect.queries = ["code=c&state=STATE"]
            respond(GitLabAnswers.token, GitLabAnswers.user("monalisa"))
            #expect(try get(host).hasPrefix("username=monalisa\n"), "\(doubles.errors)")
            #expect(doubles.redirect.page?["redirect_uri"] == uri)
            #expect(requests.last { $0["code"] != nil }?["redirect_uri"] == uri)
        }
    }

    @Test(
        "compares the parameter `iss` with a GitLab's origin, because GitLab publishes no issuer",
        arguments: [
            ("https://git.example", true), ("https://git.example/gitlab", true), ("https://mallory.example", false),
            ("https://git.example.mallory.example", false), ("http://git.example", false), ("", false),
        ])
    func otherIssuer(name: String, isRight: Bool) throws {
        configureGitLab()
        doubles.redirect.queries = ["code=c&state=STATE&iss=\(name)"]
        respond(GitLabAnswers.token, GitLabAnswers.user("monalisa"))
        #expect(try get("git.example").hasPrefix("username=monalisa\n") == isRight)
        guard !isRight else { return }
        #expect(result == "not on git.example: another server answered in the browser: \(name), not git.example")
        #expect(requests.isEmpty)
    }

    @Test("tells a client that connects by https once how to come back")
    func otherEvents() throws {
        let origin = RedirectEvent.https(origin: "http://127.0.0.1:49152")
        for (event, notice) in [
            (origin, Notice.redirectByHTTPS(origin: "http://127.0.0.1:49152")), (.stranger, .strangerRefused),
        ] {
            doubles.redirect.events = [event, event, event]
            #expect(try get() == "quit=1\n")
            #expect(notices.filter { $0 == notice } == [notice], "\(notices)")
        }
        #expect(requests.isEmpty)
    }

    @Test("shows a code if the kernel cannot tell who connects, or asks for the pasted address")
    func deaf() throws {
        doubles.redirect.hearsBrowser = false
        respond(GitLabAnswers.device(), GitLabAnswers.token, GitLabAnswers.user("monalisa"))
        #expect(try get().hasPrefix("username=monalisa\n"))
        #expect(prompts.last?.approval.userCode == "0A44L90H")
        doubles.configure("credential", "https://gitlab.com", "gitspaceFlow", "browser")
        #expect(try get(as: "bob") == "quit=1\n")
        #expect(asksForAddress, "\(prompts)")
    }

    @Test("reports a refusal in the browser, both there and here")
    func declined() throws {
        doubles.redirect.queries = ["error=access_denied&state=STATE"]
        #expect(try get() == "quit=1\n")
        #expect(result == "not on gitlab.com: the sign-in was declined in the browser")
        #expect(sentences == ["the sign-in was declined in the browser"])
    }

    @Test("ends the sign-in without a request if the browser never returns or git ends")
    func never() throws {
        #expect(try get() == "quit=1\n" && doubles.ui.waits == [900_000])
        #expect(sentences == ["the code expired before it was approved"])
        doubles.ui.endOfWait = (2, .abandoned)
        #expect(try get(as: "bob") == "quit=1\n" && doubles.errors.count == 1)
        #expect(requests.isEmpty && doubles.redirect.results.isEmpty)
    }

    @Test("retries a transport fault three times, and then uses the server's answer")
    func faults() throws {
        doubles.redirect.queries = ["code=c&state=STATE"]
        doubles.transport.fail(.unreachable)
        respond(.page(status: 502), GitLabAnswers.invalidGrant)
        #expect(try get() == "quit=1\n")
        #expect(requests.map { $0["code"] } == ["c", "c", "c"])
        #expect(result == "not on gitlab.com: gitlab.com no longer recognizes this sign-in")
    }

    @Test("shows an error page and stores nothing if another account signed in")
    func wrongAccount() throws {
        doubles.redirect.queries = ["code=c&state=STATE"]
        respond(GitLabAnswers.token, GitLabAnswers.user("mallory"), .json("{}"), .json("{}"))
        #expect(try get(as: "monalisa") == "quit=1\n")
        #expect(doubles.redirect.page?["login_hint"] == "monalisa")
        #expect(result.hasPrefix("not on gitlab.com: signed in as mallory") && doubles.keyring.items.isEmpty)
    }

    @Test("leaves text that is no account name out of the address")
    func hint() throws {
        #expect(try get(as: "x y&prompt=none") == "quit=1\n")
        #expect(doubles.redirect.page?["login_hint"] == nil && doubles.redirect.page?["prompt"] == nil)
    }
}
