import TestSupport
import Testing

/// A get, a store and an erase for an app's installation, on test doubles: the requests, and the stored items.
@Suite("Renewal as an app's installation")
struct InstallationRefreshTests: HelperSuite {
    let helper = HelperFixture()
    static let date = [("date", "Tue, 14 Nov 2023 22:13:20 GMT")]
    private static let expiry = RecordingClock.start + 3_600
    init() { configure("https://github.com") }

    private func configure(_ url: String, scope: String? = nil) {
        doubles.configure("credential", url, ["githubAppId": "4711", "githubAppKey": "/etc/app.pem"])
        if let scope { doubles.configure("credential", url, "githubAppScope", scope) }
    }

    func installation(_ owner: String = "acme", _ more: String = "") -> HTTPResponse {
        .json("{\"id\":42,\"account\":{\"login\":\"\(owner)\"}\(more)}", headers: Self.date)
    }

    func token(_ text: String = "ghs_new", expires: String = "2023-11-14T23:13:20Z") -> HTTPResponse {
        let permissions = #"{"contents":"write","pages":"read\noauth_refresh_token=x","a b":"read"}"#
        let members = "\"token\":\"\(text)\",\"expires_at\":\"\(expires)\",\"permissions\":\(permissions)"
        return .json("{\(members)}", status: 201, headers: Self.date)
    }

    func get(_ path: String? = "acme/private.git", host: String = "github.com") throws -> String {
        try get(host: host, path: path)
    }

    /// Stores the item of an earlier run.
    func stored(
        _ password: String, expiresIn seconds: Int64, owner: String = "acme", path: String? = "acme",
        refusedAt: Int64? = nil, exhaustedAt: Int64? = nil
    ) {
        doubles.keyring.put(
            StoredCredential(
                username: Array("x-access-token".utf8), password: Secret(password),
                passwordExpiryUTC: RecordingClock.start + seconds,
                grant: .init(
                    clientID: "4711", since: 1, refusedAt: refusedAt, installation: owner, exhaustedAt: exhaustedAt)),
            for: "github.com", path: path)
    }

    func failed(_ failure: InstallationFailure, at host: DisplayText = "github.com") -> Bool {
        doubles.errors.last == failure.words(host: host)
    }

