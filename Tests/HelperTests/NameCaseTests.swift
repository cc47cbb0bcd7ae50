import CredentialCore
import Helper
import Messages
import Providers
import TestSupport
import Testing
import Verbs

/// No host where we sign in tells names apart by the case of ASCII letters.
@Suite("The case of an account's name")
struct NameCaseTests {
    private let helper = HelperFixture()
    private let verb: VerbFixture
    private var doubles: Doubles { helper.doubles }

    init() {
        verb = VerbFixture(helper.doubles)
        doubles.configure("credential", "https://ghe.example", "provider", "github")
        doubles.configure("credential", "https://ghe.example", "oauthClientId", "Iv1.ghe")
    }

    private func users(on host: String = "github.com") -> [String] {
        doubles.keyring.items.filter { $0.attributes.server == Array(host.utf8) }
            .map { String(decoding: $0.attributes.user ?? [], as: UTF8.self) }
    }

    private func approve(as user: String) {
        doubles.transport.answer(GitHubAnswers.device)
        doubles.transport.answer(GitHubAnswers.oauthAppToken)
        doubles.transport.answer(GitHubAnswers.user(user))
    }

    // MARK: get

    @Test(
        "a name selects whatever its case, where we sign in",
        arguments: ["github.com", "gitlab.com", "ghe.example", "GHE.example", "octo.ghe.com"])
    func found(host: String) throws {
        helper.stored(expiresIn: nil, host: host.lowercased(), user: "Octo-Cat")
        for name in ["octo-cat", "OCTO-CAT", "Octo-Cat"] {
            let answer = try helper.run(.get, "protocol=https\nhost=\(host)\nusername=\(name)")
            #expect(answer == "username=Octo-Cat\npassword=ghu_old\n")
        }
        #expect(doubles.ui.prompts.isEmpty && doubles.errors.isEmpty)
        // By ASCII alone: the Kelvin sign is no letter of a name.
        doubles.ui.canBeReached = false
        for name in ["octo_cat", "octo-ca", "octo-cats"] {
            #expect(try helper.run(.get, "protocol=https\nhost=\(host)\nusername=\(name)").isEmpty, "\(name)")
        }
    }

    @Test("elsewhere a name selects to the byte", arguments: ["plain.example", "bitbucket.org"])
    func toTheByte(host: String) throws {
        helper.brought("p", host: host, user: "Octo-Cat")
        #expect(try helper.run(.get, "protocol=https\nhost=\(host)\nusername=octo-cat").isEmpty)
        try helper.run(.store, "protocol=https\nhost=\(host)\nusername=octo-cat\npassword=q")
        #expect(users(on: host) == ["Octo-Cat", "octo-cat"])
        try helper.run(.erase, "protocol=https\nhost=\(host)\nusername=octo-cat")
        #expect(users(on: host) == ["Octo-Cat"])
        #expect(try verb.run("logout", host, "--username", "octo-cat").status == .failed)
    }

    @Test("of one person's two tokens of an earlier version, the one that is good is the answer")
    func twins() throws {
        helper.stored(expiresIn: -10, refreshToken: nil, user: "octo-cat", password: "ghu_dead")
        helper.stored(expiresIn: nil, user: "Octo-Cat")
        #expect(try helper.get(as: "octo-cat").contains("ghu_old"))
    }

    @Test("a token is refreshed under its own name, and under one lock")
    func refreshed() throws {
        helper.stored(expiresIn: -10, user: "Octo-Cat")
        doubles.transport.answer(GitHubAnswers.gitHubAppToken)
        #expect(try helper.get(as: "octo-cat").hasPrefix("username=Octo-Cat\npassword=ghu_16C7"))
        #expect(users() == ["Octo-Cat"])
    }

