import CredentialCore
import Helper
import Language
import Messages
import Providers
import TestSupport
import Testing
import Verbs

@Suite("The verb check")
struct CheckTests {
    private let helper = HelperFixture()
    private var doubles: Doubles { helper.doubles }
    private static let user = "https://api.github.com/user"

    init() {
        // Whose a token is does not matter here, unless a test says so.
        doubles.transport.aside = { $0.address == Self.user ? .page(status: 502) : nil }
    }

    private func check(_ text: String = "https://github.com/acme/widgets") throws -> Finding {
        let address = try #require(RepositoryAddress(text))
        return try #require(doubles.run(Check(address, with: .forTests(doubles))).reports.first)
    }

    private func repository(push: Bool = true, scopes: String? = "repo, workflow", more: String = "") -> HTTPResponse {
        .json(
            "{\"full_name\":\"acme/widgets\",\"private\":true,\"permissions\":{\"push\":\(push)}\(more)}",
            headers: scopes.map { [("x-oauth-scopes", $0)] } ?? [])
    }

    private func notFound(_ scopes: String? = "repo") -> HTTPResponse {
        .json("{\"message\":\"Not Found\"}", status: 404, headers: scopes.map { [("x-oauth-scopes", $0)] } ?? [])
    }

    @Test("a fresh token is used as it is")
    func reached() throws {
        helper.stored(expiresIn: 3_600)
        doubles.transport.answer(repository())
        let finding = try check()
        #expect(finding.result == .reachable && finding.canRead && finding.rights?.canPush == true)
        #expect(finding.words.what.english == "octocat can read acme/widgets and push to it")
        #expect(finding.words.hints.isEmpty && finding.account == "octocat")
        #expect(doubles.transport.requests.map(\.address) == ["https://api.github.com/repos/acme/widgets"])
        #expect(doubles.transport.requests.map(\.authorization) == ["Bearer ghu_old"])
    }

    @Test("a token that is somebody else's is used for nothing, and its owner is named")
    func ofAnother() throws {
        helper.brought("ghp_planted")
        doubles.transport.aside = { $0.address == Self.user ? GitHubAnswers.user("mallory") : nil }
        let finding = try check()
        #expect(finding.result == .otherAccount && doubles.transport.requests.isEmpty)
        #expect(finding.words.what.english == "the token stored as octocat belongs to mallory")
        #expect(finding.json.first?.contains(#""result": "other_account""#) == true)
        #expect(finding.json.first?.contains(#""owner": "mallory", "other_account": null"#) == true)
        // As another account's, it shows nothing either.
        helper.stored(expiresIn: 3_600, user: "monalisa")
        doubles.transport.aside = { request in
            guard request.address == Self.user else { return nil }
            return GitHubAnswers.user(request.authorization == "Bearer ghu_old" ? "monalisa" : "mallory")
        }
        doubles.transport.answer(notFound())
        let other = try check()
        #expect(other.account == "monalisa" && other.result == .notFound && other.otherAccount == nil)
        #expect(doubles.transport.requests.map(\.authorization) == ["Bearer ghu_old"])
    }

    @Test("a token that has ended is renewed first; one that cannot be renewed is told, and nobody signs in")
    func ended() throws {
        helper.stored(expiresIn: -10)
        doubles.transport.answer(GitHubAnswers.gitHubAppToken)
        doubles.transport.answer(repository(scopes: nil))
        #expect(try check().result == .reachable)
        #expect(doubles.keyring.credential(of: "octocat")?.password.text != "ghu_old")
        helper.stored(expiresIn: -10, refreshToken: nil)
        #expect(try check().result == .tokenEnded)
        #expect(doubles.ui.prompts.isEmpty)
    }

    @Test("what the token lacks is said, with the command that mends it")
    func scopes() throws {
        helper.stored(expiresIn: 3_600)
        let command = "  git credential-gitspace login github.com --username octocat --force"
        doubles.transport.answer(repository(scopes: "repo"))
        #expect(try check().words.hints.last?.english == command)
        doubles.transport.answer(notFound("public_repo"))
        let finding = try check()
        #expect(finding.result == .scopeMissing && !finding.canRead)
        #expect(finding.words.hints.last?.english == command)
        doubles.transport.answer(notFound())
        #expect(try check().result == .notFound)
        doubles.transport.answer(notFound(nil))
        #expect(try check().result == .appNotInstalled)
        doubles.transport.answer(repository(more: ",\"archived\":true"))
        #expect(try check().rights?.canPush == false)
    }

