import TestSupport
import Testing

@Suite("The verb switch")
struct SwitchTests: HelperSuite {
    let helper = HelperFixture()
    init() { helper.withTwoAccounts() }
    private func line(_ url: String?, _ name: String, scope: String = "local", origin: String = ".git/config")
        -> OriginatedEntry
    { OriginatedEntry(scope, origin, "credential", url, "username", name) }

    private static let both = """
        [credential "https://github.com"]
        \tusername = hubot
        [credential "https://gist.github.com"]
        \tusername = hubot

        """

    @Test("refuses a name whose token belongs to another account or after Ctrl-C, and accepts it if the host is away")
    func ofAnother() throws {
        doubles.transport.fail(.interrupted)
        #expect(try verb.run("switch", "hubot").status == .failed)
        #expect(files.texts[.global] == nil && files.writes == 0)
        respond(GitHubAnswers.user("mallory"))
        #expect(try verb.run("switch", "hubot").status == .failed)
        #expect(files.texts[.global] == nil && sentences.last == "the token stored as hubot belongs to mallory")
        let words = "if hubot is now called mallory, sign in by the new name, and remove the old one:"
        let commands = ["login github.com mallory", "logout github.com hubot"]
        #expect(hints == [words] + commands.map { "  git credential-gitspace " + $0 })
        respond(GitHubAnswers.user("HuBot"))
        #expect(try verb.run("switch", "hubot").status == .done)
        doubles.transport.fail(.unreachable)
        #expect(try verb.run("switch", "octocat").status == .done)
    }

    @Test(
        "lists the accounts without an argument, marks the default, and takes a number or a name",
        arguments: ["2", "hubot"])
    func asked(answer: String) throws {
        questions.answers = [answer]
        let (status, text) = try verb.run("switch")
        #expect(status == .done && files.texts[.global] == Self.both)
        let reason = "git uses octocat unless the remote's URL names another: it was signed in first."
        #expect(text.prefix(4) == ["Accounts for github.com:", "* 1  octocat  (default)", "  2  hubot", reason])
        #expect(questions.asked == ["Number or name (Enter keeps octocat): "])
    }

    @Test("asks again after a wrong answer, and changes nothing after an empty one")
    func corrected() throws {
        questions.answers = ["3", "zoe", ""]
        #expect(try verb.run("switch").text.last == "Nothing was changed.")
        #expect(doubles.errors.count == 2 && files.texts[.global] == nil)
        questions.answers = Array(repeating: "zoe", count: 6)
        #expect(try verb.run("switch").status == .failed && doubles.errors.count == 7 && questions.asked.count == 8)
    }

    @Test("asks nothing if there is only one account")
    func only() throws {
        let helper = HelperFixture()
        helper.stored(expiresIn: 3_600)
        let verb = helper.verb
        verb.questions.answers = ["octocat"]
        let (status, text) = try verb.run("switch")
        #expect(status == .done && text.last == "git uses octocat: it is the only account.")
        #expect(verb.questions.asked.isEmpty)
    }

    @Test("lists the accounts and names the command if it cannot ask", arguments: [true, false])
    func pipe(isForbidden: Bool) throws {
        if isForbidden { doubles.environment["CI"] = "1" } else { questions.canAsk = false }
        let (status, text) = try verb.run("switch")
        #expect(status == .failed && text.count == 4 && questions.asked.isEmpty)
        #expect(hints == ["choose one:", "  git credential-gitspace switch github.com hubot"])
    }

    @Test(
        "keeps the options in the command to paste",
        arguments: [
            (["--owner", "acme"], "github.com hubot --owner acme"), (["--here"], "github.com hubot --here"),
            (["zoe", "--owner", "acme", "--folder", "/w x"], "github.com hubot --owner acme --folder '/w x'"),
            (["hubot", "--here", "--unset"], "github.com --here --unset"),
            (["githb.com", "hubot", "--here"], "--here github.com hubot"),
        ])
    func options(words: [String], command: String) throws {
        (files.gitDirectory, questions.canAsk) = ("/home/me/app/.git", false)
        #expect(try verb.run(["switch"] + words).status == .failed)
        #expect(hints.last == "  git credential-gitspace switch " + command)
    }

    @Test("names the line of git's configuration that decides, and one whose account is not stored")
    func configured() throws {
        files.texts[.global] = Self.both
        let accounts = ["Accounts for github.com:", "  1  octocat", "* 2  hubot  (default)"]
        let reason = "git uses hubot unless the remote's URL names another. It is set here:"
        let place = "  credential.https://github.com.username (in /global)"
        #expect(Array(try verb.run("switch").text.prefix(5)) == accounts + [reason, place])
        files.others = [line(nil, "zoe")]
        let asks = "git asks for zoe, which is not signed in. It is set here:"
        let setting = "  credential.username (in .git/config)"
        #expect(try verb.run("switch").text.suffix(3) == [asks, setting, "Nothing was changed."])
    }

