import TestSupport
import Testing

@Suite("get: failed sign-ins")
struct SignInFailureTests: HelperSuite {
    let helper = HelperFixture()

    /// Runs a get with these answers, returns git's text, and checks that nothing stays stored, locked or on the
    /// screen.
    private func outcome(_ answers: HTTPResponse...) throws -> String {
        for answer in answers { respond(answer) }
        let output = try get()
        #expect(doubles.ui.dismissals == prompts.count)
        #expect(doubles.keyring.items.isEmpty && doubles.locks.held == 0 && doubles.transport.isExhausted)
        return output
    }

    @Test("requests a new code after one expires, twice at most")
    func expired() throws {
        for _ in 1...3 { respond(GitHubAnswers.device, GitHubAnswers.expired) }
        #expect(try outcome() == "quit=1\n")
        #expect(prompts.map(\.isRenewal) == [false, true, true] && doubles.errors == [signInFailure(.expired)])
    }

    @Test("accepts the approval of the second code")
    func secondCode() throws {
        respond(GitHubAnswers.device, GitHubAnswers.expired)
        helper.approve()
        #expect(try get().contains("gho_16C7") && doubles.errors.isEmpty)
    }

    @Test("tells git and waiting processes to stop after a refusal in the browser")
    func declined() throws {
        #expect(try outcome(GitHubAnswers.device, GitHubAnswers.denied) == "quit=1\n")
        #expect(doubles.errors == [signInFailure(.declined)])
        #expect(doubles.locks.gaveUp == 1)
    }

    @Test("reports no error after the person cancels", arguments: [1, 2])
    func cancelled(wait: Int) throws {
        respond(GitHubAnswers.device)
        if wait == 2 { respond(GitHubAnswers.pending) }
        doubles.ui.endOfWait = (wait, .cancelled)
        #expect(try outcome() == "quit=1\n")
        #expect(doubles.errors.isEmpty && doubles.locks.gaveUp == 1 && notices == [.cancelled])
        #expect(doubles.signInNotes.refusals == 1)
    }

    @Test("reports no error after the person cancels during a request")
    func interrupted() throws {
        respond(GitHubAnswers.device)
        doubles.transport.fail(.interrupted)
        #expect(try outcome() == "quit=1\n" && doubles.errors.isEmpty)
    }

    @Test(
        "ends without an error if git has exited, and reports an unanswered notification, or a code that nobody can see",
        arguments: [
            (.abandoned, "quit=1\n", nil), (.unreachable, "", .nobodyHere(host: "github.com", because: nil)),
            (.unanswered, "quit=1\n", .signIn(.unanswered, host: "github.com", clientID: "Iv1.0123456789abcdef")),
        ] as [(WaitOutcome, String, UserFacingError?)])
    func ended(end: WaitOutcome, text: String, error: UserFacingError?) throws {
        doubles.ui.endOfWait = (1, end)
        #expect(try outcome(GitHubAnswers.device) == text && doubles.errors == [error].compactMap(\.self))
        #expect(doubles.locks.gaveUp == (end == .abandoned ? 0 : 1) && doubles.ui.withdrawals == 1)
        #expect(doubles.signInNotes.refusals == (end == .unanswered ? 1 : 0) && notices.isEmpty)
    }

    @Test("requests no code if there is no prompt slot")
    func noRoom() throws {
        doubles.ui.hasRoom = false
        #expect(try outcome().isEmpty && doubles.errors == [.nobodyHere(host: "github.com", because: nil)])
        #expect(prompts.isEmpty && doubles.locks.gaveUp == 0)
    }

    @Test(
        "reports that another process's sign-in did not finish in time, and nothing if the person stops waiting",
        arguments: [(.unanswered, [.otherNotFinished(host: "github.com")]), (.cancelled, [])]
            as [(WaitOutcome, [UserFacingError])])
    func waited(end: WaitOutcome, errors: [UserFacingError]) throws {
        doubles.locks.turnsUntilFree = 5
        doubles.ui.endOfWait = (2, end)
        #expect(try outcome() == "quit=1\n" && doubles.errors == errors)
    }

    @Test(
        "reports each refusal of a code with its own error",
        arguments: [(404, #"{"error":"Not Found"}"#, SignInError.unknownClient), (503, "", .unavailable(status: 503))])
    func refused(status: Int, body: String, error: SignInError) throws {
        #expect(try outcome(.json(body, status: status)) == "quit=1\n")
        #expect(doubles.errors == [signInFailure(error)] && prompts.isEmpty)
    }

    @Test("does not show an address on another host")
    func foreignAddress() throws {
        let answer = HTTPResponse.json(
            #"{"device_code":"d","user_code":"AAAA","verification_uri":"https://evil.example/","expires_in":900}"#)
        #expect(try outcome(answer) == "quit=1\n" && prompts.isEmpty)
        #expect(doubles.errors == [signInFailure(.foreignAddress)])
    }

    @Test("prints one notice while it waits for another process's sign-in, and uses its token")
    func followed() throws {
        doubles.locks.turnsUntilFree = 5
        doubles.locks.whenAcquired = { [helper] in helper.brought("gho_sibling") }
        #expect(try get().contains("gho_sibling") && requests.isEmpty && prompts.isEmpty)
        #expect(notices == [.waitingForOtherSignIn(.elsewhere)])
    }

    @Test("uses the other process's token although an earlier account needs a refresh")
    func followedBehindAnother() throws {
        doubles.locks.whenAcquired = { [helper] in
            helper.stored(expiresIn: -10, user: "hubot")
            helper.stored(expiresIn: 3_600, password: "ghu_sibling")
        }
        #expect(try get().contains("ghu_sibling") && requests.isEmpty && prompts.isEmpty)
    }

    @Test("asks and prints nothing if the other process gave up")
    func gaveUp() throws {
        doubles.locks.predecessorGaveUp = true
        #expect(try outcome() == "quit=1\n" && doubles.errors.isEmpty && prompts.isEmpty)
    }

    @Test(
        "requests no code without a lock",
        arguments: [
            (LockError.timedOut, UserFacingError.otherNotFinished(host: "github.com")), (.impossible, .lockImpossible),
        ])
    func noLock(error: LockError, failure: UserFacingError) throws {
        doubles.locks.fault = error
        #expect(try outcome() == "quit=1\n" && doubles.errors == [failure])
    }
}
