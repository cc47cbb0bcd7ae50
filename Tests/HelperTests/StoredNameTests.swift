import TestSupport
import Testing

/// Every host where we sign in ignores the case of ASCII letters in names, and may rename an account.
@Suite("Account names: letter case, and new names")
struct StoredNameTests: HelperSuite {
    let helper = HelperFixture()
    init() {
        doubles.configure("credential", "https://ghe.example", ["provider": "github", "oauthClientId": "Iv1.ghe"])
    }

    // MARK: get

    @Test(
        "get finds an account in any letter case on hosts with sign-ins",
        arguments: ["github.com", "gitlab.com", "ghe.example", "GHE.example", "octo.ghe.com"])
    func found(host: String) throws {
        helper.stored(expiresIn: nil, host: host.lowercased(), user: "Octo-Cat")
        for name in ["octo-cat", "OCTO-CAT", "Octo-Cat"] {
            #expect(try get(as: name, host: host) == "username=Octo-Cat\npassword=ghu_old\n")
        }
        #expect(prompts.isEmpty && doubles.errors.isEmpty)
        // Only ASCII letters count: the Kelvin sign is no letter of a name.
        doubles.ui.canBeReached = false
        for name in ["octo_cat", "octo-ca", "octo-cats"] { #expect(try get(as: name, host: host).isEmpty, "\(name)") }
    }

    @Test("selects by the exact bytes on other hosts", arguments: ["plain.example", "bitbucket.org"])
    func toTheByte(host: String) throws {
        helper.brought("p", host: host, user: "Octo-Cat")
        #expect(try get(as: "octo-cat", host: host).isEmpty)
        try helper.run(.store, "protocol=https\nhost=\(host)\nusername=octo-cat\npassword=q")
        #expect(users(on: host) == ["Octo-Cat", "octo-cat"])
        try helper.run(.erase, "protocol=https\nhost=\(host)\nusername=octo-cat")
        #expect(users(on: host) == ["Octo-Cat"])
        #expect(try verb.run("logout", host, "--username", "octo-cat").status == .failed)
    }

    @Test("takes a person's two tokens from an earlier version as one account, and returns the valid one")
    func twins() throws {
        helper.stored(expiresIn: -10, refreshToken: nil, user: "octo-cat", password: "ghu_dead")
        helper.stored(expiresIn: nil, user: "Octo-Cat")
        #expect(try get(as: "octo-cat").contains("ghu_old"))
        helper.stored(expiresIn: nil, refreshToken: nil, user: "Octo-Cat")
        helper.stored(expiresIn: nil, refreshToken: nil, user: "octo-cat")
        verb.remote = nil
        #expect(try verb.run("logout", "github.com").status == .done && users().isEmpty)
    }

    @Test("refreshes a token under its stored name, with one lock")
    func refreshed() throws {
        helper.stored(expiresIn: -10, user: "Octo-Cat")
        respond(GitHubAnswers.gitHubAppToken)
        #expect(try get(as: "octo-cat").hasPrefix("username=Octo-Cat\npassword=ghu_16C7"))
        #expect(users() == ["Octo-Cat"])
    }

    @Test("uses the same lock and the same notes for each letter case")
    func locks() {
        let host = HostName(name: "github.com")
        let (one, other) = (Array("Octo-Cat".utf8), Array("octo-cat".utf8))
        #expect(LockName.account(one, on: host) == .account(other, on: host))
        #expect(LockName.signIn(as: one, on: host) == .signIn(as: other, on: host))
        #expect(LockName.waitingLine(for: one, on: host) == .waitingLine(for: other, on: host))
        #expect(LockName.account(one, on: host) != .account(Array("octo_cat".utf8), on: host))
    }

    @Test("remembers a rejected token that cannot be removed, in any letter case")
    func remembered() throws {
        helper.stored(expiresIn: nil, refreshToken: nil, user: "Octo-Cat")
        doubles.keyring.isLocked = true
        doubles.keyring.unlocking = .locked
        try helper.run(.erase, "protocol=https\nhost=github.com\nusername=octo-cat\npassword=ghu_old")
        doubles.keyring.isLocked = false
        doubles.ui.canBeReached = false
        #expect(try !get(as: "octo-cat").contains("ghu_old"))
        #expect(try !get(as: "Octo-Cat").contains("ghu_old"))
    }

    // MARK: One account of one person

    @Test("replaces the stored token of the same person at a sign-in")
    func signIn() throws {
        helper.stored(expiresIn: -10, refreshToken: nil, user: "Octo-Cat")
        helper.approve(as: "octo-cat")
        #expect(try get(as: "octo-cat").contains("gho_16C7"))
        #expect(users() == ["Octo-Cat"])
        #expect(try get().contains("gho_16C7"))
    }

    @Test("login names the stored account, and stores a pasted token once for each person")
    func login() throws {
        verb.setUpGit()
        helper.stored(expiresIn: nil, user: "Octo-Cat")
        respond(GitHubAnswers.user("Octo-Cat"))
        let text = try verb.run("login", "github.com", "--username", "octo-cat").text
        #expect(text == ["Already signed in to github.com as Octo-Cat."])
        verb.questions.answers = ["ghp_pasted"]
        respond(GitHubAnswers.user("octo-cat"))
        #expect(try verb.run("login", "github.com", "--with-token").status == .done)
        #expect(users() == ["Octo-Cat"] && password(of: "Octo-Cat") == "ghp_pasted")
        helper.approve(as: "octo-cat")
        let replaced = try verb.run("login", "github.com", "--force").text
        #expect(replaced == ["Replaced the previous token of octo-cat for github.com."] && users() == ["Octo-Cat"])
    }

    @Test("store keeps a sign-in, and replaces an expired token", arguments: ["github.com", "ghe.example"])
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
        "erase removes an account in any letter case, with a password and without one",
        arguments: ["github.com", "ghe.example"], ["", "\npassword=ghu_old"])
    func erase(host: String, password: String) throws {
        helper.stored(expiresIn: nil, refreshToken: nil, host: host, user: "Octo-Cat")
        helper.stored(expiresIn: nil, refreshToken: nil, host: host, user: "hubot")
        doubles.requester = .person
        try helper.run(.erase, "protocol=https\nhost=\(host)\nusername=octo-cat" + password)
        #expect(users(on: host) == ["hubot"])
    }