    @Test("fails if another line outranks the new one")
    func outranked() throws {
        files.others = [line("https://github.com", "octocat")]
        let later = "git does not use hubot here, because a later line of its configuration sets octocat:"
        let place = "  credential.https://github.com.username (in .git/config)"
        let here = ["To use hubot here as well:", "  git credential-gitspace switch github.com hubot --here"]
        let (status, text) = try verb.run("switch", "hubot")
        #expect(status == .failed && text == [later, place] + here)
    }

    @Test("names the lines for a part of the host that still count, and those that no longer do")
    func parts() throws {
        files.texts[.system] = "[credential \"https://github.com/old\"]\n\tusername = octocat\n"
        files.others = [line("https://github.com/acme", "octocat"), line("https://other.example/acme", "x")]
        #expect(
            try verb.run("switch", "hubot").text.suffix(4) == [
                "These lines set the account for some of its URLs:",
                "  credential.https://github.com/acme.username = octocat (in .git/config)",
                "These lines no longer have any effect, because a later one overrides them:",
                "  credential.https://github.com/old.username = octocat (in /system)",
            ])
    }

    @Test("sets the account for github.com and its gists, and --unset, without account or keyring, removes the choice")
    func chosen() throws {
        let now = "git now uses hubot for github.com, unless the remote's URL names another account."
        let first = try verb.run("switch", "hubot")
        #expect(first.status == .done && first.text == [now, "Saved in /global."])
        #expect(try verb.run("switch", "hubot", "--unset").status == .failed && files.texts[.global] == Self.both)
        #expect(sentences == ["'--unset' takes no account"])
        let (status, text) = try verb.run("switch", "--unset")
        #expect(status == .done && files.texts[.global]?.contains("username") == false)
        #expect(text == ["Default for github.com is octocat again (first signed in)."])
        #expect(try verb.run("switch", "--unset").text == ["No default was set for github.com. git uses octocat."])
        files.others = [line(nil, "hubot")]
        let other = try verb.run("switch", "--unset")
        let still = "Another line of git's configuration still sets the account hubot:"
        #expect(other.status == .failed && other.text == [still, "  credential.username (in .git/config)"])
        (files.others, files.texts[.global], doubles.keyring.fault) = ([], Self.both, .unresponsive(seconds: 5))
        #expect(try verb.run("switch", "--unset") == (.done, ["Removed the default for github.com."]))
    }

    @Test("fails if the file cannot be written, or if nobody is signed in")
    func errors() throws {
        files.fault = .notPermitted("/global")
        #expect(try verb.run("switch", "hubot").status == .failed)
        doubles.configure("credential", "https://ghe.example", "provider", "github")
        for words in [["ghe.example"], ["ghe.example", "zoe"]] {
            #expect(try verb.run(["switch"] + words).status == .failed)
            #expect(doubles.errors.last == .notSignedIn(host: "ghe.example"))
        }
        #expect(doubles.errors.count == 3)
        let nobody = VerbFixture(Doubles())
        #expect(try nobody.run("switch", "zoe").status == .failed)
        #expect(nobody.doubles.errors == [.notSignedIn(host: "github.com")])
        let error = try #require(doubles.errors.first)
        #expect(error.text.english == "no permission to write /global")
        let lines = Self.both.split(separator: "\n").map { "  \($0)" }
        #expect(error.hints.map(\.english) == ["nothing was changed; to add the lines yourself:"] + lines)
    }

    @Test("suggests --here within a repository if the global file cannot be written")
    func errorInRepository() throws {
        files.fault = .folderNotPermitted("/home")
        files.gitDirectory = "/home/x/.git"
        #expect(try verb.run("switch", "hubot").status == .failed)
        let command = "  git credential-gitspace switch github.com hubot --here"
        #expect(hints.suffix(2) == ["or set it in this repository alone:", command])
        #expect(try verb.run("switch", "hubot", "--here").status == .failed)
        #expect(hints.last == "  ls -ld /home")
    }

    @Test("refuses a third spelling of two names that differ only by letter case")
    func ambiguous() throws {
        for user in ["Octo", "octo"] { helper.brought("t", host: "plain.example", user: user) }
        #expect(try verb.run("switch", "plain.example", "OCTO").status == .failed)
        #expect(doubles.errors.map(\.code) == [.accountNotStored] && files.texts[.global] == nil)
        #expect(try verb.run("switch", "plain.example", "octo").status == .done)
        #expect(files.texts[.global]?.contains("username = octo\n") == true)
    }

    @Test("chooses an account on a host of pasted tokens, which logout reports, and reports a host without any")
    func tokenHost() throws {
        for user in ["alice", "bob"] { helper.brought("t", host: "codeberg.org", user: user) }
        #expect(try verb.run("switch", "codeberg.org", "bob").status == .done)
        #expect(files.texts[.global]?.contains("[credential \"https://codeberg.org\"]\n\tusername = bob") == true)
        #expect(try verb.run("switch", "bitbucket.org", "--unset").text == ["No default was set for bitbucket.org."])
        #expect(try verb.run("switch", "bitbucket.org").status == .failed)
        #expect(doubles.errors.last == .onlyTokens(host: "bitbucket.org"))
        let before = doubles.errors.count
        #expect(try verb.run("refresh", "codeberg.org").status == .failed)
        #expect(doubles.errors.count > before)
        #expect(!doubles.errors.contains { $0.hints.contains { $0.english.contains("provider github") } })
        let choosing = try verb.run("logout", "codeberg.org", "bob").text.last
        #expect(choosing == "  git credential-gitspace switch codeberg.org")
    }

    // MARK: `--owner`: `credential.https://HOST/OWNER.username`

    private static let acme = "[credential \"https://github.com/acme\"]\n\tusername = hubot\n"

    @Test("writes and reports only the line of the owner, removes it, and keeps the host's own account")
    func written() throws {
        let line = "git now uses hubot for the repositories of acme on github.com, unless the remote's URL "
        let (status, text) = try verb.run("switch", "hubot", "--owner", "acme")
        #expect(status == .done && text == [line + "names another account.", "Saved in /global."])
        #expect(files.texts[.global] == Self.acme)
        let removed = "Removed the account for the repositories of acme on github.com."
        #expect(try verb.run("switch", "--unset", "--owner", "acme").text == [removed, "git uses octocat there."])
        #expect(files.texts[.global]?.contains("username") == false)
        let none = "No account was set for the repositories of acme on github.com."
        #expect(try verb.run("switch", "--unset", "--owner", "acme").text.first == none)
    }

    @Test("keeps the line after that of the host or the group above is set", arguments: [[], ["--owner", "acme"]])
    func kept(options: [String]) throws {
        _ = try verb.run("switch", "hubot", "--owner", "acme/team")
        let text = try verb.run(["switch", "octocat"] + options).text
        #expect(files.texts[.global]?.hasSuffix(Self.acme.replacing("acme", with: "acme/team")) == true)
        let line = "  credential.https://github.com/acme/team.username = hubot (in /global)"
        #expect(text.suffix(2) == ["These lines set the account for some of its URLs:", line])
    }

    @Test("status and switch without a name show it, and unconfigure names the command that removes it")
    func shown() throws {
        _ = try verb.run("switch", "hubot", "--owner", "acme")
        let status = try verb.run("status", "github.com", "--offline").text
        let line = "    Default for a part of the host (set by credential.https://github.com/acme.username in /global)"
        #expect(status.contains(line), "\(status)")
        let shown = try verb.run("switch").text
        #expect(shown.contains("  credential.https://github.com/acme.username = hubot (in /global)"), "\(shown)")
        #expect(try verb.run("switch", "--owner", "acme").text.contains("* 2  hubot  (default)"))
        let unset = "  git config --file /global --fixed-value --unset-all credential.https://github.com/acme.username"
        #expect(try verb.run("unconfigure").text.contains(unset + " hubot"))
    }

    @Test(
        "an answer counts in the repository where the account of the owner, or of its group, is set",
        arguments: ["acme", "acme/team"])
    func ownerHere(owner: String) throws {
        files.gitDirectory = "/home/me/app/.git"
        _ = try verb.run("switch", "hubot", "--owner", "acme", "--here")
        questions.answers = ["octocat"]
        #expect(try verb.run("switch", "--owner", owner).status == .done)
        let new = Self.acme.replacing("acme", with: owner).replacing("hubot", with: "octocat")
        #expect(files.texts == [.local: owner == "acme" ? new : Self.acme + new])
        questions.canAsk = false
        #expect(try verb.run("switch", "--owner", owner).status == .failed)
        #expect(hints.last == "  git credential-gitspace switch github.com hubot --owner \(owner) --here")
    }

    @Test("status names an owner's account that is not signed in")
    func absent() throws {
        files.texts[.global] = "[credential \"https://github.com/acme\"]\n\tusername = zoe\n"
        let status = try verb.run("status", "github.com", "--offline").text
        #expect(status.contains("  Account for a part of the host: zoe, which is not signed in"), "\(status)")
    }

    @Test("names useHttpPath only if Git LFS is set up")
    func gitLFS() throws {
        files.texts[.system] = "[filter \"lfs\"]\n\tprocess = git-lfs filter-process\n"
        let text = try verb.run("switch", "hubot", "--owner", "acme").text
        #expect(
            text.suffix(2) == [
                "Git LFS uses it as well only if it asks for repositories. To have it do so:",
                "  git config --global credential.https://github.com.useHttpPath true",
            ])
        files.texts[.system]? += "[credential \"https://github.com\"]\n\tuseHttpPath = true\n"
        #expect(try verb.run("switch", "hubot", "--owner", "acme").text.last == "Saved in /global.")
    }

    @Test("takes a group with its subgroups, and refuses other text", arguments: ["", "/", "a//b", "a b", "a?b"])
    func names(owner: String) throws {
        #expect(throws: (any Error).self) { try verb.run("switch", "hubot", "--owner", owner) }
        #expect(try verb.run("switch", "hubot", "--owner", "group/sub", "--here").status == .failed)
        files.gitDirectory = "/home/me/app/.git"
        #expect(try verb.run("switch", "hubot", "--owner", "group/sub", "--here").status == .done)
        #expect(files.texts[.local]?.contains("[credential \"https://github.com/group/sub\"]") == true)
    }
}
