import TestSupport
import Testing

/// Sign-ins at an OpenID server, which may have either flow.
extension BrowserSignInTests {
    private func discover(_ members: String) {
        configureOpenID()
        let document = #"{"issuer":"https://id.example","token_endpoint":"https://id.example/token",\#(members)}"#
        doubles.transport.aside = { $0.address.contains("/.well-known/openid-") ? .json(document) : nil }
    }

    @Test("signs in by the browser, with a nonce and its own issuer, if the server has no device flow")
    func openID() throws {
        discover(
            #""authorization_endpoint":"https://id.example/auth","userinfo_endpoint":"https://id.example/me","#
                + #""authorization_response_iss_parameter_supported":true,"code_challenge_methods_supported":["S256"]"#)
        doubles.redirect.queries = ["code=c&state=STATE&iss=https://id.example"]
        respond(
            .page(status: 404), .json(#"{"access_token":"a","token_type":"bearer","expires_in":3600}"#),
            .json(#"{"sub":"7","preferred_username":"mona"}"#))
        #expect(try get("git.example").hasPrefix("username=mona\npassword=a\n"), "\(doubles.errors)")
        #expect(doubles.redirect.page?["nonce"]?.isEmpty == false)
        #expect(requests.map(\.address).dropFirst() == ["https://id.example/token", "https://id.example/me"])
        doubles.redirect.queries = ["code=c&state=STATE&iss=https://mallory.example"]
        respond(.page(status: 404))
        #expect(try get("git.example", as: "bob") == "quit=1\n")
        #expect(sentences.last == "another server answered in the browser: https://mallory.example, not id.example")
        doubles.redirect.queries = ["code=c&state=STATE"]
        respond(.page(status: 404))
        #expect(try get("git.example", as: "bob") == "quit=1\n")
        #expect(sentences.last == "the answer in the browser does not say that it is from id.example")
    }

    @Test(
        "keeps the device flow if the server does not support S256, or its page is on another host",
        arguments: [
            #""authorization_endpoint":"https://id.example/auth""#,
            #""authorization_endpoint":"https://id.example/auth","code_challenge_methods_supported":["plain"]"#,
            #""authorization_endpoint":"https://mallory.example/auth","code_challenge_methods_supported":["S256"]"#,
        ])
    func uncertain(members: String) throws {
        discover(#""device_authorization_endpoint":"https://id.example/device","# + members)
        respond(.json(#"{"error":"access_denied"}"#, status: 400))
        #expect(try get("git.example") == "quit=1\n")
        #expect(requests.map(\.address) == ["https://id.example/device"] && doubles.redirect.address == nil)
    }

    @Test("asks for the pasted address if there is neither a device flow nor a browser here")
    func noOtherWay() throws {
        doubles.ui.opensBrowser = false
        discover(#""authorization_endpoint":"https://id.example/auth","code_challenge_methods_supported":["S256"]"#)
        respond(.page(status: 404))
        #expect(try get("git.example") == "quit=1\n")
        #expect(asksForAddress, "\(prompts)")
    }

    @Test("asks nothing if the only page is on another host and there is no device flow")
    func foreignPage() throws {
        discover(
            #""authorization_endpoint":"https://mallory.example/auth","code_challenge_methods_supported":["S256"]"#)
        respond(.page(status: 404))
        #expect(try get("git.example") == "quit=1\n")
        #expect(sentences.last?.contains("another host, mallory.example") == true, "\(doubles.errors)")
        #expect(hints.last?.contains("oauthAuthURL") == true && doubles.redirect.address == nil && prompts.isEmpty)
    }

    @Test(
        "does not suggest another issuer for a Gitea that publishes no endpoints of its own",
        arguments: ["", #"{"issuer":"https://other.example","token_endpoint":"https://git.example/token"}"#])
    func giteaWithoutEndpoints(document: String) throws {
        doubles.configure("credential", "https://git.example", ["provider": "gitea", "oauthClientId": "c"])
        doubles.transport.aside = { _ in document.isEmpty ? .page(status: 404) : .json(document) }
        #expect(try get("git.example") == "quit=1\n")
        let error = try #require(doubles.errors.last)
        #expect(error.code == .discovery && !error.hints.contains { $0.english.contains("oauthIssuer") }, "\(error)")
    }

    @Test("Entra ID redirects to localhost, and lets the person choose an account")
    func entra() throws {
        doubles.configure("credential", "https://dev.azure.com", ["provider": "oidc", "oauthClientId": "c"])
        let tenant = "https://login.microsoftonline.com/contoso/v2.0"
        doubles.configure("credential", "https://dev.azure.com", "oauthIssuer", tenant)
        let host = "https://login.microsoftonline.com/contoso/oauth2/v2.0"
        let document = """
            {"issuer":"\(tenant)","token_endpoint":"\(host)/token","authorization_endpoint":"\(host)/authorize",\
            "device_authorization_endpoint":"\(host)/devicecode"}
            """
        doubles.transport.aside = { $0.address.contains("/.well-known/openid-") ? .json(document) : nil }
        // Azure DevOps grants everything that the app's permissions allow.
        let scopes = "499b84ac-1321-427f-aa17-267ca6975798/.default offline_access"
        doubles.configure("credential", "https://dev.azure.com", "oauthScopes", scopes)
        doubles.redirect.queries = ["code=c&state=STATE"]
        respond(
            .json(#"{"access_token":"a","token_type":"Bearer","expires_in":3600,"refresh_token":"r"}"#),
            .json(#"{"access_token":"b","token_type":"Bearer","expires_in":3600,"refresh_token":"s"}"#))
        #expect(try get("dev.azure.com").hasPrefix("username=oauth2\npassword=a\n"), "\(doubles.errors)")
        #expect(doubles.redirect.page?["scope"] == scopes && doubles.redirect.page?["nonce"] == nil)
        let exchange = try #require(requests.first)
        #expect(exchange.address == "\(host)/token" && exchange["code"] == "c" && exchange["client_secret"] == nil)
        #expect(doubles.redirect.address?.registered == "http://localhost/dev.azure.com")
        #expect(doubles.redirect.page?["prompt"] == nil)
        doubles.configure("credential", "https://dev.azure.com", "oauthPrompt", "select_account")
        #expect(try get("dev.azure.com", as: "bob@corp.test") == "quit=1\n")
        #expect(doubles.redirect.page?["prompt"] == "select_account")
    }

    @Test(
        "asks for the choice of an account if the wanted one is not signed in here",
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
            _ = try verb.run(["login", "git.example"] + (asked.map { [$0] } ?? []))
        } else {
            _ = try get("git.example", as: asked)
        }
        let page = try #require(doubles.redirect.page)
        #expect(page["prompt"] == prompt && page["login_hint"] == asked)
    }

    @Test(
        "prints last that the sign-in ends without a refresh token, with the setting that may bring one",
        arguments: [
            (#","scopes_supported":["openid","profile"]"#, nil, ".oauthScopes 'openid profile offline_access'"),
            ("", nil, ".oauthPrompt consent"), ("", "login", ".oauthPrompt consent"), ("", "consent", nil),
            ("", "login consent", nil),
        ] as [(String, String?, DisplayText?)])
    func endsForGood(members: String, prompt: String?, setting: DisplayText?) throws {
        if let prompt { doubles.configure("credential", "https://git.example", "oauthPrompt", prompt) }
        discover(
            #""authorization_endpoint":"https://id.example/auth","userinfo_endpoint":"https://id.example/me","#
                + #""code_challenge_methods_supported":["S256"]"# + members)
        doubles.redirect.queries = ["code=c&state=STATE"]
        respond(
            .page(status: 404),
            .json(#"{"access_token":"a","token_type":"bearer","expires_in":3600,"scope":"openid"}"#),
            .json(#"{"sub":"7","preferred_username":"mona"}"#))
        #expect(try get("git.example").hasPrefix("username=mona\n"))
        let command: DisplayText? = setting.map { "git config --global credential.https://git.example\($0)" }
        #expect(notices.last == .endsForGood(server: "id.example", seconds: 3_600, command: command))
    }
}
