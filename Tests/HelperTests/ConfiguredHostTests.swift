import TestSupport
import Testing

@Suite("GitHub Enterprise Server in the person's configuration")
struct ConfiguredHostTests: HelperSuite {
    let helper = HelperFixture()

    init() {
        doubles.configure("credential", "https://ghe.example", ["provider": "github", "oauthClientId": "Iv1.ghe"])
    }

    private func approve() { helper.approve(GitHubAnswers.gitHubAppToken, at: "ghe.example") }

    @Test("sends a sign-in to that host, and to no other, by https in any letter case, and not over http")
    func signIn() throws {
        #expect(try helper.run(.get, "protocol=http\nhost=ghe.example").isEmpty && requests.isEmpty)
        approve()
        #expect(try get(host: "ghe.example").contains("ghu_16C7"))
        let paths = ["login/device/code", "login/oauth/access_token", "api/v3/user"]
        #expect(requests.map(\.address) == paths.map { "https://ghe.example/" + $0 })
        #expect(try helper.run(.get, "protocol=HTTPS\nhost=ghe.example").contains("ghu_16C7"))
    }

    @Test("uses the configured endpoints")
    func endpoints() throws {
        doubles.configure("credential", "https://ghe.example", "oauthDeviceAuthURL", "/d")
        doubles.configure("credential", "https://ghe.example", "oauthTokenURL", "https://ghe.example/t")
        approve()
        _ = try get(host: "ghe.example")
        #expect(requests.prefix(2).map(\.address) == ["https://ghe.example/d", "https://ghe.example/t"])
    }

    @Test(
        "sends a refresh token to the origin that issued it, or else to the host's own",
        arguments: [
            (nil, nil, true), ("https://ghe.example", nil, true), ("https://ghe.example", "/moved", true),
            ("https://tokens.example", "https://tokens.example/t", true), ("https://ghe.example:8443", nil, false),
            ("https://tokens.example", nil, false), (nil, "https://tokens.example/t", false),
            ("https://ghe.example", "https://tokens.example/t", false),
            ("https://tokens.example", "https://tokens.example:8443/t", false),
        ] as [(String?, String?, Bool)])
    func origin(origin: String?, endpoint: String?, isSent: Bool) throws {
        if let endpoint { doubles.configure("credential", "https://ghe.example", "oauthTokenURL", endpoint) }
        helper.stored(expiresIn: -10, clientID: "Iv1.ghe", host: "ghe.example", origin: origin)
        let host = HTTPSAddress(parsing: endpoint ?? "")?.authority ?? "ghe.example"
        guard isSent else {
            approve()
            #expect(try get(host: "ghe.example").contains("ghu_16C7"))
            #expect(requests.allSatisfy { $0["refresh_token"] == nil })
            #expect(notices.first == .issuedElsewhere(host: "ghe.example", now: DisplayText(trusted: host)))
            return
        }
        respond(GitHubAnswers.gitHubAppToken)
        #expect(try get(host: "ghe.example").contains("ghu_16C7"))
        #expect(requests.map { $0["refresh_token"] } == ["ghr_old"])
        #expect(credential()?.grant?.tokenOrigin == "https://\(host)")
    }

    @Test("sends a token pair from another program to the host itself, and not to a server elsewhere")
    func brought() throws {
        doubles.configure("credential", "https://ghe.example", "oauthTokenURL", "https://tokens.example/t")
        helper.brought("gho_brought", expiresIn: -10, refreshToken: "ghr_brought", host: "ghe.example")
        approve()
        _ = try get(host: "ghe.example")
        #expect(requests.allSatisfy { $0["refresh_token"] == nil })
    }

    @Test("uses a live token, and reports the moved server if nobody can sign in again")
    func moved() throws {
        doubles.configure("credential", "https://ghe.example", "oauthTokenURL", "https://tokens.example/t")
        doubles.ui.canBeReached = false
        helper.stored(expiresIn: 100, clientID: "Iv1.ghe", host: "ghe.example")
        #expect(try get(host: "ghe.example").contains("ghu_old") && doubles.errors.isEmpty && notices.isEmpty)
        #expect(try verb.run("refresh", "ghe.example").status == .failed)
        helper.stored(expiresIn: -10, clientID: "Iv1.ghe", host: "ghe.example")
        _ = try get(host: "ghe.example")
        let again = SignInAgain(account: "octocat")
        let moved = UserFacingError.issuedElsewhere(host: "ghe.example", now: "tokens.example", again)
        #expect(doubles.errors == [moved, moved])
        #expect(requests.isEmpty)
    }

