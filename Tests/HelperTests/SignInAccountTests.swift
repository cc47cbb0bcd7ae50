import TestSupport
import Testing

@Suite("get: the account that has signed in")
struct SignInAccountTests: HelperSuite {
    let helper = HelperFixture()

    /// Queues a sign-in that is approved at once, and the answers of `/user`.
    private func approved(_ users: HTTPResponse...) {
        respond(GitHubAnswers.device, GitHubAnswers.oauthAppToken)
        for user in users { respond(user) }
    }

    private static let revocation = "https://api.github.com/credentials/revoke"

    @Test(
        "reports another account than the one that was asked for, and revokes its token, whether that succeeds or not",
        arguments: [202, 500, nil])
    func takenBack(status: Int?) throws {
        approved(GitHubAnswers.user("mallory"))
        if let status { respond(.json("{}", status: status)) } else { doubles.transport.fail(.timedOut) }
        var end: Int64?
        doubles.transport.beforeAnswer = { [doubles] request in
            guard request.address == Self.revocation else { return }
            end = request.deadline.map { $0 - doubles.clock.uptimeMilliseconds }
        }
        #expect(try get(as: "octocat") == "quit=1\n")
        #expect(requests.last?.address == Self.revocation && doubles.transport.isExhausted)
        #expect(requests.last?.body == #"{"credentials":["gho_16C7e42F292c6912E7710c838347Ae178B4a"]}"#)
        #expect(end == 5_000 && doubles.keyring.items.isEmpty)
        let place = AccountRequest.repository(.folder(nil), remote: "origin", "github.com/OWNER/REPOSITORY")
        #expect(doubles.errors == [.wrongAccount(asked: "octocat", got: "mallory", host: "github.com", place)])
    }

    @Test("does not revoke it if that account is stored here too, or may be", arguments: ["MALLORY", "x-access-token"])
    func notTakenBack(stored: String) throws {
        helper.stored(expiresIn: 3_600, user: stored)
        approved(GitHubAnswers.user("mallory"))
        #expect(try get(as: "octocat") == "quit=1\n")
        #expect(doubles.transport.isExhausted && doubles.keyring.items.count == 1)
    }

    @Test("finds the token under the name that git asks for, in any letter case")
    func letterCase() throws {
        approved(GitHubAnswers.user("octocat"))
        let first = try get(as: "Octocat")
        #expect(first.contains("gho_16C7"))
        #expect(try get(as: "Octocat") == first && prompts.count == 1)
    }

    @Test("asks for the name three times, a second apart, and then stores another name than the one that was asked for")
    func unknown() throws {
        approved(.page(status: 500), .page(status: 500), .page(status: 500), .json("{}", status: 202))
        #expect(try get(as: "octocat") == "quit=1\n" && doubles.keyring.items.isEmpty)
        approved(.page(status: 500), .page(status: 500), .page(status: 500))
        #expect(try get().hasPrefix("username=x-access-token\npassword=gho_16C7"))
        #expect(doubles.ui.waits.suffix(3) == [6_000, 1_000, 1_000] && doubles.keyring.items.count == 1)
    }

    @Test("does not store a token that the host rejects")
    func rejected() throws {
        approved(GitHubAnswers.badCredentials)
        #expect(try get() == "quit=1\n" && doubles.keyring.items.isEmpty)
        #expect(doubles.errors == [signInFailure(.tokenRejected)])
    }

    @Test("takes an empty name as none")
    func emptyName() throws {
        approved(GitHubAnswers.user("octocat"))
        #expect(try get(as: "").contains("gho_16C7"))
    }
}
