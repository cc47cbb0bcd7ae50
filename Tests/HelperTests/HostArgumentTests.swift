import CredentialCore
import Helper
import Testing

@Suite("Hosts in a command's arguments")
struct HostArgumentTests {
    @Test(
        "reads the host and the account of an address",
        arguments: [
            ("github.com", "github.com", nil), ("ghe.example:8443", "ghe.example:8443", nil),
            ("https://github.com", "github.com", nil), ("HTTPS://github.com/octo/private.git", "github.com", nil),
            ("https://alice@github.com", "github.com", "alice"),
            ("https://alice:secret@ghe.example:8443/octo/private", "ghe.example:8443", "alice"),
            ("https://alice%40corp.test@git.test", "git.test", "alice@corp.test"),
            ("https://a%zz%4@git.test", "git.test", "a%zz%4"), ("a%40b@git.test", "git.test", "a%40b"),
            ("alice@github.com", "github.com", "alice"), ("git@github.com:octo/private.git", "github.com", nil),
            ("git@github.com:octo", "github.com", nil), ("ssh://git@ghe.example:7999/octo/private", "ghe.example", nil),
            ("git+ssh://git@ssh.github.com:443/octo/private", "github.com", nil),
        ] as [(String, String, String?)])
    func understood(text: String, host: String, username: String?) throws {
        let request = try Request(typed: text)
        #expect(request.host == Array(host.utf8) && request.username == username.map { Array($0.utf8) })
        #expect(request.password == nil)
    }

    @Test("prefers the option's account to the address's")
    func option() throws {
        #expect(try Request(typed: "https://alice@github.com", username: "bob").username == Array("bob".utf8))
    }

    @Test("refuses text without a host like git's own request", arguments: ["", "https://", "https:///octo"])
    func refused(text: String) {
        #expect(throws: RequestError.missing(attribute: .host)) { try Request(typed: text) }
    }

    @Test(
        "reads the path of an address only if it is wanted",
        arguments: [
            ("https://github.com/acme/private.git?tab=x#y", "acme/private.git"), ("https://github.com/", nil),
            ("github.com/acme", "acme"), ("github.com", nil),
        ] as [(String, String?)])
    func path(text: String, path: String?) throws {
        #expect(try Request(typed: text, withPath: true).path == path.map { Array($0.utf8) })
        #expect(try Request(typed: text).path == nil)
    }
}
