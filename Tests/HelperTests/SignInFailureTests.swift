import TestSupport
import Testing

@Suite("get: failed sign-ins, and the expiry of a code")
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

    @Test("requests a new code after one expires, twice at most, and then asks no more in this command")
    func expired() throws {
        for _ in 1...3 { respond(GitHubAnswers.device, GitHubAnswers.expired) }
        #expect(try outcome() == "quit=1\n" && doubles.signInNotes.refusals == 1)
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

    // MARK: The expiry of a code

    /// Checks that each code was polled exactly until its end.
    private func expectEnds(after seconds: Int64) {
        let ends = prompts.map(\.end)
        let start = (ends.first ?? 0) - seconds * 1_000
        #expect(ends == (1...3).map { start + $0 * seconds * 1_000 })
        #expect(doubles.clock.uptimeMilliseconds == ends.last)
        #expect(doubles.errors == [signInFailure(.expired)] && doubles.transport.isExhausted)
        let polls = requests.filter { $0["device_code"] != nil }
        #expect(polls.allSatisfy { $0.deadline.map(ends.contains) ?? false })
    }

    @Test("ends a code by our own clock if the server does not, and requests three at most")
    func ownClock() throws {
        for _ in 1...3 {
            respond(GitHubAnswers.device(expiresIn: 15))
            for _ in 1...2 { respond(GitHubAnswers.pending) }
        }
        #expect(try get() == "quit=1\n")
        #expect(doubles.ui.waits == [6_000, 6_000, 3_000, 6_000, 6_000, 3_000, 6_000, 6_000, 3_000])
        expectEnds(after: 15)
    }

    @Test(
        "waits in no poll beyond the code's end, however the interval grows",
        arguments: [
            (20, [6_000, 12_000, 2_000]), (60, [6_000, 12_000, 24_000, 16_000, 2_000]),
            (61, [6_000, 12_000, 24_000, 17_000, 2_000]), (1, [1_000]), (6, [6_000]), (7, [5_000, 2_000]),
        ] as [(Int, [Int64])])
    func faults(seconds: Int, waits: [Int64]) throws {
        for _ in 1...3 {
            respond(GitHubAnswers.device(expiresIn: seconds))
            for _ in waits.dropFirst() { doubles.transport.fail(.timedOut) }
        }
        #expect(try get() == "quit=1\n" && doubles.ui.waits == waits + waits + waits)
        expectEnds(after: Int64(seconds))
    }

    @Test("finds an approval from a network outage before the code ends")
    func lastPoll() throws {
        respond(GitHubAnswers.device(expiresIn: 40))
        for _ in 1...2 { doubles.transport.fail(.unreachable) }
        respond(GitHubAnswers.oauthAppToken, GitHubAnswers.user("octocat"))
        #expect(try get().contains("gho_16C7") && doubles.ui.waits == [6_000, 12_000, 20_000])
    }

    @Test("does not wait again after an answer that takes the rest of the time")
    func slowAnswer() throws {
        respond(GitHubAnswers.device(expiresIn: 20))
        doubles.transport.beforeAnswer = { [doubles] request in
            guard let deadline = request.deadline else { return }
            doubles.clock.advance(milliseconds: deadline - doubles.clock.uptimeMilliseconds)
        }
        doubles.transport.fail(.timedOut)
        respond(GitHubAnswers.denied)
        #expect(try get() == "quit=1\n" && doubles.ui.waits == [6_000])
    }

    @Test(
        "ends the sign-in at once after an answer that is too large, or with a Retry-After beyond the code's end",
        arguments: [(nil, .malformedAnswer), ("600", .unavailable(status: 503))] as [(String?, SignInError)])
    func hopeless(pause: String?, error: SignInError) throws {
        respond(GitHubAnswers.device(expiresIn: 300))
        if let pause {
            respond(.page(status: 503, headers: [("retry-after", pause)]))
        } else {
            doubles.transport.fail(.tooLarge)
        }
        #expect(try get() == "quit=1\n" && doubles.errors == [signInFailure(error)] && doubles.ui.waits == [6_000])
    }
}
