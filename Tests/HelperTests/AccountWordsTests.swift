import TestSupport
import Testing

@Suite("Arguments: host and account")
struct AccountWordsTests: HelperSuite {
    private let setup = SetupFixture()
    var helper: HelperFixture { setup.helper }

    @Test(
        "takes the account after the host, from the option, from an address, or alone",
        arguments: [["github.com", "hubot"], ["github.com", "--username", "hubot"], ["hubot@github.com"], ["Hubot"]])
    func spellings(words: [String]) throws {
        helper.signedIn("octocat", "hubot")
        respond(GitHubAnswers.gitHubAppToken)
        #expect(try verb.run(["refresh"] + words).text.first == "Refreshed the token of hubot for github.com.")
        respond(GitHubAnswers.user("hubot"))
        let status = try verb.run(["status"] + words).text
        #expect(status.contains("  Signed in as hubot (keyring)") && !status.contains { $0.contains("octocat") })
        respond(GitHubAnswers.user("hubot"))
        #expect(try verb.run(["login"] + words).text.first == "Already signed in to github.com as hubot.")
        respond(GitHubAnswers.user("hubot"))
        let line = "git now uses hubot for github.com, unless the remote's URL names another account."
        #expect(try verb.run(["switch"] + words).text.first == line)
        #expect(verb.files.texts[.global]?.contains("\tusername = hubot\n") == true)
        #expect(try verb.run(["logout"] + words).text.first?.hasSuffix("removed hubot from the keyring.") == true)
        #expect(credential() != nil && doubles.errors.isEmpty)
    }

    @Test("setup signs in as the named account, and takes over only that account's token")
    func named() throws {
        doubles.builtInClientID = nil
        setup.gh("gho_mona")
        setup.gcm("gho_lisa", user: "lisa")
        doubles.transport.aside = { request in
            request.authorization.map { GitHubAnswers.user(String($0.dropFirst("Bearer gho_".count))) }
                ?? .json("{}", status: 404, headers: [("date", "Tue, 14 Nov 2023 22:13:20 GMT")])
        }
        #expect(try verb.run("setup", "github.com", "lisa", "--yes").status == .done)
        #expect(doubles.keyring.items.map(\.attributes.user) == [Array("lisa".utf8)])
        #expect(!setup.lines.contains { $0.contains("more accounts") })
        // If stopped, it goes on as the same account.
        doubles.transport.aside = { _ in nil }
        doubles.transport.fail(.interrupted)
        #expect(try verb.run("setup", "github.com", "mona").status == .cancelled)
        #expect(setup.lines.last == "  git credential-gitspace setup github.com mona")
    }

    @Test(
        "refuses an account in both spellings at once",
        arguments: ["setup", "login", "logout", "refresh", "status", "switch"])
    func both(name: String) {
        #expect(throws: (any Error).self) { try verb.run(name, "github.com", "a", "--username", "b") }
    }

    @Test(
        "reports a word that is neither a stored account nor a known host as an account that is not stored",
        arguments: ["logout", "refresh", "status", "switch"])
    func unknown(name: String) throws {
        helper.signedIn("octocat", "hubot")
        #expect(try verb.run(name, "zoe").status == .failed)
        #expect(told.first == "the account zoe is not stored for github.com")
        #expect(told.contains { $0.contains("octocat") && $0.contains("hubot") } || told.count == 4)
        if name == "switch" { #expect(told.last == "  git credential-gitspace switch github.com hubot") }
        #expect(files.writes == 0 && doubles.keyring.items.count == 2)
    }

    @Test("takes the word as a host, and suggests a similar one", arguments: ["login", "setup"])
    func host(name: String) throws {
        helper.signedIn("octocat", "hubot")
        doubles.transport.fail(.unreachable)
        #expect(try verb.run(name, "zoe").status == .failed)
        #expect(try verb.run(name, "gitlab").status == .failed)
        #expect(try verb.run("refresh", "gitlab").status == .failed)
        let near = "unknown host gitlab; did you mean gitlab.com?"
        #expect(sentences == ["unknown host zoe", near, near])
    }

    @Test("prints an empty array for an account that is not stored, and after Ctrl-C reports no unknown word")
    func array() throws {
        helper.signedIn("octocat", "hubot")
        #expect(try verb.run("status", "github.com", "zoe", "--json").status == .failed)
        #expect(verb.printed.contains("\"state\": \"not_found\"") && doubles.errors.isEmpty)
        doubles.keyring.fault = .interrupted
        #expect(try verb.run("refresh", "zoe").status == .failed && doubles.errors == [.keyring(.interrupted)])
    }

    @Test(
        "reads the host and the account of an address, and prefers the option's account",
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
            ("git@github.com:42/private.git", "github.com", nil),
        ] as [(String, String, String?)])
    func understood(text: String, host: String, username: String?) throws {
        let request = try Request(typed: text)
        #expect(request.host == Array(host.utf8) && request.username == username.map { Array($0.utf8) })
        #expect(request.password == nil)
        #expect(try Request(typed: text, username: "bob").username == Array("bob".utf8))
    }

    @Test("refuses text without a host like git's own request", arguments: ["", "https://", "https:///octo"])
    func refused(text: String) { #expect(throws: RequestError.missing(attribute: .host)) { try Request(typed: text) } }

    @Test("refuses a name, host or path with a line feed, after which an address could set other attributes")
    func lineFeed() {
        for (text, attribute) in [
            ("https://a%0apath=b@git.test", .username), ("https://a%0d%0apath=b@git.test", .username),
            ("git.test\nusername=b", .host), ("git.test/a\nusername=b", .path),
        ] as [(String, Attribute)] {
            #expect(throws: RequestError.controlByte(attribute: attribute)) { try Request(typed: text, withPath: true) }
        }
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
