import TestSupport
import Testing

@Suite("get: failed refreshes")
struct RefreshFaultTests: HelperSuite {
    let helper = HelperFixture()

    /// Stores a pair, and returns the text that the keyring must still hold after a transport error.
    private func storedText(expiresIn seconds: Int64) -> String? {
        helper.stored(expiresIn: seconds)
        return doubles.keyring.onlyText
    }

    @Test(
        "keeps the pair after a transport error, returns a valid token, and reports an expired one",
        arguments: [TransportError.unreachable, .timedOut, .untrusted, .proxy(setting: "http.proxy"), .tooLarge])
    func offline(error: TransportError) throws {
        for seconds in [100, -10] as [Int64] {
            let before = storedText(expiresIn: seconds)
            doubles.transport.fail(error)
            #expect(try seconds > 0 ? get().contains("ghu_old") && doubles.errors.isEmpty : get() == "quit=1\n")
            #expect(doubles.keyring.onlyText == before && doubles.keyring.calls.allSatisfy { $0 != .save })
        }
        #expect(doubles.errors == [.offline(host: "github.com", error)])
    }

    @Test(
        "keeps the pair if the server is in trouble, and names what it returned",
        arguments: [
            (.page(status: 500), "server error, status 500"), (.page(status: 503), "server error, status 503"),
            (.page(status: 429), "server error, status 429"), (.page(status: 403), "request denied, status 403"),
            (.page(status: 200), "a web page instead of a response, status 200"),
            (.json(#"{"message":"moved"}"#), "unexpected response, status 200"),
        ] as [(HTTPResponse, String)])
    func trouble(response: HTTPResponse, what: String) throws {
        let before = storedText(expiresIn: -10)
        respond(response)
        #expect(try get() == "quit=1\n" && doubles.keyring.onlyText == before)
        #expect(doubles.errors.first?.code == .server)
        #expect(sentences.first == "github.com could not refresh the token (\(what)); the stored token was kept")
    }

    @Test("removes the refused refresh token, and starts a sign-in if a person is at hand")
    func refused() throws {
        helper.stored(expiresIn: -10)
        respond(GitHubAnswers.badRefreshToken, GitHubAnswers.device, GitHubAnswers.denied)
        #expect(try get() == "quit=1\n" && prompts.count == 1)
        let kept = "ghu_old\npassword_expiry_utc=1699999990\ngitspace_client_id=Iv1.0123456789abcdef"
        #expect(doubles.keyring.onlyText == kept && doubles.locks.held == 0)
    }

    @Test("reports the refused refresh in one line, and lets git go on, if no person is at hand")
    func refusedUnattended() throws {
        helper.stored(expiresIn: -10)
        doubles.ui.canBeReached = false
        respond(GitHubAnswers.badRefreshToken)
        #expect(try get().isEmpty)
        #expect(doubles.errors == [.refreshRefused(host: "github.com", .invalidGrant, SignInAgain(account: "octocat"))])
        #expect(doubles.errors.first?.hints.last?.english == "  git credential-gitspace login github.com octocat")
        #expect(credential()?.oauthRefreshToken == nil)
    }

    @Test(
        "keeps the pair after a wrong client secret or client ID, and names them",
        arguments: ["incorrect_client_credentials", "invalid_client", "unauthorized_client"])
    func clientMistake(code: String) throws {
        doubles.configure("credential", "https://github.com", "oauthClientId", "Iv1.0123456789abcdef")
        doubles.configure("credential", "https://github.com", "oauthClientSecret", "mistyped")
        let before = storedText(expiresIn: -10)
        respond(GitHubAnswers.error(code, "?"))
        // A sign-in with the same client ID would be refused too, so none is started.
        #expect(try get() == "quit=1\n" && doubles.keyring.onlyText == before && prompts.isEmpty)
        let error = try #require(doubles.errors.first)
        #expect(error.code == .clientRefused)
        #expect(error.text.english.contains("client ID Iv1.0123456789abcdef or its secret (\(code))"))
        // With the right client ID, the token is renewed.
        respond(GitHubAnswers.gitHubAppToken)
        #expect(try get().contains("ghu_16C7"))
    }

    @Test("keeps the pair after an unknown error or a denial", arguments: ["access_denied", "odd_code"])
    func otherRefusal(code: String) throws {
        let before = storedText(expiresIn: -10)
        doubles.ui.canBeReached = false
        respond(GitHubAnswers.error(code, "?"))
        #expect(try get().isEmpty && doubles.keyring.onlyText == before)
        let error = try #require(doubles.errors.first)
        #expect(error.code == .refreshRefused)
        #expect(error.text.english == "your sign-in to github.com has ended (\(code))")
    }

    @Test("keeps a pair from outside after a refusal, because it was not issued to our client")
    func refusedBrought() throws {
        helper.brought("gho_brought", expiresIn: -10, refreshToken: "ghr_brought")
        let before = doubles.keyring.onlyText
        doubles.ui.canBeReached = false
        respond(GitHubAnswers.badRefreshToken)
        #expect(try get().isEmpty && doubles.keyring.onlyText == before)
    }

    @Test(
        "sends no refresh token if the new one could not be saved",
        arguments: [KeyringError.locked, .denied, .noCollection, .unresponsive(seconds: 5)])
    func unwritable(error: KeyringError) throws {
        helper.stored(expiresIn: -10)
        doubles.keyring.writeFault = error
        #expect(try get() == "quit=1\n" && requests.isEmpty && doubles.errors == [.keyring(error)])
    }

    @Test("returns the new token once and reports the error if saving fails")
    func notSaved() throws {
        helper.stored(expiresIn: -10)
        doubles.keyring.saveFault = .disconnected
        respond(GitHubAnswers.gitHubAppToken)
        #expect(try get().contains("password=ghu_16C7") && doubles.errors == [.notSaved(.keyring(.disconnected))])
    }
}
