import CredentialCore
import Testing

@Suite("The front door's `store`")
struct StoreDecisionTests {
    private let door = Door()
    private let credential = ["protocol=https", "host=github.com", "username=octocat", "password=token"]

    private func store(_ lines: String...) -> String? {
        door.answer(.store, (credential + lines).joined(separator: "\n"))
    }

    /// Our state, as an answer to `get` contains it.
    private func mark(password: String = "token") throws -> String {
        door.items = [try Door.item(password)]
        let answer = door.answer(.get, "capability[]=state", credential[0], credential[1])
        return try #require(answer?.split(separator: "\n").last.map(String.init))
    }

    @Test("does nothing, and reads nothing, if our state matches the credential")
    func marked() throws {
        let mark = try mark()
        #expect(mark.hasPrefix("state[]=gitspace:"))
        let searches = door.searches.count
        #expect(store("capability[]=state", mark) == "")
        #expect(door.searches.count == searches)
    }

    @Test("skips nothing because of another credential's state, or of another helper's")
    func foreignMark() throws {
        let mark = try mark(password: "another")
        let searches = door.searches.count
        #expect(store("capability[]=state", mark) == nil)
        #expect(store("capability[]=state", "state[]=osxkeychain:seen=1") == nil)
        #expect(store("capability[]=state", "state[]=gitspace:") == nil)
        #expect(door.searches.count == searches + 3)
    }

    @Test("hands over the rejection of a credential with our state")
    func markedRejection() throws {
        let lines = credential + ["capability[]=state", try mark()]
        #expect(door.answer(.erase, lines.joined(separator: "\n")) == nil)
    }

    @Test("does nothing if the credential is already stored, even in another case, but not if it has a path")
    func same() throws {
        door.items = [try Door.item("token\noauth_refresh_token=ghr_0\npassword_expiry_utc=2000000")]
        #expect(store() == "")
        #expect(door.searches.map(\.user) == [Array("octocat".utf8)])
        door.items = [try Door.item("token", user: "Octocat")]
        #expect(store() == "")
        door.items = [try Door.item("token", path: "acme/private")]
        #expect(store() == nil && store("path=acme/private") == "")
    }

    @Test("hands over another password, another expiry, a new credential or a faulty keyring")
    func different() throws {
        #expect(store() == nil)
        door.items = [try Door.item("old")]
        #expect(store() == nil)
        door.items = [try Door.item("token")]
        #expect(store("password_expiry_utc=2000000") == nil)
        #expect(store("oauth_refresh_token=ghr_1") == nil)
        door.items = nil
        #expect(store() == nil)
    }
}
