import TestSupport
import Testing

@Suite("Answers to git")
struct AnswerTests {
    private let plain = "protocol=https\nhost=github.com"
    private let withState = "capability[]=authtype\ncapability[]=state\nprotocol=https\nhost=github.com"

    private func credential(
        username: String = "octocat", password: String = "gho_1", expiry: Int64? = nil, refreshToken: String? = nil
    ) -> Answer {
        .credential(
            StoredCredential(
                username: Array(username.utf8), password: Secret(password), passwordExpiryUTC: expiry,
                oauthRefreshToken: refreshToken.map { Secret($0) }))
    }

    private func encoded(_ answer: Answer, _ request: String) throws -> String {
        answer.encoded(for: try Request(request)).text
    }

    @Test("writes a credential as name and password, even if both are empty, with its other attributes")
    func lines() throws {
        #expect(try encoded(credential(), plain) == "username=octocat\npassword=gho_1\n")
        #expect(try encoded(credential(username: "", password: ""), plain) == "username=\npassword=\n")
        #expect(
            try encoded(credential(expiry: 1_700_000_000, refreshToken: "ghr_2"), plain) == """
                username=octocat
                password=gho_1
                password_expiry_utc=1700000000
                oauth_refresh_token=ghr_2

                """)
    }

    @Test("writes a gated attribute only if its capability was announced, after announcing it too")
    func gated() throws {
        let mark = String(
            decoding: StateValue.of(
                host: Array("github.com".utf8), username: Array("octocat".utf8), password: Secret("gho_1")),
            as: UTF8.self)
        #expect(
            try encoded(credential(), withState)
                == "capability[]=state\nusername=octocat\npassword=gho_1\nstate[]=\(mark)\n")
        #expect(try !encoded(credential(), plain + "\ncapability[]=authtype").contains("[]"))
    }

    @Test("announces nothing in an empty answer, which git's authtype test requires")
    func nothing() throws {
        #expect(try encoded(.nothing, withState).isEmpty)
        #expect(try encoded(.quit, withState) == "quit=1\n")
        #expect(
            try encoded(.withoutPassword(username: Array("me".utf8), oauthRefreshToken: Secret("r")), withState)
                == "username=me\noauth_refresh_token=r\n")
    }

    @Test(
        "writes nothing if any value has a byte that would end a line",
        arguments: ["a\nquit=1", "a\n", "\nhost=evil.com", "a\r", "a\r\nb", "a\0"])
    func injection(value: String) throws {
        for request in [plain, withState] {
            #expect(try encoded(credential(username: value), request).isEmpty)
            #expect(try encoded(credential(password: value), request).isEmpty)
            #expect(try encoded(credential(refreshToken: value), request).isEmpty)
            #expect(try encoded(.withoutPassword(username: Array(value.utf8), oauthRefreshToken: nil), request).isEmpty)
        }
    }

    @Test("announces exactly the capabilities that we use for the operation `capability`")
    func announcement() {
        #expect(
            String(decoding: Capability.announcement, as: UTF8.self)
                == "version 0\ncapability authtype\ncapability state\n")
    }

    @Test("refuses any operation but git's", arguments: ["GET", "", "get ", "-x", "frobnicate", "fill", "login"])
    func operations(word: String) {
        #expect(Operation(rawValue: word) == nil)
        #expect(Operation(rawValue: "erase") == .erase)
    }
}

@Suite("State of a credential")
struct StateValueTests {
    private func mark(_ host: String, _ user: String, _ password: String) -> String {
        String(
            decoding: StateValue.of(
                host: Array(host.utf8), username: Array(user.utf8), password: Secret(password)), as: UTF8.self)
    }

    private func carries(
        _ state: String, host: String = "github.com", user: String = "u", password: String = "p"
    ) throws -> Bool {
        try Request("protocol=https\nhost=\(host)\nusername=\(user)\npassword=\(password)\n\(state)").carriesOurState
    }

    @Test("is a prefix and a digest, without any part of the secret")
    func form() {
        let mark = mark("github.com", "octocat", "gho_secret")
        #expect(mark.hasPrefix("gitspace:") && mark.utf8.count == 9 + 64)
        #expect(mark.utf8.dropFirst(9).allSatisfy { Set("0123456789abcdef".utf8).contains($0) })
        #expect(!mark.contains("gho_") && !mark.contains("octocat"))
    }

    @Test("differs by host, user and password, wherever the bytes are divided")
    func binding() {
        let marks = [
            mark("h", "u", "p"), mark("h2", "u", "p"), mark("h", "u2", "p"), mark("h", "u", "p2"), mark("hu", "", "p"),
            mark("h", "up", ""), mark("h", "", "up"), mark("", "hu", "p"),
        ]
        #expect(Set(marks).count == marks.count)
    }

    @Test("recognizes the returned credential beside other states, and no other by our state (git 2.53, 4580bcd235)")
    func bound() throws {
        let ours = "state[]=" + mark("github.com", "u", "p")
        #expect(try carries(ours) && carries("state[]=cache:1\nstate[]=gitspace:0\n" + ours))
        #expect(try !carries(ours, host: "gitlab.com") && !carries(ours, host: "github.com:443"))
        #expect(try !carries(ours, user: "v") && !carries(ours, password: "q"))
        #expect(try !carries("state[]=gitspace:") && !carries("x=y"))
    }

    @Test("recognizes nothing without a name or a password")
    func incomplete() throws {
        let state = "state[]=" + mark("github.com", "", "")
        #expect(try !Request("protocol=https\nhost=github.com\n\(state)").carriesOurState)
        #expect(try !Request("protocol=https\nhost=github.com\nusername=\n\(state)").carriesOurState)
    }
}
