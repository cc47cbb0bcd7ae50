import CredentialCore
import Helper
import Messages
import Providers
import TestSupport
import Testing

@Suite("get: a refresh that fails")
struct RefreshFaultTests {
    private let helper = HelperFixture()
    private var doubles: Doubles { helper.doubles }

    /// What the keyring held before; after a fault on the way it must hold the same.
    private func storedText(expiresIn seconds: Int64) -> String? {
        helper.stored(expiresIn: seconds)
        return doubles.keyring.onlyText
    }

    @Test(
        "a fault on the way keeps everything, and a token that still lives is handed out silently",
        arguments: [
            TransportError.unreachable, .timedOut, .untrusted, .proxy(setting: "http.proxy"), .tooLarge,
        ])
    func aliveAndOffline(error: TransportError) throws {
        let before = storedText(expiresIn: 100)
        doubles.transport.fail(error)
        #expect(try helper.get().contains("ghu_old"))
        #expect(doubles.keyring.onlyText == before)
        #expect(doubles.errors.isEmpty && doubles.keyring.calls.allSatisfy { $0 != .save })
    }

    @Test("one that has ended is not; the person is told that nothing is lost")
    func expiredAndOffline() throws {
        let before = storedText(expiresIn: -10)
        doubles.transport.fail(.unreachable)
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.keyring.onlyText == before)
        #expect(doubles.errors == [.offline(host: "github.com", .unreachable)])
    }

    @Test(
        "a server in trouble is no reason to give anything up, and what it has sent is named",
        arguments: [
            (.page(status: 500), "server error, status 500"), (.page(status: 503), "server error, status 503"),
            (.page(status: 429), "server error, status 429"), (.page(status: 403), "request denied, status 403"),
            (.page(status: 200), "a web page instead of a response, status 200"),
            (.json(#"{"message":"moved"}"#), "unexpected response, status 200"),
        ] as [(HTTPResponse, String)])
    func trouble(response: HTTPResponse, what: String) throws {
        let before = storedText(expiresIn: -10)
        doubles.transport.answer(response)
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.keyring.onlyText == before)
        #expect(doubles.errors.first?.code == .server)
        #expect(
            doubles.errors.first?.text.english
                == "github.com could not refresh the token (\(what)); the stored token was kept")
    }

    @Test("refused, the refresh part goes, and a sign-in follows where a person is")
    func refused() throws {
        helper.stored(expiresIn: -10)
        doubles.transport.answer(GitHubAnswers.badRefreshToken)
        doubles.transport.answer(GitHubAnswers.device)
        doubles.transport.answer(GitHubAnswers.denied)
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.ui.prompts.count == 1)
        #expect(
            doubles.keyring.onlyText
                == "ghu_old\npassword_expiry_utc=1699999990\ngitspace_client_id=Iv1.0123456789abcdef")
        #expect(doubles.locks.held == 0)
    }

    @Test("where nobody is, one line says so, and git may go on")
    func refusedUnattended() throws {
        helper.stored(expiresIn: -10)
        doubles.ui.canBeReached = false
        doubles.transport.answer(GitHubAnswers.badRefreshToken)
        #expect(try helper.get().isEmpty)
        #expect(doubles.errors == [.refreshRefused(host: "github.com", .invalidGrant, SignInAgain(account: "octocat"))])
        #expect(
            doubles.errors.first?.hints.last?.english == "  git credential-gitspace login github.com octocat"
        )
        #expect(doubles.keyring.credential(of: "octocat")?.oauthRefreshToken == nil)
    }

    @Test("a token that still lives is handed out though the refresh was refused")
    func refusedAlive() throws {
        helper.stored(expiresIn: 100)
        doubles.transport.answer(GitHubAnswers.badRefreshToken)
        #expect(try helper.get().contains("ghu_old"))
    }

    @Test(
        "a mistyped secret, or another client's mistake, costs nothing stored, and is told by its name",
        arguments: ["incorrect_client_credentials", "invalid_client", "unauthorized_client"])
    func clientMistake(code: String) throws {
        doubles.configure("credential", "https://github.com", "oauthClientId", "Iv1.0123456789abcdef")
        doubles.configure("credential", "https://github.com", "oauthClientSecret", "mistyped")
        let before = storedText(expiresIn: -10)
        doubles.transport.answer(GitHubAnswers.error(code, "?"))
        // A sign-in in the same client's name would be refused as well: nobody is asked for it.
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.keyring.onlyText == before && doubles.ui.prompts.isEmpty)
        let error = try #require(doubles.errors.first)
        #expect(error.code == .clientRefused)
        #expect(error.text.english.contains("client ID Iv1.0123456789abcdef or its secret (\(code))"))
        // Put right, it is renewed.
        doubles.transport.answer(GitHubAnswers.gitHubAppToken)
        #expect(try helper.get().contains("ghu_16C7"))
    }

    @Test(
        "what nobody knows, and a no of the server's, keep the pair as well", arguments: ["access_denied", "odd_code"])
    func otherRefusal(code: String) throws {
        let before = storedText(expiresIn: -10)
        doubles.ui.canBeReached = false
        doubles.transport.answer(GitHubAnswers.error(code, "?"))
        #expect(try helper.get().isEmpty)
        #expect(doubles.keyring.onlyText == before)
        let error = try #require(doubles.errors.first)
        #expect(error.code == .refreshRefused)
        #expect(error.text.english == "your sign-in to github.com has ended (\(code))")
    }

    @Test("a pair from outside loses nothing by a refusal: our client was never its own")
    func refusedBrought() throws {
        helper.brought("gho_brought", expiresIn: -10, refreshToken: "ghr_brought")
        let before = doubles.keyring.onlyText
        doubles.ui.canBeReached = false
        doubles.transport.answer(GitHubAnswers.badRefreshToken)
        #expect(try helper.get().isEmpty)
        #expect(doubles.keyring.onlyText == before)
    }

    @Test(
        "a refresh token is not spent where its successor could not be saved",
        arguments: [
            KeyringError.locked, .denied, .noCollection, .unresponsive(seconds: 5),
        ])
    func unwritable(error: KeyringError) throws {
        helper.stored(expiresIn: -10)
        doubles.keyring.writeFault = error
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.transport.requests.isEmpty)
        #expect(doubles.errors == [.keyring(error)])
    }

    @Test("if saving fails after all, git gets the new token once, and the person is told")
    func notSaved() throws {
        helper.stored(expiresIn: -10)
        doubles.keyring.saveFault = .disconnected
        doubles.transport.answer(GitHubAnswers.gitHubAppToken)
        #expect(try helper.get().contains("password=ghu_16C7"))
        #expect(doubles.errors == [.notSaved(.keyring(.disconnected))])
    }
}
