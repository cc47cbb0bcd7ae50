import TestSupport
import Testing

@Suite("The verb setup: sign-ins of other tools")
struct SetupTakeOverTests: HelperSuite {
    private let setup = SetupFixture()
    var helper: HelperFixture { setup.helper }

    /// Runs `setup --yes` without a client ID, on a host where mona has an account.
    private func run(host: String = "github.com") throws {
        doubles.builtInClientID = nil
        doubles.environment["HOME"] = "/home/x"
        doubles.transport.otherwise = GitHubAnswers.user("mona")
        _ = try setup.run("--yes", host: host)
    }

    /// The tokens that were sent to the host, each once.
    private var asked: [String] {
        var tokens: [String] = []
        for token in requests.compactMap(\.authorization) where !tokens.contains(token) { tokens.append(token) }
        return tokens
    }

    @Test("stores gh's token once under its account's name, as a sign-in that cannot be renewed")
    func gh() throws {
        setup.gh("gho_one")
        setup.foreignKeyring.put("gho_one", ("service", "gh:github.com"), ("username", ""))
        try run()
        #expect(doubles.keyring.onlyText == "gho_one\ngitspace_since=\(RecordingClock.start)")
        #expect(credential(of: "mona")?.grant?.clientID == nil && setup.foreignKeyring.items.count == 2)
        setup.forget()
        try run()
        #expect(setup.lines.contains("Already signed in to github.com as mona."))
    }

    @Test(
        "finds accounts in gh's file, and tokens without a keyring",
        arguments: [("github.com", nil), ("github.com", .noBus), ("ghe.example", nil)] as [(String, KeyringError?)])
    func ghFile(host: String, fault: KeyringError?) throws {
        setup.foreignKeyring.fault = fault
        setup.foreignFiles.texts["/home/x/.config/gh/hosts.yml"] = """
            # written by gh
            github.com:
                git_protocol: https
                users:
                    mona:
                        oauth_token: "gho_mona"
                    lisa:
                user: mona
                oauth_token: gho_mona
            ghe.example:
                user: mona
            """
        setup.foreignKeyring.put("gho_active", ("service", "gh:ghe.example"), ("username", ""))
        doubles.configure("credential", "https://ghe.example", "provider", "github")
        try run(host: host)
        #expect(password(of: "mona") == (host == "github.com" ? "gho_mona" : "gho_active"))
    }

    @Test("finds Git Credential Manager's items by their schema in any namespace, except those for a path")
    func gcm() throws {
        let schema = ("xdg:schema", "com.microsoft.GitCredentialManager")
        for (token, service) in [
            ("r", "git:https://oauth-refresh-token.github.com"), ("p", "git:http://github.com"),
            ("path", "git:https://github.com/org/x"), ("gho_x", "my ns:https://GitHub.com"),
        ] { setup.foreignKeyring.put(token, schema, ("service", service), ("account", "mona")) }
        try run()
        #expect(password(of: "mona") == "gho_x" && asked == ["Bearer gho_x"])
    }

    @Test("decodes git-credential-store's lines as git does, and sends each token to its own host alone")
    func store() throws {
        setup.store("https://u:other@elsewhere.example\n\nhttps://mona:t%6fken%2f@ghe.example%3a8443/\n")
        doubles.configure("credential", "https://ghe.example:8443", "provider", "github")
        try run(host: "ghe.example:8443")
        #expect(password(of: "mona") == "token/" && asked == ["Bearer token/"])
        #expect(setup.lines.contains("✓ Signed in as mona. Saved in the keyring."))
    }

