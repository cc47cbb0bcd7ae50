import TestSupport
import Testing

@Suite("The verb check: the remotes of the current repository")
struct CheckRemoteTests: HelperSuite {
    let helper = HelperFixture()
    init() {
        // The owner of a token does not matter here.
        doubles.transport.aside = { $0.address == "https://api.github.com/user" ? .page(status: 502) : nil }
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
}
