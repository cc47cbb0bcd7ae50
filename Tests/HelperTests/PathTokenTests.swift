import TestSupport
import Testing

/// git stores a token for a path where `credential.useHttpPath` is set.
@Suite("Tokens for a single path")
struct PathTokenTests: HelperSuite {
    let helper = HelperFixture()
    private static let path = "acme/private.git"

    private func approve(_ host: String = "github.com") {
        guard host != "github.com" else { return helper.approve() }
        respond(GitLabAnswers.device(host: host), GitLabAnswers.token, GitLabAnswers.user("octocat"))
    }

    /// Stores a token for a path, which has not expired unless the seconds are negative.
    private func stored(_ host: String = "github.com", expiresIn seconds: Int64? = nil) {
        helper.brought("path-token", expiresIn: seconds, host: host, path: Self.path)
    }

    @Test("get shows a code for another path", arguments: ["github.com", "gitlab.com", "gitlab.example"])
    func otherPath(host: String) throws {
        doubles.builtInGitLabClientID = "built-in"
        doubles.configure("credential", "https://gitlab.example", ["provider": "gitlab", "oauthClientId": "example"])
        stored(host)
        approve(host)
        let answer = try get(host: host, path: "gamma/private.git")
        #expect(!answer.contains("path-token") && answer.contains("username=octocat\n"), "\(answer)")
        #expect(prompts.count == 1)
        // The sign-in is used for every path from then on.
        #expect(try get(host: host, path: "gamma/private.git") == answer)
        #expect(try get(host: host, path: Self.path) == answer)
    }

    @Test("get returns the token for its own path, and without a path as git's own helper does")
    func ownPath() throws {
        stored()
        #expect(try get(path: Self.path).contains("path-token"))
        #expect(try get().contains("path-token") && prompts.isEmpty)
        #expect(try get(as: "octocat", path: Self.path).contains("path-token"))
        helper.brought("host-token", user: "zoe")
        #expect(try get().contains("host-token"))
    }

    @Test("get uses a token saved meanwhile for the whole host or this path, and not for another path")
    func savedMeanwhile() throws {
        doubles.locks.whenAcquired = { [self] in stored() }
        approve()
        #expect(try get(path: "gamma/private.git").contains("gho_16C7"))
        for path in [nil, "delta/x.git"] as [String?] {
            let other = HelperFixture()
            other.doubles.locks.whenAcquired = { other.brought("now-there", path: path) }
            #expect(try other.get(as: "octocat", path: "delta/x.git").contains("now-there") && other.prompts.isEmpty)
        }
    }

    // MARK: Verbs

    @Test(
        "login signs in, although a path has a token", arguments: ["github.com", "https://github.com/acme/private.git"])
    func login(host: String) throws {
        stored()
        approve()
        let (status, text) = try verb.run("login", host)
        #expect(status == .done && prompts.count == 1, "\(text)")
        #expect(!text.contains { $0.hasPrefix("Replaced") || $0.hasPrefix("Also signed in") }, "\(text)")
        // Both tokens are stored, each for its own path.
        #expect(doubles.keyring.items.compactMap(\.secret?.text).contains("path-token"))
        #expect(doubles.keyring.items.count == 2)
    }

    @Test("setup signs in, and takes another tool's token over, although a path has a token")
    func setup() throws {
        let setup = SetupFixture()
        setup.helper.brought("path-token", path: Self.path, user: "mona")
        setup.gh("gho_gh")
        setup.accepts(tokenOf: "mona")
        #expect(try setup.run("--yes") == .done)
        #expect(!setup.lines.contains { $0.hasPrefix("Already signed in") }, "\(setup.lines)")
        #expect(setup.doubles.keyring.items.compactMap(\.attributes.object).count == 1)
        #expect(setup.doubles.keyring.items.count == 2)
    }

