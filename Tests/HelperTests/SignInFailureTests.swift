import CredentialCore
import Helper
import Messages
import Providers
import TestSupport
import Testing

@Suite("get: a sign-in that comes to nothing")
struct SignInFailureTests {
    private let helper = HelperFixture()
    private var doubles: Doubles { helper.doubles }

    /// What git is told after these answers, and that nothing is left behind: not on the terminal either.
    private func outcome(_ answers: HTTPResponse...) throws -> String {
        for answer in answers { doubles.transport.answer(answer) }
        let output = try helper.get()
        #expect(doubles.ui.dismissals == doubles.ui.prompts.count)
        #expect(doubles.keyring.items.isEmpty && doubles.locks.held == 0 && doubles.transport.isExhausted)
        return output
    }

    private func failure(_ error: SignInError) -> UserFacingError? {
        .signIn(error, host: "github.com", clientID: "Iv1.0123456789abcdef")
    }

    @Test("a code that ends is followed by a new one, twice at most")
    func expired() throws {
        #expect(
            try outcome(
                GitHubAnswers.device, GitHubAnswers.expired, GitHubAnswers.device, GitHubAnswers.expired,
                GitHubAnswers.device,
                GitHubAnswers.expired) == "quit=1\n")
        #expect(doubles.ui.prompts.map(\.isRenewal) == [false, true, true])
        #expect(doubles.errors == [failure(.expired)])
    }

    @Test("the new code may be approved")
    func secondCode() throws {
        for answer in [
            GitHubAnswers.device, GitHubAnswers.expired, GitHubAnswers.device, GitHubAnswers.oauthAppToken,
            GitHubAnswers.user("octocat"),
        ] { doubles.transport.answer(answer) }
        #expect(try helper.get().contains("gho_16C7"))
        #expect(doubles.errors.isEmpty)
    }

    @Test("declined in the browser, git is told to stop, and those who wait as well")
    func declined() throws {
        #expect(try outcome(GitHubAnswers.device, GitHubAnswers.denied) == "quit=1\n")
        #expect(doubles.errors == [failure(.declined)])
        #expect(doubles.locks.gaveUp == 1)
    }

    @Test("cancelled here, no error is needed: the person knows", arguments: [1, 2])
    func cancelled(wait: Int) throws {
        doubles.transport.answer(GitHubAnswers.device)
        if wait == 2 { doubles.transport.answer(GitHubAnswers.pending) }
        doubles.ui.endOfWait = (wait, .cancelled)
        #expect(try outcome() == "quit=1\n")
        #expect(doubles.errors.isEmpty && doubles.locks.gaveUp == 1)
        #expect(doubles.ui.notices == [.cancelled])
    }

    @Test("cancelled in the middle of a request, it is the same")
    func interrupted() throws {
        doubles.transport.answer(GitHubAnswers.device)
        doubles.transport.fail(.interrupted)
        #expect(try outcome() == "quit=1\n")
        #expect(doubles.errors.isEmpty)
    }

    @Test(
        "where git has exited, what is left of it is told to stop, nobody else anything, and the next in line may try")
    func abandoned() throws {
        doubles.ui.endOfWait = (1, .abandoned)
        #expect(try outcome(GitHubAnswers.device) == "quit=1\n")
        #expect(doubles.errors.isEmpty && doubles.ui.notices.isEmpty && doubles.locks.gaveUp == 0)
    }

    @Test("a notification that nobody answers is a failure with a name, and those who wait take it as their own")
    func unanswered() throws {
        doubles.ui.endOfWait = (1, .unanswered)
        #expect(try outcome(GitHubAnswers.device) == "quit=1\n")
        #expect(doubles.errors == [failure(.unanswered)])
        #expect(doubles.locks.gaveUp == 1 && doubles.ui.withdrawals == 1)
    }

    @Test("a code that cannot be shown after all finds nobody here, and git may go on")
    func unreachable() throws {
        doubles.ui.endOfWait = (1, .unreachable)
        #expect(try outcome(GitHubAnswers.device).isEmpty)
        #expect(doubles.errors == [.nobodyHere(host: "github.com", because: nil)])
    }

    @Test("who may not be asked after all is shown nothing, and no code is requested")
    func noRoom() throws {
        doubles.ui.hasRoom = false
        #expect(try outcome().isEmpty)
        #expect(doubles.errors == [.nobodyHere(host: "github.com", because: nil)])
        #expect(doubles.ui.prompts.isEmpty && doubles.locks.gaveUp == 0)
    }

    @Test("who has waited long enough for another's sign-in says so")
    func waitedTooLong() throws {
        doubles.locks.turnsUntilFree = 5
        doubles.ui.endOfWait = (2, .unanswered)
        #expect(try outcome() == "quit=1\n")
        #expect(doubles.errors == [.otherNotFinished(host: "github.com")])
    }

    @Test("who stops waiting for it is told nothing of it")
    func stoppedWaiting() throws {
        doubles.locks.turnsUntilFree = 5
        doubles.ui.endOfWait = (2, .cancelled)
        #expect(try outcome() == "quit=1\n" && doubles.errors.isEmpty)
    }

    @Test(
        "every refusal of a code is told in words of its own",
        arguments: [
            (404, #"{"error":"Not Found"}"#, SignInError.unknownClient),
            (400, #"{"error":"device_flow_disabled"}"#, .deviceFlowDisabled), (403, "{}", .deviceFlowUnsupported),
            (503, "", .unavailable(status: 503)), (200, #"{"error":"unverified_user_email"}"#, .unverifiedUserEmail),
            (200, "{}", .deviceFlowUnsupported), (200, "[]", .malformedAnswer),
        ])
    func refused(status: Int, body: String, error: SignInError) throws {
        #expect(try outcome(.json(body, status: status)) == "quit=1\n")
        #expect(doubles.errors == [failure(error)])
        #expect(doubles.ui.prompts.isEmpty)
    }

    @Test("an address on another host is not shown")
    func foreignAddress() throws {
        let answer = HTTPResponse.json(
            #"{"device_code":"d","user_code":"AAAA","verification_uri":"https://evil.example/","expires_in":900}"#)
        #expect(try outcome(answer) == "quit=1\n")
        #expect(doubles.ui.prompts.isEmpty && doubles.errors == [failure(.foreignAddress)])
    }

    @Test("who waits for another's sign-in says so once, and uses its token")
    func followed() throws {
        doubles.locks.turnsUntilFree = 5
        doubles.locks.whenAcquired = { [helper] in helper.brought("gho_sibling") }
        #expect(try helper.get().contains("gho_sibling"))
        #expect(doubles.transport.requests.isEmpty && doubles.ui.prompts.isEmpty)
        #expect(doubles.ui.notices == [.waitingForOtherSignIn(.elsewhere)])
    }

    @Test("and uses it although an account that comes first would have to be refreshed")
    func followedBehindAnother() throws {
        doubles.locks.whenAcquired = { [helper] in
            helper.stored(expiresIn: -10, user: "hubot")
            helper.stored(expiresIn: 3_600, password: "ghu_sibling")
        }
        #expect(try helper.get().contains("ghu_sibling"))
        #expect(doubles.transport.requests.isEmpty && doubles.ui.prompts.isEmpty)
    }

    @Test("where the other one gave up, nobody is asked again, and nothing said twice")
    func gaveUp() throws {
        doubles.locks.predecessorGaveUp = true
        #expect(try outcome() == "quit=1\n")
        #expect(doubles.errors.isEmpty && doubles.ui.prompts.isEmpty)
    }

    @Test(
        "without a lock no code is requested",
        arguments: [
            (LockError.timedOut, UserFacingError.otherNotFinished(host: "github.com")), (.impossible, .lockImpossible),
        ])
    func noLock(error: LockError, failure: UserFacingError) throws {
        doubles.locks.fault = error
        #expect(try outcome() == "quit=1\n")
        #expect(doubles.errors == [failure])
    }
}
