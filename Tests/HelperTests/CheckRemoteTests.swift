import TestSupport
import Testing

@Suite("The verb check: remotes, and the line of git's configuration that chooses another account")
struct CheckRemoteTests: HelperSuite {
    let helper = HelperFixture()

    init() {
        // Keep the host from naming the owner of a token.
        let questions = ["https://api.github.com/user", "https://gitlab.com/api/v4/user"]
        doubles.transport.aside = { questions.contains($0.address) ? .page(status: 502) : nil }
    }

    /// Sets the configuration of the current repository, and queues the answers for it in order.
    private func inRepository(_ configuration: String, _ answers: HTTPResponse...) {
        helper.stored(expiresIn: 3_600)
        verb.files.texts[.local] = configuration
        verb.remote = "https://github.com/acme/widgets"
        answers.forEach { respond($0) }
    }

    private static let origin = "[remote \"origin\"]\nurl = https://github.com/acme/widgets\n"

    @Test("checks the address that git makes of the remote's")
    func insteadOf() throws {
        inRepository(
            "[url \"https://github.com/\"]\ninsteadOf = gh:\n[url \"https://git.example/\"]\ninsteadOf = g\n",
            GitHubAnswers.repository())
        let finding = try verb.check("gh:acme/widgets")
        #expect(finding["repository"] == "acme/widgets" && finding.isTrue("push") == true)
        #expect(requests.map(\.address) == ["https://api.github.com/repos/acme/widgets"])
    }

    @Test(
        "checks the right to push on the address that git pushes to",
        arguments: [
            "pushurl = https://github.com/fork/widgets\n",
            "[url \"https://github.com/fork/\"]\npushInsteadOf = https://github.com/acme/\n",
        ])
    func pushAddress(lines: String) throws {
        inRepository(Self.origin + lines, GitHubAnswers.repository(), GitHubAnswers.repository(push: false))
        let finding = try #require(try verb.objects("check").first)
        #expect(finding.isTrue("read") == true && finding.isTrue("push") == false)
        #expect(finding.hints.first == "pushes go to https://github.com/fork/widgets")
        #expect(requests.map(\.address).last == "https://api.github.com/repos/fork/widgets" && requests.count == 2)
    }

    @Test(
        "checks the push remote by name or address, and prefers the branch's own",
        arguments: [
            "[remote]\npushDefault = fork\n[remote \"fork\"]\nurl = https://github.com/fork/widgets\n",
            "[branch \"main\"]\npushRemote = fork\n[remote \"fork\"]\nurl = https://github.com/fork/widgets\n"
                + "[remote]\npushDefault = origin\n",
            "[branch \"main\"]\npushRemote = https://github.com/fork/widgets\n",
            "[branch \"main\"]\npushRemote = fork\n[remote \"fork\"]\nurl = git@github.com:fork/widgets\n"
                + "pushurl = https://github.com/fork/widgets\n",
        ])
    func pushRemote(lines: String) throws {
        inRepository(Self.origin + lines, GitHubAnswers.repository(), GitHubAnswers.repository(push: false))
        let finding = try #require(try verb.objects("check").first)
        #expect(finding.isTrue("read") == true && finding.isTrue("push") == false)
        #expect(finding.hints.first == "pushes go to https://github.com/fork/widgets")
        // An address in the command has no branch.
        respond(GitHubAnswers.repository())
        #expect(try verb.check("https://github.com/acme/widgets").isTrue("push") == true)
        #expect(doubles.transport.isExhausted)
    }

    @Test(
        "promises no push if pushes go by SSH, and shows the command that changes that for their remote",
        arguments: [
            ("pushurl = git@github.com:acme/widgets.git\n", "acme/widgets.git", "origin"),
            (
                "[remote]\npushDefault = fork\n[remote \"fork\"]\nurl = git@github.com:fork/widgets\n", "fork/widgets",
                "fork"
            ),
        ])
    func pushBySSH(lines: String, path: String, remote: String) throws {
        inRepository(Self.origin + lines, GitHubAnswers.repository())
        let finding = try #require(try verb.objects("check").first)
        #expect(finding.isTrue("read") == true && finding.isTrue("push") == false)
        let words = "pushes go to git@github.com:\(path), for which git asks no helper"
        let command = "  git remote set-url --push \(remote) https://github.com/\(path)"
        #expect(finding.hints == [words, "to push over https:", command])
    }

    @Test("reports a remote by SSH as not served, and checks a pasted address", arguments: [true, false])
    func bySSH(isRemote: Bool) throws {
        inRepository(
            isRemote ? "[remote \"up\"]\nurl = git@github.com:acme/widgets.git\n" : "", GitHubAnswers.repository())
        verb.remote = "git@github.com:acme/widgets.git"
        let finding = try #require(try verb.objects("check").first)
        #expect(finding["result"] == (isRemote ? "ssh" : "reachable"))
        #expect(requests.isEmpty == isRemote)
        guard isRemote else { return }
        #expect(finding["text"] == "the remote up uses SSH, for which git asks no helper")
        #expect(finding.hints == ["to use https:", "  git remote set-url up https://github.com/acme/widgets.git"])
    }

    // MARK: Another account

    /// Checks a repository that only the second account reaches.
    ///
    /// - Returns: the account that git would use, and the hints.
    private func check(_ url: String = "https://github.com/acme/widgets") throws -> (account: String?, [String]) {
        respond(.json("{}", status: 404, headers: [("x-oauth-scopes", "repo")]), GitHubAnswers.repository())
        let finding = try verb.check(url)
        #expect(finding["result"] == "wrong_account")
        return (finding["username"], finding.hints)
    }

    private func local(_ section: String, _ subsection: String?, _ key: String, _ value: String, in scope: String) {
        let origin = scope == "command" ? "command line:" : ".git/config"
        files.others.append(OriginatedEntry(scope, origin, section, subsection, key, value))
    }

