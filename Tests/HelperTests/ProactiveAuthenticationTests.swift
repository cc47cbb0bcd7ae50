import TestSupport
import Testing

@Suite("Tokens with git's first request")
struct ProactiveAuthenticationTests: HelperSuite {
    let helper = HelperFixture()
    private static let lines = [
        "[http \"https://github.com\"]", "\tproactiveAuth = basic", "[http \"https://gist.github.com\"]",
        "\tproactiveAuth = basic",
    ]

    private func configure(_ options: String...) throws -> (status: Verbs.ExitStatus, text: [String]) {
        try verb.run(["configure", "--proactive"] + options)
    }

    private static let isOn = [
        "git sends your token with its first request to github.com, gist.github.com, also for public repositories.",
        "It stops when the last account signs out. To stop it now:", "  git credential-gitspace unconfigure",
    ]

    private static let would =
        "git would send your token with its first request to github.com, gist.github.com, also for public repositories."

    private func logout(_ user: String) throws -> [String] {
        try verb.run("logout", "github.com", "--username", user).text
    }

    @Test("turns it on once for hosts with a sign-in, configure alone leaves it on, and unconfigure removes it")
    func onAndOff() throws {
        files.texts[.global] = "[credential \"https://ghe.example\"]\n\tprovider = github"
        doubles.configure("credential", "https://ghe.example", "provider", "github")
        let before = files.texts
        helper.stored(expiresIn: 3_600)
        let (status, shown) = try configure()
        #expect(status == .done && shown.below("Added to /global:") == Self.lines)
        #expect(shown.suffix(5).prefix(3) == Self.isOn[...])
        let text = files.texts[.global]
        #expect(text?.contains("# Added by: git credential-gitspace configure\n" + Self.lines[0] + "\n") == true)
        let already = "git already uses gitspace for github.com, gist.github.com, ghe.example."
        #expect(try configure().text == [already] + Self.isOn)
        #expect(try verb.run("configure").status == .done && files.texts[.global] == text)
        #expect(try verb.run("unconfigure").status == .done && files.texts == before)
    }

    @Test("prints the lines in a dry run, and writes nothing")
    func dryRun() throws {
        helper.stored(expiresIn: 3_600)
        let text = try configure("--dry-run").text
        #expect(text.below("Would add to /global:") == Self.lines && text.last == Self.would)
        #expect(files.texts.isEmpty && !text.contains { $0.contains("git sends") || $0.contains("To stop") })
        // A host where it is on already is reported as such.
        _ = try configure()
        #expect(try configure("--dry-run").text.suffix(3) == Self.isOn[...])
    }

    @Test("does not print that nothing is to be done if it only adds the setting")
    func onlyProactive() throws {
        helper.stored(expiresIn: 3_600)
        #expect(try verb.run("configure").status == .done)
        for options in [["--dry-run"], []] {
            let text = try verb.run(["configure", "--proactive"] + options).text
            #expect(text.first == "git already uses gitspace for github.com, gist.github.com.")
            #expect(text.contains(options.isEmpty ? "Added to /global:" : "Would add to /global:"))
            #expect(!text.contains { $0.contains("Nothing to do") })
        }
    }

    @Test("changes nothing and reports a git that is too old", arguments: ["2.45.1", "2.39.5", nil])
    func olderGit(version: String?) throws {
        helper.stored(expiresIn: 3_600)
        files.version = version.map { "git version \($0)\n" }
        #expect(try configure() == (.failed, []) && files.texts.isEmpty)
        #expect(doubles.errors == [.gitLacksProactive(version.map { DisplayText(trusted: String($0.prefix(4))) })])
    }

    @Test("fails and leaves it off if nobody is signed in, the only token is dead, or the keyring cannot be read")
    func nobody() throws {
        helper.stored(expiresIn: -10, refreshToken: nil)
        let (status, text) = try configure()
        #expect(status == .failed && text.first == "Added to /global:" && !text.contains(Self.isOn[1]))
        #expect(doubles.errors == [.proactiveNeedsSignIn(host: "github.com")])
        #expect(files.texts[.global]?.contains("proactiveAuth") == false)
        #expect(files.texts[.global]?.contains("helper = gitspace") == true)
        doubles.keyring.fault = .locked
        #expect(try configure().status == .failed && doubles.errors.last == .keyring(.locked))
    }

    @Test("logout of a host's last account, if the keyring shows that it is, removes the setting for that host alone")
    func lastLogout() throws {
        doubles.configure("credential", "https://ghe.example", "provider", "github")
        files.texts[.global] = "[credential \"https://ghe.example\"]\n\tprovider = github\n"
        for user in ["octocat", "hubot"] { helper.stored(expiresIn: 3_600, user: user) }
        helper.stored(expiresIn: 3_600, host: "ghe.example", user: "mona")
        _ = try configure()
        let text = files.texts[.global]
        let takenBack = "git no longer sends a token with its first request to github.com."
        #expect(try !logout("hubot").contains(takenBack) && files.texts[.global] == text)
        // The call after the search and the removal asks who is still signed in.
        doubles.keyring.faultAtCall = (doubles.keyring.calls.count + 3, .disconnected)
        #expect(try !logout("octocat").contains(takenBack) && files.texts[.global] == text && users() == ["mona"])
        helper.stored(expiresIn: 3_600, user: "octocat")
        #expect(try logout("octocat").last == takenBack)
        #expect(files.texts[.global]?.contains(Self.lines[0]) == false)
        #expect(files.texts[.global]?.contains(Self.lines[2]) == false)
        #expect(files.texts[.global]?.contains("[http \"https://ghe.example\"]\n\tproactiveAuth = basic") == true)
        #expect(files.texts[.global]?.contains("helper = gitspace") == true)
    }

    @Test("leaves a setting of the person's own alone")
    func byHand() throws {
        let own = "[http]\n\tproactiveAuth = auto\n"
        files.texts[.global] = own
        helper.stored(expiresIn: 3_600)
        let text = try configure().text
        #expect(text.contains(Self.isOn[0]) && text.filter { $0 == "Added to /global:" }.count == 1)
        _ = try logout("octocat")
        #expect(files.texts[.global]?.hasPrefix(own) == true)
    }

    @Test("status mentions it once for hosts with a sign-in")
    func status() throws {
        let line = "\tproactiveAuth = basic\n"
        verb.files.texts[.global] = "[http \"https://github.com\"]\n\(line)[http \"https://ghe.example\"]\n\(line)"
        func lines() throws -> [String] {
            try verb.run("status", "--offline").text.filter { $0.contains("first request") }
        }
        #expect(try lines().isEmpty)
        for user in ["octocat", "hubot"] { helper.stored(expiresIn: 3_600, user: user) }
        #expect(try lines() == ["git sends your token with its first request to github.com"])
        verb.files.texts[.global] = nil
        #expect(try lines().isEmpty)
    }
}
