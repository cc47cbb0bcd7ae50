import TestSupport
import Testing

@Suite("get: stored credentials")
struct GetTests: HelperSuite {
    let helper = HelperFixture()

    @Test("returns it after one call to the keyring and nothing else, with our state if git announces the capability")
    func fresh() throws {
        helper.stored(expiresIn: 3_600)
        #expect(try get() == "username=octocat\npassword=ghu_old\npassword_expiry_utc=1700003600\n")
        #expect(doubles.journal.entries == ["keyring items"])
        #expect(doubles.configurationReads == 0 && doubles.errors.isEmpty)
        helper.brought("ghp_1")
        let answer = "capability[]=state\nusername=octocat\npassword=ghp_1\nstate[]=\(helper.mark("ghp_1"))\n"
        #expect(try helper.run(.get, "capability[]=state\nprotocol=https\nhost=github.com") == answer)
    }

    @Test(
        "requires five minutes of validity, or the environment's margin, but at most a quarter of the lifetime",
        arguments: [
            (300, nil, nil, true), (301, nil, nil, true), (299, nil, nil, false), (299, "60", nil, true),
            (1, "0", nil, true), (300, "24h", nil, true), (299, "24h", nil, false), (3_600, "1h", 28_800, true),
            (3_599, "1h", 28_800, false), (7_200, "24h", 28_800, true), (7_199, "24h", 28_800, false),
            (72, nil, 290, true), (71, nil, 290, false), (300, nil, 1_200, true), (299, nil, 1_200, false),
            (0, nil, 3, true),
        ] as [(Int64, String?, Int64?, Bool)])
    func margin(seconds: Int64, setting: String?, lifetime: Int64?, isFresh: Bool) throws {
        doubles.environment["GITSPACE_MIN_VALIDITY"] = setting
        helper.stored(expiresIn: seconds, refreshToken: nil, lifetime: lifetime)
        _ = try get()
        // A token that is not fresh leads to a read of the configuration.
        #expect((doubles.configurationReads == 0) == isFresh)
    }

    @Test("does not return another user's token to a request with a user, and prefers a usable token to an expired one")
    func otherUser() throws {
        helper.brought("ghp_bob", user: "bob")
        doubles.ui.canBeReached = false
        #expect(try get(as: "alice").isEmpty)
        #expect(try get(as: "bob").contains("ghp_bob"))
        #expect(try get(as: "").isEmpty)
        helper.brought("ghp_alice", user: "alice")
        helper.brought("ghp_bob", expiresIn: -10, user: "bob")
        #expect(try get().contains("ghp_alice"))
    }

    @Test("ignores an item whose token the keyring has lost", arguments: [[], [0xff, 0xfe]])
    func unsound(password: [UInt8]) throws {
        for host in ["github.com", "ghe.example"] {
            doubles.configure("credential", "https://ghe.example", "provider", "github")
            doubles.ui.canBeReached = false
            doubles.keyring.put(
                StoredCredential(username: Array("octocat".utf8), password: Secret(password)), for: host)
            #expect(try get(host: host).isEmpty)
            // Another account's token is returned, although the broken one was stored first.
            helper.brought("ghp_other", host: host, user: "zoe")
            #expect(try get(host: host).contains("ghp_other"))
        }
    }

    @Test("returns another account's token beside planted items for the server alone and with a line feed in the name")
    func planted() throws {
        doubles.keyring.put(
            Secret("planted"), under: ItemAttributes(protocol: Array("https".utf8), host: HostName(name: "github.com")))
        doubles.ui.canBeReached = false
        helper.brought("evil", user: "a\nhost=evil.example")
        #expect(try !get().contains(#/evil|planted/#))
        helper.brought("ghp_1")
        #expect(try get() == "username=octocat\npassword=ghp_1\n")
    }

    @Test(
        "treats every spelling of github.com as the same host, and every path as its",
        arguments: [
            "GITHUB.com", "github.com:443", "gist.github.com", "GIST.github.com", "github.com\npath=acme/widgets.git",
        ])
    func spellings(host: String) throws {
        helper.brought("ghp_1")
        #expect(try get(host: host).contains("ghp_1"))
    }