    @Test("locks, and what is kept beside them, do not depend on it")
    func locks() {
        let host = HostName(name: "github.com")
        let (one, other) = (Array("Octo-Cat".utf8), Array("octo-cat".utf8))
        #expect(LockName.account(one, on: host) == .account(other, on: host))
        #expect(LockName.signIn(as: one, on: host) == .signIn(as: other, on: host))
        #expect(LockName.waitingLine(for: one, on: host) == .waitingLine(for: other, on: host))
        #expect(LockName.account(one, on: host) != .account(Array("octo_cat".utf8), on: host))
    }

    @Test("a rejected token that cannot be removed is remembered whatever the case")
    func remembered() throws {
        helper.stored(expiresIn: nil, refreshToken: nil, user: "Octo-Cat")
        doubles.keyring.isLocked = true
        doubles.keyring.unlocking = .locked
        try helper.run(.erase, "protocol=https\nhost=github.com\nusername=octo-cat\npassword=ghu_old")
        doubles.keyring.isLocked = false
        doubles.ui.canBeReached = false
        #expect(try !helper.get(as: "octo-cat").contains("ghu_old"))
        #expect(try !helper.get(as: "Octo-Cat").contains("ghu_old"))
    }

    // MARK: One account of one person

    @Test("a sign-in replaces what is stored for the person")
    func signIn() throws {
        helper.stored(expiresIn: -10, refreshToken: nil, user: "Octo-Cat")
        approve(as: "octo-cat")
        #expect(try helper.get(as: "octo-cat").contains("gho_16C7"))
        #expect(users() == ["Octo-Cat"])
        #expect(try helper.get().contains("gho_16C7"))
    }