    @Test(
        "finds, stores and erases the same token for another spelling of the host, and for every path",
        arguments: ["GHE.Example", "ghe.example:443", "ghe.example\npath=acme/widgets.git"])
    func spelling(host: String) throws {
        approve()
        let place = "protocol=https\nhost=\(host)"
        let answer = try helper.run(.get, place)
        #expect(answer.contains("ghu_16C7"))
        #expect(try helper.run(.get, place) == answer)
        // A git before 2.46 carries no state: the token itself comes back.
        try helper.run(.store, place + "\n" + answer)
        #expect(doubles.keyring.items.map(\.attributes.object) == [nil])
        doubles.requester = .person
        try helper.run(.erase, place + "\n" + answer)
        #expect(doubles.keyring.items.isEmpty)
    }

    @Test(
        "ignores a provider and a secret without a host: nothing is sent, asked or printed",
        arguments: [nil, "https://", "https://*.example", "*.example"] as [String?])
    func nobodysHost(url: String?) throws {
        doubles.configure("credential", url, ["provider": "github", "oauthClientSecret": "s3cret"])
        doubles.configure("credential", nil, "oauthClientId", "Iv1.plain")
        #expect(try get(host: "evil.example").isEmpty && requests.isEmpty && prompts.isEmpty && doubles.errors.isEmpty)
        // A sign-in there shows which words are right.
        respond(.page(status: 404))
        #expect(try verb.run("login", "evil.example").status == .failed)
        #expect(doubles.errors == [.notForSignIn(host: "evil.example")])
        #expect(requests.allSatisfy { $0.authorization == nil && $0.body.isEmpty })
    }

    @Test(
        "sends a built-in host only the secret that is configured for it",
        arguments: [
            (nil, false), ("https://", false), ("https://*.ghe.com", false), ("*.ghe.com", false),
            ("https://tenant.ghe.com", true),
        ] as [(String?, Bool)])
    func secretOfTenant(url: String?, isSent: Bool) throws {
        doubles.configure("credential", nil, "oauthClientId", "Iv1.plain")
        doubles.configure("credential", url, "oauthClientSecret", "s3cret")
        helper.stored(expiresIn: -60, clientID: "Iv1.plain", host: "tenant.ghe.com")
        respond(GitHubAnswers.gitHubAppToken)
        #expect(try get(host: "tenant.ghe.com").contains("ghu_16C7"))
        let form = try #require(requests.first)
        #expect(form["client_secret"] == (isSent ? "s3cret" : nil) && form["client_id"] == "Iv1.plain")
    }

    @Test("takes a name that is not ASCII as its DNS form, in a request and in a setting")
    func international() throws {
        let (name, form) = ("b\u{fc}cher.example", "xn--bcher-kva.example")
        for (asked, configured) in [(name, name), (name, form), (form, name)] {
            let doubles = Doubles()
            doubles.configure("credential", "https://me@\(configured):8443/", "provider", "gitlab")
            var dependencies = Dependencies.forTests(doubles)
            dependencies.asciiName = { $0 == Array(name.utf8) ? Array(form.utf8) : nil }
            let request = try Request(parsing: Secret("protocol=https\nhost=\(asked):8443\n".utf8))
            let resolver = ContextResolver(with: dependencies)
            let context = try resolver.credentialContext(of: request)
            #expect(context.host == HostName(name: form, port: 8_443))
            #expect(try resolver.signInContext(of: context)?.host.origin.text == "https://\(form):8443/")
            dependencies.asciiName = { _ in nil }
            let unknown = ContextResolver(with: dependencies)
            guard asked == name else { continue }
            let error = unknown.withoutSignIn(try unknown.credentialContext(of: request))
            #expect(error == .internationalName(DisplayText(untrusted: "\(name):8443".utf8)))
        }
    }

    @Test("returns no token to a host that only resembles a well-known one")
    func lookAlike() throws {
        let doubles = Doubles()
        let credential = StoredCredential(username: Array("mona".utf8), password: Secret("gho_m"))
        doubles.keyring.put(credential, for: "github.com")
        var dependencies = Dependencies.forTests(doubles)
        dependencies.asciiName = { _ in Array("github.com".utf8) }
        let request = try Request(parsing: Secret("protocol=https\nhost=\u{24d6}ithub.com\n".utf8))
        let answer = CredentialHelper(with: dependencies).answer(.get, request)
        let isNothing = if case .nothing = answer { true } else { false }
        #expect(isNothing, "\(answer)")
        let resolver = ContextResolver(with: dependencies)
        #expect(try resolver.credentialContext(of: request).host.text != Array("github.com".utf8))
    }
}
