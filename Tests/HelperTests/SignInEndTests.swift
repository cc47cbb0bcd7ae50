import CredentialCore
import Helper
import Messages
import Providers
import TestSupport
import Testing

@Suite("get: the end of a code")
struct SignInEndTests {
    private let helper = HelperFixture()
    private var doubles: Doubles { helper.doubles }

    /// A code that ends so many seconds after it came.
    private func code(expiresIn seconds: Int, interval: Int = 5) -> HTTPResponse {
        .json(
            """
            {"device_code":"d","user_code":"AAAA","verification_uri":"https://github.com/login/device",\
            "expires_in":\(seconds),"interval":\(interval)}
            """)
    }

    private func failure(_ error: SignInError) -> UserFacingError? {
        .signIn(error, host: "github.com", clientID: "Iv1.0123456789abcdef")
    }

    /// Whether each code was waited for until its end, and not a moment longer.
    private func expectEnds(after seconds: Int64) {
        let ends = doubles.ui.prompts.map(\.end)
        let start = (ends.first ?? 0) - seconds * 1_000
        #expect(ends == (1...3).map { start + $0 * seconds * 1_000 })
        #expect(doubles.clock.uptimeMilliseconds == ends.last)
        #expect(doubles.errors == [failure(.expired)] && doubles.transport.isExhausted)
        let polls = doubles.transport.requests.filter { $0["device_code"] != nil }
        #expect(polls.allSatisfy { $0.deadline.map(ends.contains) ?? false })
    }

    @Test("our own clock ends a code as well, if the server never does; the third is the last")
    func ownClock() throws {
        for _ in 1...3 {
            doubles.transport.answer(code(expiresIn: 15))
            for _ in 1...2 { doubles.transport.answer(GitHubAnswers.pending) }
        }
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.ui.waits == [6_000, 6_000, 3_000, 6_000, 6_000, 3_000, 6_000, 6_000, 3_000])
        expectEnds(after: 15)
    }

    @Test(
        "no wait goes beyond the end, however the interval grows",
        arguments: [
            (20, [6_000, 12_000, 2_000]), (60, [6_000, 12_000, 24_000, 16_000, 2_000]),
            (61, [6_000, 12_000, 24_000, 17_000, 2_000]), (1, [1_000]), (6, [6_000]), (7, [5_000, 2_000]),
        ] as [(Int, [Int64])])
    func faults(seconds: Int, waits: [Int64]) throws {
        for _ in 1...3 {
            doubles.transport.answer(code(expiresIn: seconds))
            for _ in waits.dropFirst() { doubles.transport.fail(.timedOut) }
        }
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.ui.waits == waits + waits + waits)
        expectEnds(after: Int64(seconds))
    }

    @Test("what was approved while the network was down is found before the code ends")
    func lastPoll() throws {
        doubles.transport.answer(code(expiresIn: 40))
        for _ in 1...2 { doubles.transport.fail(.unreachable) }
        doubles.transport.answer(GitHubAnswers.oauthAppToken)
        doubles.transport.answer(GitHubAnswers.user("octocat"))
        #expect(try helper.get().contains("gho_16C7"))
        #expect(doubles.ui.waits == [6_000, 12_000, 20_000])
    }

    @Test("an answer that takes the rest of the time is not followed by another wait")
    func slowAnswer() throws {
        doubles.transport.answer(code(expiresIn: 20))
        doubles.transport.beforeAnswer = { [doubles] request in
            guard let deadline = request.deadline else { return }
            doubles.clock.advance(milliseconds: deadline - doubles.clock.uptimeMilliseconds)
        }
        doubles.transport.fail(.timedOut)
        doubles.transport.answer(GitHubAnswers.denied)
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.ui.waits == [6_000])
    }

    @Test("an answer that is too large ends the sign-in at once: it is the server's, and no fault on the way")
    func tooLarge() throws {
        doubles.transport.answer(code(expiresIn: 900))
        doubles.transport.fail(.tooLarge)
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.errors == [failure(.malformedAnswer)] && doubles.ui.waits == [6_000])
    }

    @Test("a Retry-After beyond the end of the code ends the sign-in with the server's status")
    func retryAfter() throws {
        doubles.transport.answer(code(expiresIn: 300))
        doubles.transport.answer(.page(status: 503, headers: [("retry-after", "600")]))
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.errors == [failure(.unavailable(status: 503))] && doubles.ui.waits == [6_000])
    }

    @Test("one within it is waited out")
    func shortRetryAfter() throws {
        doubles.transport.answer(code(expiresIn: 300))
        doubles.transport.answer(.page(status: 429, headers: [("retry-after", "120")]))
        doubles.transport.answer(GitHubAnswers.denied)
        #expect(try helper.get() == "quit=1\n")
        #expect(doubles.errors == [failure(.declined)] && doubles.ui.waits == [6_000, 144_000])
    }
}
