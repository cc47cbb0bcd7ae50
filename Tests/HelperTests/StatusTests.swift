import TestSupport
import Testing

@Suite("The verbs status and refresh")
struct StatusTests: HelperSuite {
    let helper = HelperFixture()

    /// Returns one field of each account that status prints for programs.
    private func status(_ name: String = "state", _ words: String...) throws -> [String] {
        let verb = VerbFixture(doubles)
        _ = try verb.run(["status", "--json"] + (words.isEmpty ? ["github.com"] : words))
        return verb.printed.split(separator: "\n").compactMap { line in
            line.split(separator: "\"\(name)\": ").dropFirst().first?.prefix { $0 != "," && $0 != "}" }.filter {
                $0 != "\""
            }
        }
    }

    private func refresh() throws -> String? { try verb.run("refresh", "github.com").text.first }

    @Test("shows an account once if another program stored it too, by its own schema")
    func twin() throws {
        helper.stored(expiresIn: 3_600)
        let item = try #require(doubles.keyring.items.first)
        doubles.keyring.put(Secret("gho_other"), under: item.attributes, schemaName: "org.freedesktop.Secret.Generic")
        helper.stored(expiresIn: 3_600, user: "hubot")
        let text = try verb.run("status", "github.com", "--offline").text
        #expect(text.filter { $0.contains("Signed in as octocat") }.count == 1, "\(text)")
        #expect(text.filter { $0.contains("Signed in as hubot") }.count == 1, "\(text)")
    }

    @Test("prints nothing after Ctrl-C", arguments: [[], ["--json"]])
    func interrupted(words: [String]) throws {
        helper.stored(expiresIn: 3_600)
        let verb = VerbFixture(doubles)
        doubles.transport.beforeAnswer = { _ in verb.isInterrupted = true }
        doubles.transport.fail(.interrupted)
        #expect(try verb.run(["status", "github.com"] + words) == (.cancelled, []))
        #expect(verb.printed.isEmpty && doubles.errors.isEmpty)
    }