    @Test(
        "sends its requests only to the API of the host's kind, and stores the permissions, except one that is no word",
        arguments: [
            ("github.com", "https://api.github.com"), ("acme.ghe.com", "https://api.acme.ghe.com"),
            ("ghe.example:8443", "https://ghe.example:8443/api/v3"),
        ])
    func addresses(host: String, api: String) throws {
        if host != "github.com" { configure("https://\(host)") }
        respond(installation(), token())
        let answer = try get(host: host)
        #expect(answer == "username=x-access-token\npassword=ghs_new\npassword_expiry_utc=\(Self.expiry)\n")
        #expect(requests.map(\.method) == ["GET", "POST"])
        #expect(
            requests.map(\.address) == ["\(api)/users/acme/installation", "\(api)/app/installations/42/access_tokens"])
        #expect(requests.allSatisfy { $0.authorization?.hasPrefix("Bearer eyJ") == true && $0.body.isEmpty })
        #expect(doubles.keyring.onlyText?.split(separator: "\n").contains("gitspace_installation=acme") == true)
        #expect(credential(of: "x-access-token")?.grant?.scope == "contents:write")
    }

    @Test(
        "stores a token for the repository alone if restricted, and returns and sends nothing for a path without one",
        arguments: [nil, "acme/.git", "acme/..git", "acme/..", "acme/...git"])
    func restricted(path: String?) throws {
        doubles.configure("credential", "https://github.com", "githubAppScope", "repository")
        respond(installation(), token())
        #expect(try get().contains("ghs_new"))
        #expect(requests.last?.body == #"{"repositories":["private"]}"#)
        #expect(doubles.keyring.items.map(\.attributes.object) == [Array("acme/private".utf8)])
        #expect(try get(path) == "quit=1\n" && failed(.repositoryUnknown) && requests.count == 2)
    }

    @Test("returns a stored token without reading the key or the configuration's hosts, and no store changes it")
    func fresh() throws {
        stored("ghs_good", expiresIn: 3_600)
        #expect(try get().contains("ghs_good") && requests.isEmpty)
        #expect(doubles.configurationReads == 0)
        let before = doubles.keyring.items.compactMap { $0.secret?.text }
        for path in ["acme/x", "acme"] { try helper.run(.store, used("evil", as: "x-access-token", path: path)) }
        #expect(doubles.keyring.items.compactMap { $0.secret?.text } == before)
    }

    @Test("renews a token with less than five minutes left, and returns it until it expires if the host is in trouble")
    func nearlyEnded() throws {
        stored("ghs_old", expiresIn: 200)
        respond(.page(status: 502))
        #expect(try get().contains("ghs_old") && doubles.errors.isEmpty)
        doubles.transport.fail(.unreachable)
        #expect(try get().contains("ghs_old"))
        respond(installation(), token())
        #expect(try get().contains("ghs_new") && doubles.keyring.items.count == 1)
        stored("ghs_old", expiresIn: -10)
        let before = doubles.keyring.onlyText
        doubles.transport.fail(.unreachable)
        #expect(try get() == "quit=1\n")
        #expect(failed(.transport(.unreachable)) && doubles.keyring.onlyText == before)
    }

    @Test("ignores and keeps another owner's item, and does not use it without a path")
    func otherOwner() throws {
        stored("ghs_beta", expiresIn: 3_600, owner: "beta", path: "beta")
        respond(installation(), token())
        #expect(try get().contains("ghs_new"))
        respond(.json(#"[{"id":1,"account":{"login":"acme"}},{"id":2,"account":{"login":"beta"}}]"#))
        #expect(try get(nil) == "quit=1\n")
        #expect(failed(.several(["acme", "beta"])) && doubles.keyring.items.count == 2)
        let path = "git config --global credential.https://github.com.useHttpPath true"
        #expect(doubles.errors.last?.hints.contains { $0.english.contains(path) } == true)
    }

    @Test("uses the only installation, if all can be read, for a request without a path, and not for another owner")
    func only() throws {
        respond(.json(#"[{"id":1,"account":{"login":"acme"}},{"id":2}]"#))
        #expect(try get(nil) == "quit=1\n" && failed(.malformed(status: 200)))
        respond(.json(#"[{"id":42,"account":{"login":"acme"}}]"#), token())
        #expect(try get(nil).contains("ghs_new"))
        #expect(try get(nil).contains("ghs_new") && get("Acme/x").contains("ghs_new") && requests.count == 3)
        respond(.json("{}", status: 404))
        #expect(try get("beta/x") == "quit=1\n")
        #expect(sentences.last == "the app is not installed for beta on github.com")
        #expect(hints.last == "  https://github.com/settings/installations")
    }

    @Test("returns no app's token for a person's account, and starts no sign-in")
    func person() throws {
        #expect(try get(as: "alice", path: "acme/x") == "quit=1\n")
        #expect(doubles.errors == [.accountNotStored("alice", host: "github.com", stored: ["x-access-token"])])
        #expect(requests.isEmpty)
    }

    @Test("reports an incomplete or misplaced setting, and starts no other sign-in")
    func incomplete() throws {
        doubles.configuration = []
        doubles.configure("credential", "https://github.com", "githubAppId", "4711")
        #expect(try get() == "quit=1\n")
        #expect(failed(.incomplete(missing: .githubAppKey)))
        doubles.configure("credential", "https://gitlab.com", ["githubAppId": "4711", "githubAppKey": "k"])
        #expect(try get(host: "gitlab.com") == "quit=1\n")
        #expect(failed(.unsupported, at: "gitlab.com") && requests.isEmpty)
    }

    @Test("ignores an app whose URL has no host", arguments: [nil, "https://*.ghe.com", "https://"])
    func withoutHost(url: String?) throws {
        doubles.configuration = []
        doubles.builtInClientID = nil
        doubles.configure("credential", url, ["githubAppId": "4711", "githubAppKey": "/etc/app.pem"])
        #expect(try get(host: "acme.ghe.com").isEmpty)
        #expect(doubles.errors == [.noClientID(host: "acme.ghe.com")] && requests.isEmpty)
    }

    @Test("returns an unsaved token with a notice if there is no place for a lock or in the keyring")
    func nowhere() throws {
        doubles.locks.fault = .impossible
        doubles.keyring.saveFault = .noProvider
        respond(installation(), token())
        #expect(try get().contains("ghs_new") && doubles.errors == [.notSaved(.keyring(.noProvider))])
    }

    @Test("uses another process's token after the wait for its lock, in time or not, or reports that it did not finish")
    func tooLate() throws {
        doubles.locks.fault = .timedOut
        stored("ghs_old", expiresIn: -10)
        #expect(try get() == "quit=1\n" && doubles.errors == [.otherNotFinished(host: "github.com")])
        doubles.locks.whenAcquired = { stored("ghs_theirs", expiresIn: 3_600) }
        #expect(try get().contains("ghs_theirs") && requests.isEmpty)
        doubles.locks.fault = nil
        stored("ghs_old", expiresIn: -10)
        #expect(try get().contains("ghs_theirs") && requests.isEmpty)
    }

    @Test("sends nothing if the key cannot be used", arguments: [SigningKeyError.accessibleToOthers, .encrypted])
    func key(fault: SigningKeyError) throws {
        doubles.keyFault = fault
        #expect(try get() == "quit=1\n")
        #expect(failed(.key(fault, place: "/etc/app.pem")) && requests.isEmpty)
    }

    @Test(
        "limits the host's waiting time to a day, or to an hour if a date names it",
        arguments: [
            ("retry-after", "0", 1), ("retry-after", "61", 2), ("retry-after", "7200", 120),
            ("retry-after", "9223372036854775807", 1_440), ("x-ratelimit-reset", "1", 1),
            ("x-ratelimit-reset", "9223372036854775807", 60), ("retry-after", "-1", 60), ("x-other", "", 60),
        ])
    func rateLimit(header: String, value: String, minutes: Int64) throws {
        for status in [429, 403] {
            respond(.page(status: status, headers: [(header, value), ("x-ratelimit-remaining", "0")]))
            _ = try get()
        }
        let limited = InstallationFailure.rateLimited(minutes: minutes).words(host: "github.com")
        #expect(doubles.errors == [limited, limited])
    }

    @Test("recognizes a rate limit and an unknown app that only the message names")
    func secondaryRateLimit() throws {
        respond(.json(#"{"message":"You have exceeded a secondary rate limit."}"#, status: 403))
        _ = try get()
        #expect(failed(.rateLimited(minutes: 60)))
        respond(.json(#"{"message":"Integration not found"}"#, status: 404))
        _ = try get()
        #expect(failed(.rejected(id: "4711")))
    }

    @Test("requests no third token for a minute after two refusals in a row, unless their date is in the future")
    func exhausted() throws {
        stored("ghs_one", expiresIn: 3_600)
        try helper.run(.erase, used("ghs_one", as: "x-access-token", path: "acme/x"))
        #expect(credential(of: "x-access-token")?.password.isEmpty == true)
        respond(installation(), token("ghs_two"))
        #expect(try get().contains("ghs_two"))
        try helper.run(.erase, used("ghs_two", as: "x-access-token", path: "acme/x"))
        #expect(try get() == "quit=1\n")
        #expect(failed(.exhausted(owner: "acme")) && requests.count == 2)
        doubles.clock.advance(milliseconds: 61_000)
        respond(installation(), token("ghs_three"))
        #expect(try get().contains("ghs_three"))
        stored("", expiresIn: -1, exhaustedAt: RecordingClock.start + 36_000)
        respond(installation(), token("ghs_next"))
        #expect(try get().contains("ghs_next"))
    }

    @Test(
        "takes no token from a hostile answer",
        arguments: [
            "{}", "[]", "null", "", "{\"token\":7,\"expires_at\":\"2023-11-14T23:13:20Z\"}", "{\"token\":\"ghs_x\"}",
            "{\"token\":\"ghs_x\",\"expires_at\":7}", "{\"token\":\"ghs_x\",\"expires_at\":\"soon\"}",
            "{\"token\":\"ghs_x\",\"expires_at\":\"2023-11-14T22:13:20Z\"}",
            "{\"token\":\"ghs_x\",\"expires_at\":\"2024-11-14T22:13:20Z\"}",
            "{\"token\":\"ghs_x\",\"expires_at\":\"2023-13-41T99:99:99Z\"}",
            "{\"token\":\"ghs_x\\nquit=1\",\"expires_at\":\"2023-11-14T23:13:20Z\"}",
            "{\"token\":\"ghs_x\\u0000\",\"expires_at\":\"2023-11-14T23:13:20Z\"}",
            "{\"token\":\"ghs_x\\u001b\",\"expires_at\":\"2023-11-14T23:13:20Z\"}",
            "{\"token\":\"\",\"expires_at\":\"2023-11-14T23:13:20Z\"}",
            "{\"token\":\"ghs_x\",\"token\":\"ghs_y\",\"expires_at\":\"2023-11-14T23:13:20Z\"}",
            "{\"token\":\"" + String(repeating: "x", count: 20_000) + "\",\"expires_at\":\"2023-11-14T23:13:20Z\"}",
        ])
    func hostileToken(body: String) throws {
        respond(installation(), .json(body, status: 201, headers: Self.date))
        #expect(try get() == "quit=1\n")
        #expect(failed(.malformed(status: 201)) && doubles.keyring.items.isEmpty)
    }

    @Test(
        "takes no installation from a hostile answer",
        arguments: [
            "{}", "[]", "{\"id\":\"42\",\"account\":{\"login\":\"acme\"}}",
            "{\"id\":-1,\"account\":{\"login\":\"acme\"}}", "{\"id\":42,\"account\":{\"login\":\"beta\"}}",
            "{\"id\":42,\"account\":{\"login\":\"acme\\u001b\"}}", "{\"id\":42}",
            "{\"id\":1e99,\"account\":{\"login\":\"acme\"}}", "{\"id\":42,\"account\":\"acme\"}",
        ])
    func hostileInstallation(body: String) throws {
        respond(.json(body, headers: Self.date))
        #expect(try get() == "quit=1\n")
        #expect(failed(.malformed(status: 200)) && requests.count == 1)
    }

    @Test("sends nothing for a path without a valid owner", arguments: ["..", "a%2fb/c", "ab.git", "ä/b"])
    func hostilePath(path: String) throws {
        #expect(try get(path) == "quit=1\n")
        #expect(failed(.noOwner) && requests.isEmpty)
    }

    // MARK: Credentials that a repository brings

    // An app stores nothing for an owner before the first `get`, so a `store` could come before it.
    @Test(
        "ignores a store before the app's first token", arguments: [nil, "acme/private.git"],
        ["x-access-token", "mallory"])
    func plantedBefore(path: String?, user: String) throws {
        try helper.run(.store, used("evil", as: user, path: path))
        #expect(doubles.keyring.items.isEmpty)
    }

    @Test(
        "ignores an item that was stored before the app was configured", arguments: [nil, "acme/private.git"],
        ["github.com", "ghe.example"])
    func plantedEarlier(path: String?, host: String) throws {
        doubles.configure("credential", "https://ghe.example", "provider", "github")
        configure("https://ghe.example")
        helper.brought("evil", host: host, path: path, user: "mallory")
        respond(installation(), token())
        #expect(try get(host: host).contains("password=ghs_new"))
    }
}
