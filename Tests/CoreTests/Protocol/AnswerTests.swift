import CredentialCore
import TestSupport
import Testing

@Suite("What git is told")
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

    @Test("a credential is a name and a password, and what else is known of it")
    func lines() throws {
        #expect(try encoded(credential(), plain) == "username=octocat\npassword=gho_1\n")
        #expect(
            try encoded(credential(expiry: 1_700_000_000, refreshToken: "ghr_2"), plain) == """
                username=octocat
                password=gho_1
                password_expiry_utc=1700000000
                oauth_refresh_token=ghr_2

                """)
    }

    @Test("empty names and passwords are values")
    func empty() throws {
        #expect(try encoded(credential(username: "", password: ""), plain) == "username=\npassword=\n")
    }

    @Test("a gated attribute comes only where its capability was offered, which is announced first")
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

    @Test("an empty answer announces nothing, or git's authtype test fails")
    func nothing() throws {
        #expect(try encoded(.nothing, withState).isEmpty)
        #expect(try encoded(.quit, withState) == "quit=1\n")
        #expect(
            try encoded(.withoutPassword(username: Array("me".utf8), oauthRefreshToken: Secret("r")), withState)
                == "username=me\noauth_refresh_token=r\n")
    }

    @Test(
        "a byte that would end a line spoils the whole answer, wherever it comes from",
        arguments: ["a\nquit=1", "a\n", "\nhost=evil.com", "a\r", "a\r\nb", "a\0"])
    func injection(value: String) throws {
        for request in [plain, withState] {
            #expect(try encoded(credential(username: value), request).isEmpty)
            #expect(try encoded(credential(password: value), request).isEmpty)
            #expect(try encoded(credential(refreshToken: value), request).isEmpty)
            #expect(
                try encoded(.withoutPassword(username: Array(value.utf8), oauthRefreshToken: nil), request).isEmpty)
        }
    }

    @Test("the operation `capability` says what we make use of, and nothing that we do not")
    func announcement() {
        #expect(
            String(decoding: Capability.announcement, as: UTF8.self)
                == "version 0\ncapability authtype\ncapability state\n")
    }

    @Test("only git's four words are operations", arguments: ["GET", "", "get ", "-x", "frobnicate", "fill", "login"])
    func operations(word: String) {
        #expect(Operation(rawValue: word) == nil)
        #expect(Operation(rawValue: "erase") == .erase)
    }
}