    @Test("names the owner of a token that belongs to another account, to people and programs")
    func ofAnother() throws {
        helper.brought("ghp_planted")
        respond(GitHubAnswers.user("mallory"))
        #expect(
            try verb.run("status", "github.com").text.dropFirst(3) == [
                "github.com", "  octocat: token belongs to mallory (keyring)",
                "    To sign in again: git credential-gitspace login github.com octocat",
                "    To sign out: git credential-gitspace logout github.com",
            ])
        for (name, value) in [("state", "other_account"), ("owner", "mallory")] {
            respond(GitHubAnswers.user("mallory"))
            #expect(try status(name) == [value])
        }
        for (name, value) in [("state", "authorized"), ("owner", "OCTOCAT")] {
            respond(GitHubAnswers.user("OCTOCAT"))
            #expect(try status(name) == [value])
        }
    }

    @Test("does not contact a host that is a plain store, whatever is stored for it")
    func plainStore() throws {
        doubles.configuration = [
            ConfigurationEntry(section: "credential", subsection: "https://github.com", key: "provider", value: "none")
        ]
        helper.stored(expiresIn: 3_600)
        #expect(try status("provider") == ["null"] && status("state") == ["unknown"])
        #expect(try status("state", "--offline") == ["unknown"] && requests.isEmpty)
    }

    @Test("prints not_found for a host without accounts, an empty array without a host, and an expired token, unasked")
    func nothing() throws {
        #expect(try status() == ["not_found"])
        let verb = VerbFixture(doubles)
        #expect(try verb.run("status", "--json") == (.failed, []) && verb.printed == "[]\n")
        helper.stored(expiresIn: -10)
        #expect(try status() == ["expired"] && status("refreshable") == ["true"] && status("username") == ["octocat"])
        #expect(requests.isEmpty)
    }

    @Test("shows each host once with its accounts below, and other hosts' passwords, which alone are no sign-in")
    func allHosts() throws {
        helper.brought("secret", host: "mail.example")
        #expect(try verb.run("status", "--offline").status == .failed)
        #expect(try verb.run("status", "mail.example", "--offline").status == .done)
        helper.stored(expiresIn: -10)
        helper.stored(expiresIn: -10, user: "monalisa")
        helper.stored(expiresIn: -10, host: "octo.ghe.com", user: "hubot")
        #expect(try status("host", "--offline") == ["github.com", "github.com", "mail.example", "octo.ghe.com"])
        let text = try verb.run("status", "--offline").text
        #expect(text.count { $0 == "github.com" } == 1)
        #expect(text.contains("  Password of octocat (keyring)"))
        #expect(text.contains("    Default (first signed in)"))
    }

    @Test("shows an item that the keyring emptied as lost, and not as rejected")
    func lost() throws {
        helper.stored(expiresIn: nil, refreshToken: nil, password: "")
        #expect(try text().contains("  octocat: token lost by the keyring (keyring)\n    To sign in again: git"))
        #expect(try status("state") == ["not_found"] && requests.isEmpty)
        #expect(
            try verb.check("https://github.com/acme/private")["text"]
                == "the keyring has lost the token of octocat for github.com")
    }

    @Test("prints why a token was not checked")
    func notChecked() throws {
        helper.stored(expiresIn: 3_600)
        doubles.transport.fail(.proxy(setting: "http.proxy"))
        #expect(
            try text(isOffline: false).contains(
                "Signed in as octocat (keyring), not checked: cannot reach github.com through the proxy"))
        #expect(try text().contains("Signed in as octocat (keyring), not checked: --offline"))
    }

    @Test("prints an array with one account in each line, and nothing else")
    func document() throws {
        for user in ["octocat", "hubot"] { helper.stored(expiresIn: nil, user: user) }
        let verb = VerbFixture(doubles)
        #expect(try verb.run("status", "--json", "--offline") == (.done, []))
        let lines = verb.printed.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.first == "[" && lines.suffix(2) == ["]", ""] && lines.count == 5)
        #expect(lines[1].hasPrefix("  {\"host\": \"github.com\"") && lines[1].hasSuffix("},"))
    }

    @Test("refresh renews one of several accounts only by name, and lists the names")
    func refreshOfSeveral() throws {
        for user in ["octocat", "hubot"] { helper.stored(expiresIn: 3_600, user: user) }
        #expect(try refresh() == nil && requests.isEmpty)
        let words = doubles.errors.first
        #expect(words?.text.english == "several accounts are stored for github.com: octocat, hubot")
        #expect(
            words?.hints.map(\.english) == [
                "choose one of them:", "  git credential-gitspace refresh github.com octocat",
                "  git credential-gitspace refresh github.com hubot",
            ])
    }

    private func text(isOffline: Bool = true) throws -> String {
        try verb.run(["status", "github.com"] + (isOffline ? ["--offline"] : [])).text.joined(separator: "\n")
    }

    @Test("prints for programs when the token and its refresh token expire")
    func ends() throws {
        doubles.keyring.put(
            StoredCredential(
                username: Array("octocat".utf8), password: Secret("ghu_old"),
                passwordExpiryUTC: RecordingClock.start + 3_600, oauthRefreshToken: Secret("ghr_old"),
                grant: .init(clientID: "c", refreshTokenExpiryUTC: RecordingClock.start + 7_200)), for: "github.com")
        #expect(try status("expires_at", "github.com", "--offline") == ["\(RecordingClock.start + 3_600)"])
        #expect(try status("refresh_expires_at", "github.com", "--offline") == ["\(RecordingClock.start + 7_200)"])
    }

    @Test(
        "names an account in its next steps only if there are several, and no expiry for a token without one",
        arguments: [["octocat"], ["octocat", "hubot"]])
    func nextSteps(users: [String]) throws {
        for user in users { helper.stored(expiresIn: nil, refreshToken: nil, user: user) }
        let lines = try verb.run("status", "github.com", "--offline").text
        let command = "    To sign out: git credential-gitspace logout github.com"
        let commands = users.count == 1 ? [command] : users.map { "\(command) \($0)" }
        #expect(lines.filter { $0.contains("To sign out") } == commands && lines.contains("    Token: does not expire"))
    }

    @Test("shows a renewable token as valid, and an expired one with its remedy")
    func remedies() throws {
        let signIn = "To sign in again: git credential-gitspace login github.com octocat"
        helper.stored(expiresIn: -10)
        var text = try text()
        #expect(text.contains("Signed in as octocat (keyring)\n    Token: expired; git refreshes it"), "\(text)")
        helper.stored(expiresIn: -10, refreshToken: nil)
        text = try self.text()
        #expect(text.contains("octocat: token expired on ") && text.contains(signIn), "\(text)")
        helper.stored(expiresIn: 3_600, refreshToken: nil)
        let end = LocalTime.text(RecordingClock.start + 3_600).text
        text = try self.text()
        #expect(text.contains("\n    Token: valid until \(end)\n"), "\(text)")
        // `login` refreshes the token if possible, so one command is enough.
        for refreshToken in [nil, "ghr_1"] {
            helper.stored(expiresIn: 3_600, refreshToken: refreshToken)
            respond(GitHubAnswers.badCredentials)
            text = try self.text(isOffline: false)
            #expect(text.contains("octocat: token rejected (keyring)") && text.contains(signIn), "\(text)")
        }
    }

    @Test("refresh fails for a token that cannot be renewed or saved, and for a server that is away")
    func errors() throws {
        #expect(try refresh() == nil)
        helper.stored(expiresIn: 3_600, refreshToken: nil)
        #expect(try refresh() == nil)
        helper.stored(expiresIn: 3_600)
        doubles.transport.fail(.unreachable)
        #expect(try refresh() == nil)
        #expect(
            doubles.errors == [
                .notSignedIn(host: "github.com"), .notRefreshable(host: "github.com", SignInAgain(account: "octocat")),
                .offline(host: "github.com", .unreachable),
            ])
        #expect(password() == "ghu_old")
        doubles.keyring.saveFault = .denied
        respond(GitHubAnswers.gitHubAppToken)
        #expect(try refresh() == nil)
        #expect(sentences.last == "the token could not be saved and is lost: the keyring denied access")
    }

    /// Returns what status prints with the given global configuration of git.
    private func inFront(_ configuration: String, host: String? = "github.com") throws -> String {
        verb.files.texts[.global] = configuration
        return try verb.run(["status", "--offline"] + (host.map { [$0] } ?? [])).text.joined(separator: "\n")
    }

    private static let replaced = """
        [credential "https://github.com"]
        helper =
        helper = !/usr/bin/gh auth git-credential

        """

    @Test("names the helper that gh auth setup-git put in our place", arguments: ["github.com", nil])
    func replaced(host: String?) throws {
        helper.stored(expiresIn: 3_600)
        let text = try inFront(Self.replaced, host: host)
        #expect(
            text.contains(
                "git uses the helper !/usr/bin/gh auth git-credential instead of gitspace for github.com (set in /global)\n"
            ), "\(text)")
        #expect(
            text.contains("\nTo have git use gitspace: git credential-gitspace configure github.com\n\n"), "\(text)")
    }

    @Test("names a helper before ours, and neither one after ours nor none")
    func before() throws {
        // Somebody who is signed out needs to know it as well.
        #expect(try inFront(Self.replaced).contains("instead of gitspace for github.com"))
        helper.stored(expiresIn: 3_600)
        #expect(
            try inFront("[credential]\nhelper = osxkeychain\nhelper = gitspace\n").contains(
                "the helper osxkeychain runs before gitspace for github.com: its answer is used instead"))
        #expect(
            try inFront("").hasPrefix("git is not set up to use gitspace for github.com\nTo have git use gitspace: "))
        for quiet in ["[credential]\nhelper = gitspace\nhelper = cache\n", "[credential]\nhelper = gitspace\n"] {
            #expect(!(try inFront(quiet).contains("helper")), "\(quiet)")
        }
    }
}
