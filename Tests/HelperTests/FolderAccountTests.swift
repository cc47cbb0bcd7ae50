import TestSupport
import Testing

@Suite("The account of a repository and of a folder")
struct FolderAccountTests: HelperSuite {
    let helper = HelperFixture()

    init() {
        helper.withTwoAccounts()
        files.gitDirectory = "/home/me/work/app/.git"
    }

    private static func both(_ name: String) -> String {
        ["github.com", "gist.github.com"].map { "[credential \"https://\($0)\"]\n\tusername = \(name)\n" }.joined()
    }

    private static func section(_ folder: String, _ file: String, of mark: String = "") -> String {
        """
        # Added by: git credential-gitspace switch\(mark)
        [includeIf "gitdir:\(folder)/"]
        \tpath = "\(file)"

        """
    }

    private static let workFile = "global-gitspace-work-7970b4c9"
    private static let work = ConfigurationScope.file("/" + workFile)

    @Test("--here writes only this repository's own configuration")
    func here() throws {
        let (status, text) = try verb.run("switch", "hubot", "--here")
        #expect(status == .done && files.texts == [.local: Self.both("hubot")])
        #expect(
            text == [
                "git now uses hubot for github.com in this repository, unless the remote's URL names another account.",
                "Saved in /home/me/work/app/.git/config.",
            ])
        let removed = "Removed the account for github.com in this repository."
        #expect(try verb.run("switch", "--unset", "--here").text.first == removed)
        let none = "No account was set for github.com in this repository."
        #expect(try verb.run("switch", "--unset", "--here").text == [none, "git uses octocat here."])
        #expect(files.texts[.local]?.contains("username") == false)
    }

    @Test("--here fails outside of a repository before any question", arguments: [["hubot"], []])
    func nowhere(words: [String]) throws {
        files.gitDirectory = nil
        #expect(try verb.run(["switch"] + words + ["--here"]) == (.failed, []))
        #expect(doubles.errors == [.configuration(.noRepository, verb: "switch")])
        #expect(files.texts.isEmpty && verb.questions.asked.isEmpty)
    }

    @Test("--here names the line that outranks this repository's own")
    func outranked() throws {
        files.others = [OriginatedEntry("worktree", ".git/config.worktree", "credential", nil, "username", "octocat")]
        let later = "git does not use hubot here, because a later line of its configuration sets octocat:"
        let (status, text) = try verb.run("switch", "hubot", "--here")
        #expect(status == .failed && text == [later, "  credential.username (in .git/config.worktree)"])
    }

    @Test("--folder includes a file with one account for each host, and adds it only once")
    func folder() throws {
        for _ in 1...2 {
            #expect(try verb.run("switch", "hubot", "--folder", "/home/me/work").status == .done)
            let include = Self.section("/home/me/work", Self.workFile, of: " (to a new file)")
            #expect(files.texts == [.global: include, Self.work: Self.both("hubot")])
        }
        for user in ["alice", "bob"] { helper.brought("t", host: "codeberg.org", user: user) }
        #expect(try verb.run("switch", "codeberg.org", "bob", "--folder", "/home/me/work").status == .done)
        let second = "[credential \"https://codeberg.org\"]\n\tusername = bob\n"
        #expect(files.texts[Self.work] == Self.both("hubot") + second)
        // Each account is removed alone; the last one removes the file and its include.
        let removed = "Removed the account for github.com in repositories below /home/me/work."
        #expect(try verb.run("switch", "--unset", "--folder", "/home/me/work").text == [removed])
        #expect(files.texts[Self.work]?.contains("bob") == true && files.texts[.global] != nil)
        #expect(try verb.run("switch", "codeberg.org", "--unset", "--folder", "/home/me/work").status == .done)
        #expect(files.texts.isEmpty)
        let none = "No account was set for github.com in repositories below /home/me/work."
        #expect(try verb.run("switch", "--unset", "--folder", "/home/me/work").text == [none])
    }

    @Test("--folder puts a folder within another after it, and both after the default, and removes one alone")
    func order() throws {
        files.texts[.global] = "[user]\n\tname = x\n"
        for folder in ["/home/me/work/oss", "/home/me/work", "/home/me/work/ x"] {
            #expect(try verb.run("switch", "hubot", "--folder", folder).status == .done)
        }
        #expect(try verb.run("switch", "octocat").status == .failed)
        let heads = files.texts[.global]?.split(separator: "\n").filter { $0.hasPrefix("[") }.map(String.init)
        #expect(
            heads == [
                "[user]", "[credential \"https://github.com\"]", "[credential \"https://gist.github.com\"]",
                "[includeIf \"gitdir:/home/me/work/\"]", "[includeIf \"gitdir:/home/me/work/ x/\"]",
                "[includeIf \"gitdir:/home/me/work/oss/\"]",
            ])
        // Nothing moves if the order is right.
        let before = files.texts[.global].map { $0 + "[http]\n\tproxy = p\n" }
        files.texts[.global] = before
        _ = try verb.run("switch", "octocat")
        #expect(files.texts[.global]?.hasSuffix("[http]\n\tproxy = p\n") == false)
        #expect(try verb.run("switch", "--unset", "--folder", "/home/me/work").status == .done)
        #expect(files.texts[.global]?.contains("gitdir:/home/me/work/\"") == false)
        #expect(files.texts[.global]?.contains("gitdir:/home/me/work/oss/") == true)
    }

    @Test("--folder escapes special characters of patterns and files, and refuses a path that is no folder")
    func names() throws {
        #expect(try verb.run("switch", "hubot", "--folder", "/w [a]*?\\\"q").status == .done)
        let head = "[includeIf \"gitdir:/w \\\\[a]\\\\*\\\\?\\\\\\\\\\\"q/\"]\n\tpath = \"global-gitspace-w--a-----q-"
        #expect(files.texts[.global]?.contains(head) == true)
        #expect(try verb.run("switch", "hubot", "--folder", "nowhere").status == .failed)
        #expect(doubles.errors == [.configuration(.folderMissing("nowhere"), verb: "switch")])
        #expect(doubles.errors[0].hints.last == .command("mkdir -p nowhere"))
        #expect(throws: (any Error).self) { try verb.run("switch", "hubot", "--here", "--folder", "/w") }
    }

    @Test("switch shows where the account is set, and an answer changes that place")
    func why() throws {
        verb.questions.answers = ["octocat", "octocat"]
        _ = try verb.run("switch", "hubot", "--folder", "/home/me/work")
        #expect(
            try verb.run("switch").text == [
                "Accounts for github.com:", "  1  octocat", "* 2  hubot  (default)",
                "git uses hubot in repositories below /home/me/work, unless the remote's URL names another. It is set here:",
                "  credential.https://github.com.username (in /\(Self.workFile))",
                "git now uses octocat for github.com in repositories below /home/me/work, unless the remote's URL names another account.",
                "Saved in /\(Self.workFile).",
            ])
        _ = try verb.run("switch", "hubot", "--here")
        #expect(
            try verb.run("switch").text.suffix(4) == [
                "git uses hubot in this repository, unless the remote's URL names another. It is set here:",
                "  credential.https://github.com.username (in .git/config)",
                "git now uses octocat for github.com in this repository, unless the remote's URL names another account.",
                "Saved in /home/me/work/app/.git/config.",
            ])
        #expect(files.texts[.local] == Self.both("octocat") && files.texts[Self.work] == Self.both("octocat"))
        #expect(files.texts[.global]?.contains("username") == false)
    }

    @Test("switch fails and names the command for this place if a default does not count here")
    func elsewhere() throws {
        _ = try verb.run("switch", "hubot", "--folder", "/home/me/work")
        let command = "  git credential-gitspace switch github.com octocat --folder /home/me/work"
        #expect(try verb.run("switch", "octocat").text.suffix(2) == ["To use octocat here as well:", command])
        _ = try verb.run("switch", "hubot", "--here")
        #expect(
            try verb.run("switch", "octocat").text.last == "  git credential-gitspace switch github.com octocat --here")
    }

    @Test(
        "names a folder only if the person's only include of the line's own file is for it",
        arguments: [
            ("/home/me/", "~/work.inc", true), ("/home/*/", "~/work.inc", false), ("/home/me/", "~/x/work.inc", false),
            ("/srv/\"]\npath = ~/work.inc\n[includeIf \"gitdir:/home/me/", "~/work.inc", false),
        ])
    func handwritten(folder: String, file: String, isFolder: Bool) throws {
        files.texts[.global] = "[includeIf \"gitdir:\(folder)\"]\n\tpath = \(file)\n"
        files.others = [OriginatedEntry("global", "/home/me/work.inc", "credential", nil, "username", "hubot")]
        let text = try verb.run("switch").text
        #expect(text.contains { $0.hasPrefix("git uses hubot in repositories below /home/me, unless") } == isFolder)
        #expect(text.contains { $0.hasPrefix("git uses hubot unless the remote's URL") } == !isFolder)
        (files.texts[.local], files.texts[.global]) = (files.texts[.global], nil)
        #expect(try verb.run("switch").text.contains { $0.hasPrefix("git uses hubot unless the remote's URL") })
    }

    @Test("logout names the folder whose account stays, unless the person wrote the include")
    func lastLogout() throws {
        _ = try verb.run("switch", "hubot", "--folder", "/home/me/work")
        let command = "  git credential-gitspace switch github.com --unset"
        #expect(try verb.run("logout", "github.com", "--all").text.last == command + " --folder /home/me/work")
        helper.withTwoAccounts()
        files.texts = [.global: "[includeIf \"gitdir:/home/me/\"]\n\tpath = /w.inc\n"]
        files.others = [OriginatedEntry("global", "/w.inc", "credential", "https://github.com", "username", "hubot")]
        let choosing = try verb.run("logout", "github.com", "hubot").text.last
        #expect(choosing == "  git credential-gitspace switch github.com")
        helper.withTwoAccounts()
        #expect(try verb.run("logout", "github.com", "--all").text.last == command)
    }

    @Test("an answer counts in a folder whose include the person wrote")
    func answered() throws {
        files.texts[.global] = "[includeIf \"gitdir:/home/me/\"]\n\tpath = ~/work.inc\n"
        files.others = [OriginatedEntry("global", "/home/me/work.inc", "credential", nil, "username", "hubot")]
        verb.questions.answers = ["octocat"]
        let now = "git now uses octocat for github.com in repositories below /home/me, unless"
        #expect(try verb.run("switch").text.contains { $0.hasPrefix(now) })
    }

    @Test("ignores a folder's file that a repository's own configuration names")
    func hostile() throws {
        verb.questions.answers = ["hubot"]
        files.others = [
            OriginatedEntry("local", ".git/config", "includeif", "gitdir:/home/me/work/", "path", Self.workFile),
            OriginatedEntry("local", "/\(Self.workFile)", "credential", "https://github.com", "username", "octocat"),
        ]
        #expect(try verb.run("switch").status == .failed)
        #expect(files.texts[Self.work] == nil && files.texts[.global] == nil)
    }

    @Test("status marks the account that counts here, with the reason and its file")
    func status() throws {
        _ = try verb.run("switch", "hubot", "--folder", "/home/me/work")
        let key = "credential.https://github.com.username"
        let folder = "    Default in repositories below /home/me/work (set by \(key) in /\(Self.workFile))"
        #expect(try verb.run("status", "--offline").text.contains(folder))
        _ = try verb.run("switch", "octocat", "--here")
        let here = "    Default in this repository (set by \(key) in .git/config)"
        #expect(try verb.run("status", "--offline").text.contains(here))
    }

    @Test("unconfigure removes the folders' accounts, and keeps what the person added")
    func unconfigured() throws {
        files.texts[.global] = "[user]\n\tname = x"
        let before = files.texts
        _ = try verb.run("switch", "hubot", "--folder", "/home/me/work")
        let written = files.texts
        #expect(try verb.run("unconfigure", "--dry-run").text.last == "Would delete /\(Self.workFile).")
        #expect(files.texts == written)
        let text = try verb.run("unconfigure").text
        #expect(files.texts == before)
        let section = ["  [includeIf \"gitdir:/home/me/work/\"]", "  \tpath = \"\(Self.workFile)\""]
        #expect(Array(text.prefix(4)) == ["Removed from /global:"] + section + ["Deleted /\(Self.workFile)."])
        _ = try verb.run("switch", "hubot", "--folder", "/home/me/work")
        let own = "[user]\n\temail = me@work.example\n[credential \"https://git.example\"]\n\thelper = store\n"
        for command in [["unconfigure"], ["switch", "--unset", "--folder", "/home/me/work"]] {
            files.texts[Self.work] = own + Self.both("hubot")
            let dry = try verb.run("unconfigure", "--dry-run").text.last
            #expect(dry == "Would remove the account from /\(Self.workFile).")
            let (status, text) = try verb.run(command)
            #expect(status == .done)
            #expect(
                command[0] == "switch" || text[0] == "Removed the account from /\(Self.workFile); your own lines stay.")
            #expect(files.texts[Self.work]?.hasPrefix(own) == true)
            #expect(files.texts[Self.work]?.contains("username") == false)
            #expect(files.texts[.global] == written[.global])
        }
    }
}