    // MARK: Verbs

    @Test("logout, refresh and status find the account", arguments: ["github.com", "ghe.example"])
    func verbs(host: String) throws {
        helper.stored(expiresIn: -10, host: host, user: "Octo-Cat")
        helper.stored(expiresIn: nil, host: host, user: "hubot")
        respond(GitHubAnswers.gitHubAppToken)
        let refreshed = try verb.run("refresh", host, "--username", "octo-cat").text.first
        #expect(refreshed == "Refreshed the token of Octo-Cat for \(host).")
        let accounts = try verb.objects("status", "https://octo-cat@\(host)", "--offline")
        #expect(accounts.map { $0["username"] } == ["Octo-Cat"])
        let removed = try verb.run("logout", host, "--username", "octo-cat").text.first
        #expect(removed == "Signed out of \(host): removed Octo-Cat from the keyring.")
        #expect(users(on: host) == ["hubot"])
    }

    @Test("finds the stored account that git's configuration names")
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
            OriginatedEntry("local", ".git/config", "credential", "https://github.com", "username", "OCTO-cat")
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
        respond(.json("{\"full_name\":\"acme/x\",\"private\":true,\"permissions\":{\"push\":true}}"))
        let finding = try verb.check("https://octo-cat@github.com/acme/x")
        #expect(finding["username"] == "Octo-Cat" && finding["result"] == "reachable")
        #expect(requests.map(\.authorization) == ["Bearer ghu_octo"])
    }

    // MARK: An account whose name at the host differs from the one in the keyring

    @Test("follows the account's number once with a line, and still finds and refreshes the token by the old name")
    func followed() throws {
        helper.stored(expiresIn: 3_600, accountID: 1)
        respond(GitHubAnswers.user("mona"))
        let text = try verb.run("status", "github.com").text
        #expect(text.contains { $0.contains("Signed in as mona") }, "\(text)")
        #expect(users() == ["mona"] && doubles.locks.held == 0)
        #expect(notices == [.accountRenamed(host: "github.com", from: "octocat", to: "mona")])
        #expect(credential(of: "mona")?.oauthRefreshToken?.text == "ghr_old")
        respond(GitHubAnswers.user("mona"))
        _ = try verb.run("status", "github.com")
        #expect(notices.count == 1)
        let answer = try get(as: "octocat")
        #expect(answer.contains("username=mona\n") && answer.contains("password=ghu_old\n"), "\(answer)")
        doubles.clock.advance(milliseconds: 3_600_000)
        respond(GitHubAnswers.gitHubAppToken)
        #expect(try get(as: "octocat").contains("username=mona\n"))
        #expect(credential(of: "mona")?.grant?.accountID == 1)
        #expect(credential(of: "mona")?.grant?.formerName == "octocat")
    }

    @Test("doctor follows the new name, and finds nothing wrong")
    func examined() throws {
        helper.stored(expiresIn: 3_600, accountID: 1)
        let examination = Examination()
        examination.doubles.keyring.put(try #require(credential()), for: "github.com")
        let found = examination.found(.account, accounts: GitHubAnswers.user("mona"))
        #expect(found.results == [.ok] && found.texts == ["github.com accepts the token of mona"], "\(found)")
        #expect(examination.credential(of: "mona") != nil)
        #expect(examination.doubles.ui.notices == [.accountRenamed(host: "github.com", from: "octocat", to: "mona")])
    }

    @Test("check follows the new name, and goes on with it")
    func checked() throws {
        helper.stored(expiresIn: 3_600, accountID: 1)
        respond(GitHubAnswers.user("mona"), GitHubAnswers.repository())
        let finding = try verb.check("https://github.com/acme/widgets")
        #expect(finding["result"] == "reachable" && finding["username"] == "mona", "\(finding)")
        #expect(users() == ["mona"])
    }

    @Test("doctor and check offer no sign-in by the old name, if no number was stored")
    func unknownToVerbs() throws {
        let examination = Examination()
        examination.helper.stored(expiresIn: 3_600)
        let found = examination.found(.account, accounts: GitHubAnswers.user("mona"))
        #expect(found.results == [.fail] && found.everything.contains("belongs to mona"), "\(found)")
        #expect(!found.everything.contains("login github.com octocat"), "\(found)")
        helper.stored(expiresIn: 3_600, accountID: nil)
        doubles.transport.otherwise = GitHubAnswers.user("mona")
        let finding = try verb.check("https://github.com/acme/widgets")
        #expect(finding["result"] == "other_account" && finding["owner"] == "mona")
        #expect(!finding.hints.contains { $0.contains("login github.com octocat") }, "\(finding.hints)")
    }

    @Test("does not rename to another account, or over a stored one", arguments: [true, false])
    func notFollowed(isAnother: Bool) throws {
        helper.stored(expiresIn: 3_600, accountID: isAnother ? 2 : 1)
        if !isAnother { helper.stored(expiresIn: -1, user: "mona", accountID: 1) }
        doubles.transport.otherwise = GitHubAnswers.user("mona")
        _ = try verb.run("status", "github.com")
        #expect(Set(users()).contains("octocat") && notices.isEmpty)
    }

    @Test("does not rename a token that another account's has replaced meanwhile")
    func replacedMeanwhile() throws {
        helper.stored(expiresIn: 3_600, accountID: 1)
        doubles.locks.whenAcquired = { [helper] in helper.stored(expiresIn: 3_600, password: "ghu_2", accountID: 2) }
        respond(GitHubAnswers.user("mona"))
        _ = try verb.run("status", "github.com")
        #expect(users() == ["octocat"] && password() == "ghu_2" && notices.isEmpty)
    }
}
