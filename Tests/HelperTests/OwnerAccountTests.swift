import TestSupport
import Testing

/// `switch --owner`: `credential.https://HOST/OWNER.username`.
@Suite("Accounts of owners")
struct OwnerAccountTests: HelperSuite {
    let helper = HelperFixture()
    init() { helper.withTwoAccounts() }
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

    @Test("keeps the line after the account of the host is set")
    func kept() throws {
        _ = try verb.run("switch", "hubot", "--owner", "acme")
        let text = try verb.run("switch", "octocat").text
        #expect(files.texts[.global]?.hasSuffix(Self.acme) == true)
        let line = "  credential.https://github.com/acme.username = hubot (in /global)"
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
        #expect(text.last == "  git config --global credential.https://github.com.useHttpPath true")
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