    @Test("setup does not take a path's token as that of a host where one is pasted")
    func setupWithoutSignIn() throws {
        let setup = SetupFixture()
        setup.helper.brought("path-token", host: "bitbucket.org", path: "acme/private.git")
        #expect(try setup.run("--yes", host: "bitbucket.org") == .failed)
        #expect(setup.doubles.errors.map(\.code) == [.tokenNeeded])
    }

    @Test("doctor finds no sign-in")
    func doctor() {
        let examination = Examination()
        examination.helper.brought("path-token", path: Self.path)
        #expect(examination.found(.account).texts == ["no account is signed in to github.com"])
        examination.doubles.builtInClientID = nil
        #expect(examination.found(.clientID).results == [.fail])
    }

    @Test("check uses the token for its own path alone")
    func check() throws {
        stored()
        doubles.transport.aside = { $0.address.hasSuffix("/user") ? .page(status: 502) : nil }
        respond(.json("{\"message\":\"Not Found\"}", status: 404))
        let other = try verb.check("https://github.com/gamma/private.git")
        #expect(other["result"] == "not_signed_in" && other["username"] == nil)
        #expect(requests.map(\.authorization) == [nil])
        respond(.json("{\"full_name\":\"acme/private\",\"private\":true,\"permissions\":{\"push\":true}}"))
        let own = try verb.check("https://github.com/acme/private.git")
        #expect(own["result"] == "reachable" && own["username"] == "octocat")
        #expect(requests.last?.authorization == "Bearer path-token")
    }

    @Test("refresh and proactive authentication find no sign-in")
    func others() throws {
        helper.brought("path-token", expiresIn: 60, refreshToken: "ghr_path", path: Self.path)
        #expect(try verb.run("refresh", "github.com").status == .failed)
        #expect(doubles.errors.map(\.code) == [.notSignedIn] && requests.isEmpty)
        #expect(try verb.run("configure", "--proactive").status == .failed)
        #expect(doubles.errors.map(\.code) == [.notSignedIn, .needsSignIn])
    }

    @Test("logout removes an account that has only a path's token, and its host is known")
    func listed() throws {
        stored()
        helper.stored(expiresIn: 3_600, user: "hubot")
        #expect(try verb.run("logout", "octocat").status == .done)
        #expect(users() == ["hubot"])
        // The repository's host is known, because a token was stored for it.
        helper.brought("path-token", host: "gitlab.com", path: Self.path)
        verb.remote = "https://gitlab.com/acme/private.git"
        #expect(verb.outside.defaultHost == "gitlab.com")
    }

    @Test("status names the path, and reports no sign-in to the host")
    func status() throws {
        stored()
        let offline = try verb.run("status", "github.com", "--offline")
        #expect(offline.status == .failed)
        #expect(
            offline.text.drop { $0 != "github.com" } == [
                "github.com", "  Token of octocat (keyring, only for acme/private.git), not checked: --offline",
                "    Token: does not expire", "    To sign out: git credential-gitspace logout github.com", "",
                "Not signed in to github.com. To sign in:", "  git credential-gitspace setup github.com",
            ])
        helper.stored(expiresIn: nil, user: "hubot")
        helper.brought("p", host: "plain.example", path: "a/b")
        let both = try verb.run("status", "--offline")
        #expect(both.status == .done && !both.text.contains { $0.hasPrefix("Not signed in") }, "\(both.text)")
        #expect(both.text.contains("  Password of octocat (keyring, only for a/b)"), "\(both.text)")
        let objects = try verb.objects("status", "github.com", "--offline")
        #expect(objects.map { $0["path"] } == [nil, Self.path] || objects.map { $0["path"] } == [Self.path, nil])
    }

    // MARK: store

    @Test("store saves a token for the whole host although a path has the same one")
    func storeForHost() throws {
        for host in ["github.com", "plain.example"] {
            stored(host)
            try helper.run(.store, "protocol=https\nhost=\(host)\nusername=octocat\npassword=path-token")
            let items = doubles.keyring.items.filter { $0.attributes.server == Array(host.utf8) }
            #expect(items.map { $0.attributes.object == nil } == [false, true], "\(host)")
        }
    }
}