    @Test("login says who is signed in already, and what it replaces")
    func login() throws {
        verb.setUpGit()
        helper.stored(expiresIn: nil, user: "Octo-Cat")
        doubles.transport.answer(GitHubAnswers.user("Octo-Cat"))
        #expect(
            try verb.run("login", "github.com", "--username", "octo-cat").text
                == ["Already signed in to github.com as Octo-Cat."])
        approve(as: "Octo-Cat")
        #expect(
            try verb.run("login", "github.com", "--username", "octo-cat", "--force").text.first?
                .hasPrefix("Replaced the previous token of ") == true)
        #expect(users() == ["Octo-Cat"])
    }

    @Test("a pasted token is stored for the person once")
    func pasted() throws {
        helper.stored(expiresIn: nil, user: "Octo-Cat")
        verb.questions.answers = ["ghp_pasted"]
        doubles.transport.answer(GitHubAnswers.user("octo-cat"))
        #expect(try verb.run("login", "github.com", "--with-token").status == .done)
        #expect(users() == ["Octo-Cat"] && doubles.keyring.credential(of: "Octo-Cat")?.password.text == "ghp_pasted")
    }

    @Test(
        "a store leaves a sign-in alone, and replaces a token that has ended", arguments: ["github.com", "ghe.example"])
    func store(host: String) throws {
        helper.stored(expiresIn: nil, host: host, user: "Octo-Cat")
        let request = "protocol=https\nhost=\(host)\nusername=octo-cat\npassword="
        try helper.run(.store, request + "evil")
        #expect(users(on: host) == ["Octo-Cat"] && doubles.keyring.onlyText?.hasPrefix("ghu_old") == true)
        helper.stored(expiresIn: -10, refreshToken: nil, host: host, user: "Octo-Cat")
        try helper.run(.store, request + "ghp_typed")
        #expect(users(on: host) == ["Octo-Cat"] && doubles.keyring.onlyText == "ghp_typed")
        try helper.run(.store, request + "ghp_typed\npassword_expiry_utc=1800000000")
        #expect(doubles.keyring.onlyText == "ghp_typed\npassword_expiry_utc=1800000000")
    }

    @Test(
        "erase, with a password and without one", arguments: ["github.com", "ghe.example"], ["", "\npassword=ghu_old"])
    func erase(host: String, password: String) throws {
        helper.stored(expiresIn: nil, refreshToken: nil, host: host, user: "Octo-Cat")
        helper.stored(expiresIn: nil, refreshToken: nil, host: host, user: "hubot")
        doubles.requester = .person
        try helper.run(.erase, "protocol=https\nhost=\(host)\nusername=octo-cat" + password)
        #expect(users(on: host) == ["hubot"])
    }

    // MARK: Verbs

    @Test("logout, refresh and status know the account by it", arguments: ["github.com", "ghe.example"])
    func verbs(host: String) throws {
        helper.stored(expiresIn: -10, host: host, user: "Octo-Cat")
        helper.stored(expiresIn: nil, host: host, user: "hubot")
        doubles.transport.answer(GitHubAnswers.gitHubAppToken)
        #expect(
            try verb.run("refresh", host, "--username", "octo-cat").text.first
                == "Refreshed the token of Octo-Cat for \(host).")
        let accounts = try verb.objects("status", "https://octo-cat@\(host)", "--offline")
        #expect(accounts.map { $0["username"] } == ["Octo-Cat"])
        #expect(
            try verb.run("logout", host, "--username", "octo-cat").text.first
                == "Signed out of \(host): removed Octo-Cat from the keyring.")
        #expect(users(on: host) == ["hubot"])
    }

    @Test("one person's two tokens of an earlier version are one account")
    func twinsInVerbs() throws {
        helper.stored(expiresIn: nil, refreshToken: nil, user: "Octo-Cat")
        helper.stored(expiresIn: nil, refreshToken: nil, user: "octo-cat")
        verb.remote = nil
        #expect(try verb.run("logout", "github.com").status == .done)
        #expect(users().isEmpty)
    }

    @Test("the account that git's configuration names is the one that is stored")
    func configured() throws {
        for name in ["Octo-Cat", "hubot"] { helper.stored(expiresIn: nil, user: name) }
        verb.files.texts[.global] = "[credential \"https://github.com\"]\nusername = octo-cat\n"
        doubles.configure("credential", "https://github.com", "username", "octo-cat")
        let status = try verb.run("status", "github.com", "--offline").text
        #expect(!status.contains { $0.contains("which is not signed in") }, "\(status)")
        #expect(try verb.objects("status", "github.com", "--offline").map { $0.isTrue("selected") } == [true, false])
        verb.questions.canAsk = false
        let shown = try verb.run("switch", "github.com").text
        #expect(shown.contains("* 1  Octo-Cat  (default)"), "\(shown)")
        #expect(!shown.contains { $0.contains("which is not signed in") }, "\(shown)")
        // A later line that names the same person is no other account.
        verb.files.others = [
            OriginatedEntry(
                scope: "local", origin: ".git/config",
                entry: ConfigurationEntry(
                    section: "credential", subsection: "https://github.com", key: "username", value: "OCTO-cat"))
        ]
        doubles.transport.otherwise = .page(status: 502)
        #expect(try verb.run("switch", "github.com", "octo-cat").status == .done)
        let end = try verb.run("logout", "github.com", "--username", "OCTO-CAT").text
        #expect(end.contains { $0.hasPrefix("git still asks for ") } || end.count > 1, "\(end)")
    }

    @Test("check uses the account that the address names")
    func check() throws {
        helper.stored(expiresIn: nil, user: "hubot")
        helper.stored(expiresIn: nil, user: "Octo-Cat", password: "ghu_octo")
        doubles.transport.aside = { $0.address.hasSuffix("/user") ? .page(status: 502) : nil }
        doubles.transport.answer(
            .json("{\"full_name\":\"acme/x\",\"private\":true,\"permissions\":{\"push\":true}}"))
        let finding = try verb.check("https://octo-cat@github.com/acme/x")
        #expect(finding["username"] == "Octo-Cat" && finding["result"] == "reachable")
        #expect(doubles.transport.requests.map(\.authorization) == ["Bearer ghu_octo"])
    }
}
