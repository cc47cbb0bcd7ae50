import TestSupport
import Testing

@Suite("The verbs configure and unconfigure")
struct ConfigureTests: HelperSuite {
    let helper = HelperFixture()
    static let hosts = ["[credential \"https://github.com\"]", "[credential \"https://gist.github.com\"]"]

    @discardableResult
    func configure(_ options: String...) throws -> [String] { try succeed("configure", options) }
    @discardableResult
    func unconfigure(_ options: String...) throws -> [String] { try succeed("unconfigure", options) }

    private func succeed(_ name: String, _ options: [String]) throws -> [String] {
        let (status, text) = try verb.run([name] + options)
        #expect(status == .done && doubles.errors.isEmpty)
        return text
    }

    func added(_ text: [String]) -> [String] { text.below("Added to /global:") }
    func changed(_ text: [String]) -> [String] { text.below("Changed in /global:") }
    func switchedOff(_ text: [String]) -> [String] { text.below("For these hosts, git no longer uses:") }
    func hosts(_ text: [String]) -> [String] { added(text).filter { $0.hasPrefix("[") } }

    static let nothingToDo = ["Nothing to do: git already uses gitspace for github.com, gist.github.com."]
    static let nothingToUndo = ["Nothing to do: configure has not added anything to /global."]
    static let lines = [
        "[credential \"https://github.com\"]", "\thelper =", "\thelper = gitspace",
        "[credential \"https://gist.github.com\"]", "\thelper =", "\thelper = gitspace",
    ]
    static let stillAsked = "git also runs these helpers afterwards, and they receive the token:"

