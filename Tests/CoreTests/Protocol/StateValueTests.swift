import TestSupport
import Testing

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

    @Test("recognizes the returned credential, among other states too")
    func recognised() throws {
        let ours = mark("github.com", "u", "p")
        #expect(try carries("state[]=\(ours)"))
        #expect(try carries("state[]=cache:1\nstate[]=gitspace:0\nstate[]=\(ours)"))
    }

    @Test("does not recognize another credential with our state (git 2.53, 4580bcd235)")
    func bound() throws {
        let ours = "state[]=" + mark("github.com", "u", "p")
        #expect(try !carries(ours, host: "gitlab.com"))
        #expect(try !carries(ours, host: "github.com:443"))
        #expect(try !carries(ours, user: "v"))
        #expect(try !carries(ours, password: "q"))
        #expect(try !carries("state[]=gitspace:"))
        #expect(try !carries("x=y"))
    }

    @Test("recognizes nothing without a name or a password")
    func incomplete() throws {
        let state = "state[]=" + mark("github.com", "", "")
        #expect(try !Request("protocol=https\nhost=github.com\n\(state)").carriesOurState)
        #expect(try !Request("protocol=https\nhost=github.com\nusername=\n\(state)").carriesOurState)
    }
}
