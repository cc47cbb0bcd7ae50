import CredentialCore
import Helper
import Messages
import Providers
import TestSupport
import Testing
import Verbs

/// A host, an account: the same words behind every verb.
@Suite("The account behind a verb")
struct AccountWordsTests {
    private let setup = SetupFixture()
    private var helper: HelperFixture { setup.helper }
    private var doubles: Doubles { setup.doubles }
    private var verb: VerbFixture { setup.verb }

    /// octocat and hubot are signed in.
    private func twoAccounts() {
        helper.stored(expiresIn: 3_600)
        helper.stored(expiresIn: 3_600, user: "hubot")
    }

    private var told: [String] { doubles.errors.flatMap { [$0.text.english] + $0.hints.map(\.english) } }

    @Test(
        "a name after the host, the option, an address, or the name alone: each is the account",
        arguments: [["github.com", "hubot"], ["github.com", "--username", "hubot"], ["hubot@github.com"], ["Hubot"]])
    func spellings(words: [String]) throws {
        twoAccounts()
        doubles.transport.answer(GitHubAnswers.gitHubAppToken)
        #expect(
            try verb.run(["refresh"] + words).text.first == "Refreshed the token of hubot for github.com.")
        doubles.transport.answer(GitHubAnswers.user("hubot"))
        let status = try verb.run(["status"] + words).text
        #expect(status.contains("  Signed in as hubot (keyring)") && !status.contains { $0.contains("octocat") })
        doubles.transport.answer(GitHubAnswers.user("hubot"))
        #expect(try verb.run(["login"] + words).text.first == "Already signed in to github.com as hubot.")
        doubles.transport.answer(GitHubAnswers.user("hubot"))
        #expect(
            try verb.run(["switch"] + words).text.first
                == "git now uses hubot for github.com, unless the remote's URL names another account.")
        #expect(try verb.run(["logout"] + words).text.first?.hasSuffix("removed hubot from the keyring.") == true)
        #expect(doubles.keyring.credential(of: "octocat") != nil && doubles.errors.isEmpty)
    }

    @Test("setup signs in as the account that is named, and takes over its token alone")
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
        // Stopped, it goes on as the same one.
        doubles.transport.aside = { _ in nil }
        doubles.transport.fail(.interrupted)
        #expect(try verb.run("setup", "github.com", "mona").status == .cancelled)
        #expect(setup.lines.last == "  git credential-gitspace setup github.com mona")
    }

    @Test(
        "both spellings at once are no order", arguments: ["setup", "login", "logout", "refresh", "status", "switch"])
    func both(name: String) {
        #expect(throws: (any Error).self) { try verb.run(name, "github.com", "a", "--username", "b") }
    }

    @Test(
        "one word that is no stored account and no host that anybody knows is an account that is not stored",
        arguments: ["logout", "refresh", "status", "switch"])
    func unknown(name: String) throws {
        twoAccounts()
        #expect(try verb.run(name, "zoe").status == .failed)
        #expect(told.first == "the account zoe is not stored for github.com")
        #expect(told.contains { $0.contains("octocat") && $0.contains("hubot") } || told.count == 4)
    }

    @Test("for a sign-in it is a host, and one that is nearly known is asked about", arguments: ["login", "setup"])
    func host(name: String) throws {
        twoAccounts()
        doubles.transport.fail(.unreachable)
        #expect(try verb.run(name, "zoe").status == .failed)
        #expect(try verb.run(name, "gitlab").status == .failed)
        #expect(try verb.run("refresh", "gitlab").status == .failed)
        let near = "unknown host gitlab; did you mean gitlab.com?"
        #expect(doubles.errors.map(\.text.english) == ["unknown host zoe", near, near])
    }

    @Test("programs are told of an account that is not stored by an array, as of a host")
    func array() throws {
        twoAccounts()
        #expect(try verb.run("status", "github.com", "zoe", "--json").status == .failed)
        #expect(verb.printed.contains("\"state\": \"not_found\"") && doubles.errors.isEmpty)
    }

    @Test("Ctrl-C while the word is looked up is not taken for a word that nobody knows")
    func interrupted() throws {
        doubles.keyring.fault = .interrupted
        #expect(try verb.run("refresh", "zoe").status == .failed)
        #expect(doubles.errors == [.keyring(.interrupted)])
    }
}
