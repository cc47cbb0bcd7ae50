import CredentialCore
import Testing

@Suite("What the front door does with `store`")
struct StoreDecisionTests {
    private let door = Door()
    private let credential = ["protocol=https", "host=github.com", "username=octocat", "password=token"]

    private func store(_ lines: String...) -> String? {
        door.answer(.store, (credential + lines).joined(separator: "\n"))
    }

    /// Our mark, as an answer to `get` holds it.
    private func mark(password: String = "token") throws -> String {
        door.items = [try Door.item(password)]
        let answer = door.answer(.get, "capability[]=state", credential[0], credential[1])
        return try #require(answer?.split(separator: "\n").last.map(String.init))
    }

    @Test("our own mark for this very credential means that nothing is to be done, or asked")
    func marked() throws {
        let mark = try mark()
        #expect(mark.hasPrefix("state[]=gitspace:"))
        let searches = door.searches.count
        #expect(store("capability[]=state", mark) == "")
        #expect(door.searches.count == searches)
    }

    @Test("a mark of another credential, or another helper's, skips nothing")
    func foreignMark() throws {
        let mark = try mark(password: "another")
        let searches = door.searches.count
        #expect(store("capability[]=state", mark) == nil)
        #expect(store("capability[]=state", "state[]=osxkeychain:seen=1") == nil)
        #expect(store("capability[]=state", "state[]=gitspace:") == nil)
        #expect(door.searches.count == searches + 3)
    }

    @Test("what is stored already is looked at, and left")
    func same() throws {
        door.items = [try Door.item("token\noauth_refresh_token=ghr_0\npassword_expiry_utc=2000000")]
        #expect(store() == "")
        #expect(door.searches.map(\.user) == [Array("octocat".utf8)])
    }

    @Test("what is stored under the name in another case is stored already; what a path has is not")
    func nameCase() throws {
        door.items = [try Door.item("token", user: "Octocat")]
        #expect(store() == "")
        door.items = [try Door.item("token", path: "acme/private")]
        #expect(store() == nil && store("path=acme/private") == "")
    }

    @Test("another password, another expiry, nothing stored, or a strange keyring: the full program writes")
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