    @Test("adds a blank line and ours for each host at the end, and nothing in a second run")
    func twice() throws {
        files.texts[.global] = "[credential]\n\thelper = store\n"
        #expect(
            try configure() == ["Added to /global:"] + Self.lines.map { "  " + $0 } + [
                "For these hosts, git no longer uses:", "  store (in /global)", "To undo this:",
                "  git credential-gitspace unconfigure", "To sign in:", "  git credential-gitspace setup",
            ])
        #expect(try configure() == Self.nothingToDo)
        #expect(files.writes == 1)
        try unconfigure()
        #expect(files.texts[.global] == "[credential]\n\thelper = store\n")
        #expect(try unconfigure() == Self.nothingToUndo)
    }

    @Test(
        "sets up a built-in host with its own client ID, unless it is a plain store",
        arguments: [("oauthClientId = Iv1.0123", true), ("oauthClientId = Iv1.0123\n\tprovider = none", false)])
    func enterpriseCloud(setting: String, isSetUp: Bool) throws {
        files.texts[.global] = "[credential \"https://acme.ghe.com\"]\n\t\(setting)\n"
        #expect(try hosts(configure()) == Self.hosts + (isSetUp ? ["[credential \"https://acme.ghe.com\"]"] : []))
    }

    @Test("prints the same in a dry run, and writes nothing")
    func dryRun() throws {
        files.texts[.global] = ""
        #expect(try configure("--dry-run") == ["Would add to /global:"] + Self.lines.map { "  " + $0 })
        #expect(files.texts[.global] == "" && files.writes == 0)
        #expect(try added(configure()) == Self.lines)
    }

    @Test("accepts lines written by hand, which unconfigure leaves alone")
    func byHand() throws {
        let lines = "[credential]\n\thelper = gitspace\n"
        files.texts[.global] = lines
        #expect(try configure() == Self.nothingToDo)
        let byHand = "git still uses gitspace because of lines you wrote by hand. To remove them as well:"
        let command = "  git config --file /global --fixed-value --unset-all credential.helper gitspace"
        #expect(try unconfigure() == Self.nothingToUndo + [byHand, command])
        #expect(files.texts[.global] == lines)
        files.texts = [.local: lines]
        #expect(try unconfigure().last == command.replacing("--file /global", with: "--local"))
    }

    @Test("switches off a helper that comes after ours by lines after it")
    func helperBehind() throws {
        try configure()
        files.texts[.global, default: ""] += "[credential]\n\thelper = store\n"
        #expect(try switchedOff(configure()) == ["store (in /global)"])
        #expect(try configure() == Self.nothingToDo)
        try unconfigure()
        #expect(files.texts[.global] == "[credential]\n\thelper = store\n")
    }

    @Test("sets up the person's own hosts, but neither patterns nor plain stores")
    func ownHosts() throws {
        files.texts[.global] = """
            [credential "https://GHE.example:8443"]
            \tprovider = github
            [credential "https://*.example"]
            \tprovider = github
            [credential "https://store.example"]
            \tprovider = none
            [credential "http://plain.example"]
            \tprovider = github

            """
        #expect(try hosts(configure()) == Self.hosts + ["[credential \"https://ghe.example:8443\"]"])
        #expect(files.texts[.global]?.contains("[credential \"https://ghe.example:8443\"]\n\thelper =\n") == true)
    }

    @Test("ignores a path without a program")
    func vanishedPath() throws {
        files.ownCommand = HelperCommand(path: "/old/git-credential-gitspace")
        files.programs = ["/old/git-credential-gitspace"]
        try configure()
        #expect(try configure() == Self.nothingToDo)
        files.ownCommand = HelperCommand(path: "/new/git-credential-gitspace")
        files.programs = []
        let text = try configure()
        #expect(added(text).isEmpty && changed(text).contains("\thelper = /new/git-credential-gitspace"))
        #expect(files.texts[.global]?.contains("/old/") == false)
    }

    @Test("counts a line written by hand only while there is a program at its path")
    func vanishedPathByHand() throws {
        files.texts[.global] = "[credential]\n\thelper = /old/git-credential-gitspace\n"
        files.programs = ["/old/git-credential-gitspace"]
        #expect(try configure() == Self.nothingToDo)
        files.programs = []
        #expect(try added(configure()).count == 6)
        files.texts[.global] = "[credential]\n\thelper = gitspace\n"
        files.ownCommand = HelperCommand(path: "/new/git-credential-gitspace")
        #expect(try configure() == Self.nothingToDo)
        files.isOnPath = false
        #expect(try added(configure()).count == 6)
    }

    @Test("writes the path in place of the name in our own lines only")
    func forms() throws {
        let own = "[user]\n\tname = x\n[credential]\n\thelper = store"
        let path = "/home/mona/.local/bin/git-credential-gitspace"
        files.texts[.global] = own
        files.ownCommand = HelperCommand(path: path)
        #expect(try added(configure()).contains("\thelper = \(path)"))
        let byPath = files.texts[.global]
        #expect(try configure() == Self.nothingToDo && files.texts[.global] == byPath)
        files.texts[.global] = byPath?.replacing(path, with: "gitspace")
        #expect(try configure("--dry-run").first == "Would change in /global:")
        let sections = Self.hosts.flatMap { ["  " + $0, "  \thelper = \(path)"] }
        let undo = ["To undo this:", "  git credential-gitspace unconfigure"]
        #expect(try configure() == ["Changed in /global:"] + sections + undo)
        #expect(files.texts[.global] == byPath)
        try unconfigure()
        #expect(files.texts[.global] == own)
    }

    @Test("reports a file that git does not follow, and writes nothing more in a second run")
    func notFollowed() throws {
        files.texts[.system] = ""
        files.isFollowed = false
        for _ in 0..<2 { #expect(try verb.run("configure", "--system").status == .failed) }
        let error = UserFacingError.configuration(.notTakenUp("/system"), verb: "configure --system")
        #expect(doubles.errors == [error, error])
        let kept = "the lines were kept; to remove them, run git credential-gitspace unconfigure --system"
        #expect(error.hints.first?.english == kept)
        #expect(files.writes == 1 && files.texts[.system]?.split(separator: "\n").count == 8)
        #expect(try verb.run("unconfigure", "--system").status == .done)
        #expect(files.texts[.system] == "")
    }

    @Test(
        "shows only the harmless part of a shell command",
        arguments: [
            ("!gh auth git-credential", "!gh auth git-credential"),
            ("!/usr/bin/gh auth git-credential", "!/usr/bin/gh auth git-credential"),
            ("!aws codecommit credential-helper $@", "!aws codecommit credential-helper ..."),
            ("!f() { echo password=hunter2; }; f", "!..."), ("!echo hunter", "!echo ..."),
            ("!/bin/printf hunter", "!/bin/printf ..."), ("!pass show hunter2", "!pass show ..."),
            ("!x --password hunter", "!x --password ..."), ("!x -p hunter", "!x -p ..."),
            ("!x --token hunter", "!x --token ..."), ("!x --my-secret hunter", "!x --my-secret ..."),
            ("!x --api-key hunter", "!x --api-key ..."), ("!x --user hunter", "!x --user ..."),
            ("!x ghp_0123456789", "!x ..."), ("!x me:hunter@host", "!x ..."), ("store --file hunter", "store"),
        ])
    func shown(value: String, expected: String) throws {
        files.texts[.global] = "[credential]\n\thelper = \(value)\n"
        #expect(try switchedOff(configure()) == ["\(expected) (in /global)"])
    }

    @Test("finds nothing to do if another run came first")
    func race() throws {
        let sibling = VerbFixture(doubles)
        files.texts[.global] = ""
        files.beforeLock = { [files] in
            sibling.files.texts = files.texts
            _ = try? sibling.run("configure")
            files.texts = sibling.files.texts
        }
        #expect(try configure() == Self.nothingToDo)
        #expect(sibling.files.writes == 1 && files.texts == sibling.files.texts && files.writes == 0)
    }

    @Test("configure --system names the helpers in each person's own file, which come after")
    func system() throws {
        files.texts[.global] = "[credential]\n\thelper = store --file=/x\n\thelper = !echo password=secret\n"
        let text = try configure("--system")
        #expect(files.texts[.system]?.isEmpty == false && files.writes == 1)
        #expect(
            text == ["Added to /system:"] + Self.lines.map { "  " + $0 } + [
                Self.stillAsked, "  store (in /global)", "  !echo ... (in /global)", "To undo this:",
                "  git credential-gitspace unconfigure --system",
            ])
    }

    @Test("names a repository's own line that only resembles ours as another helper's")
    func impostor() throws {
        let helper = "/r/git-credential-gitspace"
        let line = try #require(ConfigurationEntry(line: Array("credential.helper\n\(helper)".utf8)[...]))
        files.others = [OriginatedEntry(scope: "local", origin: ".git/config", entry: line)]
        #expect(try configure().below(Self.stillAsked) == ["\(helper) (in .git/config)"])
    }

    @Test("reports every error with the words that failed")
    func faults() throws {
        files.fault = .notPermitted("/system")
        #expect(try verb.run("configure", "--system").status == .failed)
        files.fault = nil
        files.ownCommand = nil
        #expect(try verb.run("configure").status == .failed)
        let noPermission = UserFacingError.configuration(.notPermitted("/system"), verb: "configure --system")
        #expect(doubles.errors == [noPermission, .configuration(.noCommand, verb: "configure")])
    }

    @Test("sets up one host alone, and leaves its other helpers in place everywhere else")
    func oneHost() throws {
        files.texts[.global] = "[credential \"https://github.com\"]\n\thelper = !gh auth git-credential\n"
        #expect(try hosts(configure("gitlab.com")) == ["[credential \"https://gitlab.com\"]"])
        #expect(files.texts[.global]?.hasPrefix("[credential \"https://github.com\"]\n\thelper = !gh") == true)
        #expect(try configure("git.example").last == "  git credential-gitspace setup git.example")
        #expect(try configure("gist.github.com").first == "Added to /global:")
    }

    @Test("sets up only hosts where somebody can sign in, and fails if there is none")
    func withoutClient() throws {
        doubles.builtInClientID = nil
        files.texts[.global] = "[credential \"https://git.example\"]\n\tprovider = gitlab\n"
        #expect(try verb.run("configure") == (.failed, []) && doubles.errors == [.nothingToConfigure])
        #expect(files.writes == 0)
    }

    @Test("adds a helper for a proxy whose password git looks up, and unconfigure removes it")
    func proxy() throws {
        let text = "[http]\n\tproxy = http://us%40er@proxy.example:3128\n"
        files.texts[.global] = text
        let section = ["[credential \"http://proxy.example:3128\"]", "\thelper =", "\thelper = gitspace"]
        #expect(try added(configure()) == Self.lines + section)
        #expect(try configure() == Self.nothingToDo)
        try unconfigure()
        #expect(files.texts[.global] == text)
    }

    @Test(
        "adds no helper for a proxy that has one, or whose address has no user or has a password",
        arguments: [
            ("bob@", "[credential]\n\thelper = cache\n"),
            ("bob@", "[credential \"http://proxy.example:3128\"]\n\thelper = cache\n"), ("", ""), ("bob:pw@", ""),
        ])
    func proxyLeftAlone(login: String, helper: String) throws {
        files.texts[.global] = "[http]\n\tproxy = http://\(login)proxy.example:3128\n\(helper)"
        #expect(try hosts(configure()) == Self.hosts)
    }
}