    private static let byURL = "  git remote set-url origin https://bob@github.com/acme/widgets"
    private static let byAddress = [
        "use that account in the repository's URL:", "  https://bob@github.com/acme/widgets",
    ]
    private static let byOwner = [
        "use that account for all repositories of this owner:",
        "  git credential-gitspace switch github.com bob --owner acme",
    ]

    @Test("names the commands by the remote's URL and by the owner if no account is configured")
    func unconfigured() throws {
        helper.signedIn("alice", "bob")
        #expect(try check() == ("alice", Self.byOwner))
        local("remote", "upstream", "url", "https://github.com/acme/widgets", in: "global")
        let byURL = Self.byURL.replacing("origin", with: "upstream")
        let either = "use that account for this remote, or for all repositories of this owner:"
        #expect(try check() == ("alice", [either, byURL, Self.byOwner[1]]))
    }

    @Test("offers a line for the person's own file only if no later line outranks it")
    func own() throws {
        helper.signedIn("alice", "bob")
        files.texts[.global] =
            "[credential \"https://github.com\"]\n\tusername = alice\n"
            + "[credential \"https://bob@github.com\"]\n\tusername = bob\n"
        #expect(try check() == ("alice", Self.byOwner))
        // git would write into this section, and the line after it would still count.
        files.texts[.global] =
            "[credential \"https://github.com/acme\"]\n\tusername = zoe\n[credential]\n\tusername = alice\n"
        #expect(try check() == ("alice", Self.byAddress))
        files.texts[.global] = "[credential \"https://github.com/acme\"]\n\tusername = alice\n"
        #expect(try check() == ("alice", Self.byOwner))
    }

    @Test("counts the repository's own configuration for its own remotes only, and offers to change that")
    func ofRepository() throws {
        helper.signedIn("carol", "bob", "alice")
        // Only bob reaches the repository; carol is asked before him.
        files.texts[.global] = "[credential]\n\tusername = carol\n"
        local("credential", "https://github.com", "username", "alice", in: "local")
        // Another repository's configuration does not count for this one.
        respond(GitHubAnswers.repository())
        #expect(try verb.check("acme/widgets")["username"] == "carol")
        local("remote", "upstream", "url", "git@github.com:acme/widgets.git", in: "local")
        for _ in 0..<2 { respond(.json("{}", status: 404, headers: [("x-oauth-scopes", "repo")])) }
        respond(GitHubAnswers.repository())
        let finding = try verb.check("acme/widgets")
        #expect(finding["username"] == "alice" && finding["other_account"] == "bob")
        let command = "  git credential-gitspace switch github.com bob --here"
        #expect(finding.hints == ["use that account in this repository:", command])
    }

    @Test("changes the line of this repository, or the URL if another line would still count")
    func here() throws {
        helper.signedIn("alice", "bob")
        files.texts[.global] = "[credential \"https://github.com/acme\"]\n\tusername = alice\n"
        local("remote", "upstream", "url", "https://github.com/acme/widgets", in: "local")
        let here = ["use that account in this repository:", "  git credential-gitspace switch github.com bob --here"]
        #expect(try check() == ("alice", here))
        local("credential", "https://github.com/acme", "username", "alice", in: "local")
        let byRemote = "  git remote set-url upstream https://bob@github.com/acme/widgets"
        let byLine = "  git config --local credential.https://github.com/acme.username bob"
        let either = "use that account for this remote, or for every remote of this repository:"
        #expect(try check().1 == [either, byRemote, byLine])
    }

    @Test("changes the URL if the URL or the command line names the account", arguments: [true, false])
    func byURLAlone(isInURL: Bool) throws {
        helper.signedIn("alice", "bob")
        if !isInURL { local("credential", nil, "username", "alice", in: "command") }
        let url = isInURL ? "https://alice@github.com/acme/widgets" : "https://github.com/acme/widgets"
        #expect(try check(url) == ("alice", Self.byAddress))
        local("remote", "origin", "url", "https://github.com/acme/widgets", in: "local")
        #expect(try check(url) == ("alice", ["use that account for this remote:", Self.byURL]))
    }

    @Test("leaves out a remote's name that git would take for an option")
    func oddRemote() throws {
        helper.signedIn("alice", "bob")
        local("remote", "--delete", "url", "https://github.com/acme/widgets", in: "local")
        local("credential", nil, "username", "alice", in: "command")
        #expect(try check().1.dropFirst().first == Self.byURL)
    }

    @Test("shows no command with the name of an account that a shell would act on")
    func oddAccount() throws {
        helper.signedIn("alice", "bob;id")
        #expect(try check().1.isEmpty)
    }

    @Test("takes the top group as the owner of a GitLab project in nested groups")
    func nestedGroups() throws {
        doubles.builtInGitLabClientID = "gitlab-client"
        for name in ["alice", "bob"] { helper.stored(expiresIn: 3_600, host: "gitlab.com", user: name) }
        doubles.configure("credential", "https://gitlab.com/acme/apps", "username", "alice")
        files.texts[.global] = "[credential \"https://gitlab.com/acme/apps\"]\n\tusername = alice\n"
        respond(.json("{}", status: 404), .json("{\"id\":7,\"archived\":true,\"permissions\":{}}"))
        let finding = try verb.check("https://gitlab.com/acme/apps/mobile/client.git")
        #expect(finding["username"] == "alice" && finding["other_account"] == "bob")
        #expect(finding.hints.dropFirst() == ["  git credential-gitspace switch gitlab.com bob --owner acme"])
        #expect(requests.first?.address == "https://gitlab.com/api/v4/projects/acme%2Fapps%2Fmobile%2Fclient")
    }
}
