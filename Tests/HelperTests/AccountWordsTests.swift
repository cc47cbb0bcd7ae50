import TestSupport
import Testing

@Suite("Host and account arguments")
struct AccountWordsTests: HelperSuite {
    private let setup = SetupFixture()
    var helper: HelperFixture { setup.helper }

    private func twoAccounts() { for user in ["octocat", "hubot"] { helper.stored(expiresIn: 3_600, user: user) } }

    @Test(
        "takes the account after the host, from the option, from an address, or alone",
        arguments: [["github.com", "hubot"], ["github.com", "--username", "hubot"], ["hubot@github.com"], ["Hubot"]])
    func spellings(words: [String]) throws {
        twoAccounts()
        respond(GitHubAnswers.gitHubAppToken)
        #expect(try verb.run(["refresh"] + words).text.first == "Refreshed the token of hubot for github.com.")
        respond(GitHubAnswers.user("hubot"))
        let status = try verb.run(["status"] + words).text
        #expect(status.contains("  Signed in as hubot (keyring)") && !status.contains { $0.contains("octocat") })
        respond(GitHubAnswers.user("hubot"))
        #expect(try verb.run(["login"] + words).text.first == "Already signed in to github.com as hubot.")
        respond(GitHubAnswers.user("hubot"))
        #expect(
            try verb.run(["switch"] + words).text.first
                == "git now uses hubot for github.com, unless the remote's URL names another account.")
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
        twoAccounts()
        #expect(try verb.run(name, "zoe").status == .failed)
        #expect(told.first == "the account zoe is not stored for github.com")
        #expect(told.contains { $0.contains("octocat") && $0.contains("hubot") } || told.count == 4)
        #expect(files.writes == 0 && doubles.keyring.items.count == 2)
    }

    @Test("takes the word as a host, and suggests a similar one", arguments: ["login", "setup"])
    func host(name: String) throws {
        twoAccounts()
        doubles.transport.fail(.unreachable)
        #expect(try verb.run(name, "zoe").status == .failed)
        #expect(try verb.run(name, "gitlab").status == .failed)
        #expect(try verb.run("refresh", "gitlab").status == .failed)
        let near = "unknown host gitlab; did you mean gitlab.com?"
        #expect(sentences == ["unknown host zoe", near, near])
    }

    @Test("prints an empty array for an account that is not stored, and after Ctrl-C reports no unknown word")
    func array() throws {
        twoAccounts()
        #expect(try verb.run("status", "github.com", "zoe", "--json").status == .failed)
        #expect(verb.printed.contains("\"state\": \"not_found\"") && doubles.errors.isEmpty)
        doubles.keyring.fault = .interrupted
        #expect(try verb.run("refresh", "zoe").status == .failed && doubles.errors == [.keyring(.interrupted)])
    }
}