    @Test("asks before it takes git-credential-store's entry over, and names the command that removes it there")
    func storeAsked() throws {
        setup.store("https://mona:ghp_x@github.com\n")
        questions.answers = [""]
        setup.accepts(tokenOf: "mona")
        #expect(try setup.run() == .done && password(of: "mona") == "ghp_x")
        let question = "git-credential-store is signed in to github.com as mona. Use this account for git, too? [Y/n] "
        #expect(questions.asked == [question])
        #expect(
            setup.lines.below("/home/x/.git-credentials still has the token in plain text. To remove it:") == [
                #"printf 'protocol=https\nhost=github.com\nusername=mona\n\n' | git credential-store --file "#
                    + "/home/x/.git-credentials erase"
            ])
    }

    @Test(
        "names a store of Git Credential Manager that setup does not read",
        arguments: [("gpg", true), ("PlainText", true), ("cache", true), ("secretservice", false)])
    func otherStore(name: String, isNamed: Bool) throws {
        doubles.configure("credential", nil, "credentialStore", name)
        try run()
        let line = "setup does not look into the \"\(name.lowercased())\" store of Git Credential Manager."
        #expect(setup.lines.contains(line) == isNamed, "\(setup.lines)")
    }

    @Test(
        "skips lines that are malformed, for http or a path, or without a token",
        arguments: [
            "nonsense", "https://github.com", "https://user@github.com", "://u:p@github.com",
            "https://u:%zz@github.com", "https://u:%0a@github.com", "https://u:p@", "https:/u:p@github.com",
            "https://u:p%2@github.com", "# https://u:p@github.com", "https://u:p@github.com%0aevil",
            "http://u:p@github.com", "https://u:@github.com", "https://u:p%20q@github.com", "https://u:p@github.com/a",
            "https://u:p@x@github.com",
        ])
    func badLines(line: String) throws {
        doubles.environment["XDG_CONFIG_HOME"] = "/x"
        setup.foreignFiles.texts["/x/git/credentials"] = line + "\nhttps://mona:good@github.com\n"
        try run()
        #expect(password(of: "mona") == "good" && asked == ["Bearer good"])
    }

    @Test("does not store or print a malformed name of another tool's")
    func escaped() throws {
        setup.store("https://a%1b[2J%0ahost=evil:p@github.com")
        try run()
        #expect(setup.lines.contains("Skipped a token of git-credential-store, because it belongs to another account."))
        #expect(doubles.keyring.items.isEmpty)
    }

    @Test("replaces a stored token that has expired, or that the host rejected", arguments: [true, false])
    func givesWay(isRejected: Bool) throws {
        if isRejected {
            helper.brought("gho_dead", user: "mona")
            respond(GitHubAnswers.badCredentials)
        } else {
            helper.stored(expiresIn: -10, refreshToken: nil, user: "mona")
        }
        setup.gh("gho_gh")
        try run()
        #expect(password(of: "mona") == "gho_gh")
    }

    @Test("keeps a grant that is saved during the request or under the lock", arguments: [true, false])
    func savedMeanwhile(underLock: Bool) throws {
        setup.gh("gho_gh")
        let save = { helper.stored(expiresIn: 3_600, user: "mona") }
        if underLock { doubles.locks.whenAcquired = save } else { doubles.transport.beforeAnswer = { _ in save() } }
        try run()
        #expect(password(of: "mona") == "ghu_old" && doubles.locks.held == 0)
        #expect(setup.lines.contains("Already signed in to github.com as mona."))
    }

    @Test(
        "stores nothing without the account's lock, and reports the reason",
        arguments: [LockError.timedOut, .impossible])
    func noLock(fault: LockError) throws {
        setup.gh("gho_gh")
        doubles.locks.fault = fault
        try run()
        #expect(doubles.keyring.items.isEmpty)
        let why = fault == .timedOut ? "timed out while waiting" : "no safe folder for lock files"
        #expect(doubles.errors.count == 1 && sentences.first?.contains(why) == true)
    }

    @Test("reports a failed save, and leaves the token with the other tool")
    func saveFails() throws {
        setup.gh("gho_gh")
        doubles.keyring.saveFault = .denied
        try run()
        #expect(sentences == ["could not save the token of gh: the keyring denied access"])
    }

    // MARK: Ports, several accounts, many tokens

    /// Writes gh's file of hosts, in which ghe.example has its own port.
    private func ghFile(_ text: String) { setup.foreignFiles.texts["/home/x/.config/gh/hosts.yml"] = text }

    @Test("never sends a token of one port to another", arguments: ["ghe.example", "ghe.example:8443"])
    func port(host: String) throws {
        doubles.configure("credential", "https://\(host)", "provider", "github")
        ghFile(
            """
            ghe.example:8443:
                users:
                    mona:
                        oauth_token: gho_8443
                user: mona
            "ghe.example:9443":
                user: mona
                oauth_token: gho_9443
            """)
        setup.store("https://mona:gho_store@ghe.example:9443\n")
        setup.foreignKeyring.put(
            "gho_gcm", ("xdg:schema", "com.microsoft.GitCredentialManager"),
            ("service", "git:https://ghe.example:9443"), ("account", "mona"))
        try run(host: host)
        #expect(password(of: "mona") == (host == "ghe.example" ? nil : "gho_8443"))
        #expect(asked == (host == "ghe.example" ? [] : ["Bearer gho_8443"]))
    }

    /// Answers for each token with its owner, who is named in the token, such as `gho_mona`.
    private func answerByToken() {
        doubles.builtInClientID = nil
        doubles.environment["HOME"] = "/home/x"
        doubles.transport.aside = { request in
            guard let token = request.authorization, let name = token.split(separator: "_").last else {
                return .json("{}", status: 404, headers: [("date", "Tue, 14 Nov 2023 22:13:20 GMT")])
            }
            return GitHubAnswers.user(String(name))
        }
    }

    @Test(
        "offers gh's active account first, by its file or its nameless item, and names the others",
        arguments: [true, false])
    func active(byFile: Bool) throws {
        answerByToken()
        for user in ["adam", "mona", "lisa"] {
            setup.foreignKeyring.put("gho_\(user)", ("service", "gh:github.com"), ("username", user))
        }
        if byFile {
            ghFile("github.com:\n    users:\n        adam:\n        mona:\n        lisa:\n    user: mona\n")
        } else {
            setup.foreignKeyring.put("gho_mona", ("service", "gh:github.com"), ("username", ""))
        }
        questions.answers = [""]
        #expect(try setup.run() == .done)
        #expect(questions.asked == ["gh is signed in to github.com as mona. Use this account for git, too? [Y/n] "])
        #expect(doubles.keyring.items.compactMap(\.attributes.user) == [Array("mona".utf8)])
        let commands = ["adam", "lisa"].map { "git credential-gitspace setup github.com \($0)" }
        #expect(setup.lines.below("Other tools have more accounts. To take them over as well:") == commands)
    }

    @Test("tries five of a file's sixty tokens, and reports how many there are")
    func sixty() throws {
        setup.store((1...60).map { "https://user\($0):token\($0)@github.com\n" }.joined())
        doubles.builtInClientID = nil
        doubles.transport.otherwise = GitHubAnswers.badCredentials
        _ = try setup.run("--yes")
        #expect(asked == (1...5).map { "Bearer token\($0)" })
        #expect(setup.lines.contains("Tried 5 of the 60 tokens that other tools have."))
    }

    @Test("tries the named account's token, wherever it is in the file")
    func sixtyNamed() throws {
        answerByToken()
        setup.store((1...60).map { "https://user\($0):token_user\($0)@github.com\n" }.joined())
        _ = try setup.run("--yes", host: "https://User60@github.com")
        #expect(doubles.keyring.items.count == 1 && setup.lines.contains { $0.contains("Signed in as user60") })
    }
}
