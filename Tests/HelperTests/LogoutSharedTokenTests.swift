import TestSupport
import Testing

@Suite("The verb logout: a token that another tool has too")
struct LogoutSharedTokenTests: HelperSuite {
    let helper = HelperFixture()
    private static let accepted = HTTPResponse(status: 202)

    /// Stores octocat's token, and gives gh the same one.
    private func shared() -> VerbFixture {
        helper.stored(expiresIn: nil, refreshToken: nil)
        verb.foreignKeyring.put("ghu_old", ("service", "gh:github.com"), ("username", "octocat"))
        return verb
    }

    @Test("revokes the shared token only if the person agrees", arguments: ["y", "n", "", nil])
    func asked(answer: String?) throws {
        let verb = shared()
        verb.questions.answers = answer.map { [$0] } ?? []
        if answer == "y" { respond(Self.accepted) }
        let end = try verb.run("logout", "github.com", "--revoke")
        #expect(
            verb.questions.asked == [
                "gh has the same token of octocat, and could not use it any more. Revoke it? [y/N] "
            ])
        #expect(end.status == (answer == "y" ? .done : .cancelled))
        #expect(doubles.keyring.items.isEmpty == (answer == "y"))
        if answer != "y" { #expect(end.text == ["Nothing was changed."] && requests.isEmpty) }
    }

    @Test("fails and names --force, and --all if it was used, without a terminal; asks nothing with --force")
    func forced() throws {
        let verb = shared()
        verb.questions.canAsk = false
        #expect(try verb.run("logout", "github.com", "--revoke").status == .failed)
        #expect(doubles.errors == [.tokenIsShared(with: "gh", account: "octocat", host: "github.com", " octocat")])
        #expect(
            doubles.errors.first?.hints.last?.english
                == "  git credential-gitspace logout github.com octocat --revoke --force")
        #expect(try verb.run("logout", "github.com", "--revoke", "--all").status == .failed)
        #expect(
            hints.filter { $0.hasPrefix(" ") } == [
                "  git credential-gitspace logout github.com --all",
                "  git credential-gitspace logout github.com --all --revoke --force",
            ])
        #expect(doubles.keyring.items.count == 1 && requests.isEmpty)
        respond(Self.accepted)
        #expect(try verb.run("logout", "github.com", "--revoke", "--force").status == .done)
        #expect(doubles.keyring.items.isEmpty && verb.questions.asked.isEmpty)
    }

    @Test("asks nothing if the other tool's token is another one, or if the token is only removed")
    func otherToken() throws {
        let verb = shared()
        verb.foreignKeyring.items = []
        verb.foreignKeyring.put("gho_other", ("service", "gh:github.com"), ("username", "octocat"))
        respond(Self.accepted)
        #expect(try verb.run("logout", "github.com", "--revoke").status == .done)
        #expect(try shared().run("logout", "github.com").status == .done)
        #expect(verb.questions.asked.isEmpty && doubles.keyring.items.isEmpty)
    }
}
