import TestSupport
import Testing

@Suite("get: the expiry of a code")
struct SignInEndTests: HelperSuite {
    let helper = HelperFixture()

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