    @Test("a refused token, an offline host and a server in trouble are different things")
    func faults() throws {
        helper.stored(expiresIn: 3_600)
        doubles.transport.answer(GitHubAnswers.badCredentials)
        #expect(try check().result == .tokenRejected)
        doubles.transport.fail(.unreachable)
        #expect(try check().result == .offline)
        doubles.transport.answer(.page(status: 503))
        #expect(try check().result == .serverInTrouble)
        doubles.transport.answer(
            .json(
                "{}", status: 429,
                headers: [("x-ratelimit-reset", "\(RecordingClock.start + 90)"), ("x-ratelimit-remaining", "0")]))
        let limited = try check()
        #expect(limited.words.hints.map(\.english) == ["try again in 2 min; git itself is not affected"])
        doubles.keyring.fault = .unresponsive(seconds: 5)
        #expect(try check().words.what.english == "the keyring did not answer within 5 seconds")
    }

    @Test("nobody signed in: a public repository can be read all the same")
    func nobody() throws {
        doubles.transport.answer(notFound(nil))
        #expect(try check().result == .notSignedIn)
        doubles.transport.answer(.json("{\"full_name\":\"acme/widgets\",\"private\":false}"))
        let open = try check()
        #expect(open.result == .notSignedIn && open.canRead && open.rights?.canPush == false)
        #expect(doubles.transport.requests.allSatisfy { $0.authorization == nil })
    }

    @Test("another account that reaches it is named, with the commands that choose it")
    func otherAccount() throws {
        helper.stored(expiresIn: 3_600)
        helper.stored(expiresIn: 3_600, user: "bob")
        doubles.transport.answer(notFound())
        doubles.transport.answer(repository())
        let finding = try check()
        #expect(finding.result == .wrongAccount && finding.otherAccount == "bob" && finding.account == "octocat")
        #expect(finding.words.what.english == "octocat cannot access acme/widgets, but bob can")
        #expect(
            finding.words.hints.dropFirst().map(\.english) == [
                "  git remote set-url origin https://bob@github.com/acme/widgets",
                "  git config --global credential.https://github.com/acme.username bob",
            ])
        doubles.transport.answer(repository(push: false))
        doubles.transport.answer(repository())
        let reader = try check()
        #expect(reader.result == .reachable && reader.otherAccount == "bob" && reader.rights?.canPush == false)
    }

    @Test("the account is the one in the address, else the one that is configured")
    func asked() throws {
        helper.stored(expiresIn: 3_600, user: "bob")
        helper.stored(expiresIn: 3_600)
        doubles.transport.answer(repository())
        #expect(try check("https://bob@github.com/acme/widgets").account == "bob")
        // git takes the last line that covers the address, not the closest.
        doubles.configure("credential", "https://github.com/acme", "username", "zoe")
        doubles.configure("credential", "https://github.com", "username", "bob")
        doubles.transport.answer(repository())
        #expect(try check().account == "bob")
        doubles.transport.answer(repository())
        #expect(try check("https://octocat@github.com/acme/widgets").account == "octocat")
        doubles.transport.answer(notFound(nil))
        doubles.transport.answer(notFound())
        doubles.transport.answer(notFound())
        let stranger = try check("https://eve@github.com/acme/widgets")
        #expect(stranger.result == .notSignedIn)
        #expect(stranger.words.hints.last?.english == "  git credential-gitspace login github.com --username eve")
    }

    @Test("of a repository that has moved, that is told, and nobody is asked where the answer leads")
    func moved() throws {
        helper.stored(expiresIn: 3_600)
        helper.stored(expiresIn: 3_600, user: "hubot")
        doubles.transport.answer(
            .json("{}", status: 301, headers: [("location", "https://api.github.com/repositories/7")]))
        let finding = try check("acme/gadgets")
        #expect(finding.result == .moved && !finding.canRead)
        #expect(finding.words.hints.last?.english == "  https://github.com/acme/gadgets")
        #expect(doubles.transport.requests.count == 1)
    }

    @Test("a host that nobody signs in to is asked what it is, and nothing else")
    func foreign() throws {
        doubles.transport.answer(.page(status: 404))
        let finding = try check("https://git.example/acme/widgets")
        #expect(finding.result == .unknown && finding.reason == .failed(.notForSignIn(host: "git.example")))
        #expect(doubles.transport.requests.map(\.authorization) == [nil])
        doubles.transport.answer(
            .json("", status: 401, headers: [("www-authenticate", "Basic realm=\"GitLab\"")]))
        let known = try check("https://git.example/acme/widgets")
        #expect(known.reason == .failed(.hostRecognized(.gitLab, host: "git.example")))
        #expect(known.words.hints.last?.english == "  git credential-gitspace setup git.example")
    }
}
