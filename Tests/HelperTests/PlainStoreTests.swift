import TestSupport
import Testing

@Suite("get: a host without our sign-ins")
struct PlainStoreTests: HelperSuite {
    let helper = HelperFixture()

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
        #expect(try get(host: "h.example:8443").contains("p1"))
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