    @Test(
        "refuses a downgrade before it calls the keyring",
        arguments: [
            "protocol=http\nhost=github.com", "protocol=https\nhost=github.com:8443",
            "protocol=ftp\nhost=gist.github.com",
        ])
    func downgrade(lines: String) throws {
        helper.brought("ghp_1")
        for operation in [Operation.get, .store, .erase] {
            #expect(try helper.run(operation, lines + "\nusername=octocat\npassword=ghp_1").isEmpty)
        }
        #expect(doubles.journal.entries.isEmpty && doubles.errors == [.downgrade, .downgrade, .downgrade])
    }

    @Test("refuses a malformed host at once", arguments: ["github.com:0", "a@github.com", "github.com/x", "[::1"])
    func malformed(host: String) throws {
        #expect(try get(host: host).isEmpty && doubles.journal.entries.isEmpty)
        #expect(doubles.errors == [.requestRefused(.malformedHost)])
    }

    @Test(
        "keeps a malformed secret, and does not print it",
        arguments: ["a\0b", "a\rb", String(repeating: "x", count: 2_000_000)])
    func garbage(text: String) throws {
        helper.stored(text: text)
        doubles.ui.canBeReached = false
        #expect(try get().isEmpty && doubles.keyring.onlyText == text)
    }

    // MARK: Hosts without our sign-ins

    @Test(
        "returns nothing without an error or a question if nothing is stored",
        arguments: [
            "protocol=https\nhost=example.com", "protocol=https\nhost=github.com.evil.org",
            "protocol=https\nhost=github%2ecom", "protocol=http\nhost=localhost:13337",
            "protocol=smtp\nhost=mail.example", "protocol=cert\nhost=\npath=client.pem",
        ])
    func miss(lines: String) throws {
        helper.brought("ghp_1")
        #expect(try helper.run(.get, lines).isEmpty)
        #expect(doubles.journal.entries == ["keyring items"] && doubles.errors.isEmpty && prompts.isEmpty)
    }

    @Test("returns a stored password for exactly that host, port and path")
    func hit() throws {
        helper.brought("p1", host: "h.example:8443", path: "a.git")
        #expect(try get(host: "h.example:8443", path: "a.git").contains("p1"))
        #expect(try get(host: "h.example:8443").contains("p1") && get(host: "h.example:8443", path: "").contains("p1"))
        #expect(try get(host: "h.example", path: "a.git").isEmpty)
        #expect(try get(host: "h.example:8443", path: "b.git").isEmpty)
        #expect(try helper.run(.get, "protocol=http\nhost=h.example:8443\npath=a.git").isEmpty)
    }

    @Test("returns a password until it expires, and then its name and refresh token without it")
    func ended() throws {
        helper.brought("p", expiresIn: 10, host: "h.example")
        #expect(try get(host: "h.example").contains("password=p\n"))
        helper.brought("p", expiresIn: -10, refreshToken: "r", host: "h.example")
        #expect(try get(host: "h.example") == "username=octocat\noauth_refresh_token=r\n" && requests.isEmpty)
    }

    @Test(
        "never returns our refresh token, even if the host has become a plain store",
        arguments: [("github.com", "none"), ("ghe.example", nil)] as [(String, String?)], [3_600, -10])
    func ownRefreshToken(place: (host: String, provider: String?), seconds: Int64) throws {
        let (host, provider) = place
        if let provider { doubles.configure("credential", "https://\(host)", "provider", provider) }
        helper.stored(expiresIn: seconds, host: host)
        let answer = try get(host: host)
        #expect(answer.hasPrefix("username=octocat\n") && !answer.contains("ghr_old"))
        #expect(answer.contains("ghu_old") == (seconds > 0) && requests.isEmpty)
    }

    @Test("treats a known host as a plain store if it is configured so")
    func none() throws {
        doubles.configure("credential", "https://github.com", "provider", "none")
        #expect(try get().isEmpty && doubles.errors.isEmpty && requests.isEmpty)
    }

    @Test("returns a password that was stored empty, and not one that a keyring has emptied")
    func emptyPassword() throws {
        let request = "protocol=https\nhost=h.example\nusername=token-as-name"
        try helper.run(.store, request + "\npassword=")
        #expect(try helper.run(.get, request) == "username=token-as-name\npassword=\n")
        helper.brought("", host: "h.example", user: "token-as-name")
        #expect(try helper.run(.get, request).isEmpty)
        // A usable item comes before the emptied one, which is older.
        helper.brought("pw", host: "h.example", user: "bob")
        #expect(try get(host: "h.example") == "username=bob\npassword=pw\n")
    }
}
