import TestSupport
import Testing

@Suite("Polls for the token")
struct DeviceFlowPollTests {
    private let transport = ScriptedTransport(GitHubAnswers.device)
    private let client: OAuthClient
    private let authorization: DeviceAuthorization

    init() throws {
        let host = try #require(SignInHost(builtIn: HostName(name: "github.com")))
        client = try OAuthClient(id: "Iv1.a", of: host)
        authorization = try client.requestCode(over: transport)
    }

    /// Returns the result of one response, and the interval after it.
    private func poll(_ response: HTTPResponse) throws -> (poll: OAuthClient.Poll, interval: Int64) {
        try poll(.success(response))
    }

    private func poll(
        _ result: Result<HTTPResponse, TransportError>
    ) throws -> (poll: OAuthClient.Poll, interval: Int64) {
        transport.answer(result)
        var polling = Polling(interval: authorization.interval)
        let poll = try client.poll(authorization, &polling, deadline: 9_000, over: transport)
        return (poll, polling.interval)
    }

    private func isWaiting(_ poll: OAuthClient.Poll) -> Bool { if case .waiting = poll { true } else { false } }

    /// Returns the interval of a poll after which the sign-in waits.
    private func isWaiting(_ result: (poll: OAuthClient.Poll, interval: Int64)) -> Int64? {
        isWaiting(result.poll) ? result.interval : nil
    }

    @Test("sends a form with client, code and grant type, and no secret")
    func request() throws {
        _ = try poll(GitHubAnswers.pending)
        let sent = try #require(transport.requests.last)
        #expect(sent.method == "POST" && sent.address == "https://github.com/login/oauth/access_token")
        #expect(sent.fields.map(\.name) == ["client_id", "device_code", "grant_type"])
        #expect(sent["device_code"] == "3584d83530557fdd1f46af8289938c8ef79f9dc5")
        #expect(sent["grant_type"] == "urn:ietf:params:oauth:grant-type:device_code")
        #expect(sent.accept == "application/json" && sent.isInterruptible && sent.deadline == 9_000)
    }

    @Test("ends the polling after three server errors, and never after a proxy's page or a rate limit")
    func serverErrors() throws {
        var polling = Polling(interval: 5)
        func poll(_ response: HTTPResponse) throws -> OAuthClient.Poll {
            transport.answer(response)
            return try client.poll(authorization, &polling, deadline: 9_000, over: transport)
        }
        let error = HTTPResponse.json(#"{"error":"server_error","error_description":"no disk"}"#, status: 500)
        let limit = HTTPResponse.json(#"{"error":"rate_limited"}"#, status: 429)
        for response in [error, .page(status: 502), .page(status: 502), error, .json("{}", status: 500), limit] {
            #expect(isWaiting(try poll(response)))
        }
        #expect(throws: SignInError.unavailable(status: 500, saying: "server_error (no disk)")) { try poll(error) }
    }

    @Test("keeps the interval while the approval is pending")
    func pending() throws { #expect(try isWaiting(poll(GitHubAnswers.pending)) == 5) }

    @Test(
        "adds five seconds after slow_down, or takes the server's interval if that is longer",
        arguments: [(nil, 10), (10, 10), (15, 15), (5, 10), (1, 10), (-5, 10)] as [(Int?, Int64)])
    func slowDown(serverInterval: Int?, expected: Int64) throws {
        #expect(try isWaiting(poll(GitHubAnswers.slowDown(interval: serverInterval))) == expected)
    }

    @Test("returns the token after the approval")
    func approved() throws {
        guard case .approved(let token) = try poll(GitHubAnswers.oauthAppToken).poll else {
            return #expect(Bool(false), "approved")
        }
        #expect(token.accessToken.text.hasPrefix("gho_"))
    }

    @Test("reports an expired code as such", arguments: ["expired_token", "token_expired"])
    func expired(code: String) throws {
        guard case .expired = try poll(GitHubAnswers.error(code, "?")).poll else {
            return #expect(Bool(false), "expired")
        }
    }

    @Test(
        "ends the polling after any other error (RFC 8628, 3.5: MUST stop), which it reports",
        arguments: [
            (.success(GitHubAnswers.error("access_denied", "?")), .declined),
            (.success(GitHubAnswers.error("invalid_grant", "?")), .invalidGrant),
            (.success(GitHubAnswers.error("unsupported_grant_type", "?")), .refused("unsupported_grant_type (?)")),
            (.success(.json(#"{"access_token":"a\tb","token_type":"bearer"}"#)), .malformedAnswer),
            (.success(HTTPResponse(status: 302)), .malformedAnswer), (.failure(.tooLarge), .malformedAnswer),
            (.failure(.untrusted), .transport(.untrusted)), (.failure(.interrupted), .cancelled),
            (.failure(.misconfigured(.libraryStart)), .transport(.misconfigured(.libraryStart))),
        ] as [(Result<HTTPResponse, TransportError>, SignInError)])
    func stops(result: Result<HTTPResponse, TransportError>, expected: SignInError) {
        #expect(throws: expected) { try poll(result) }
    }

    @Test(
        "doubles the interval if the server is in trouble, and after a temporary transport error (RFC 8628, 3.5)",
        arguments: [
            .success(.page(status: 500)), .success(.page(status: 502)), .success(.page(status: 503)),
            .success(.page(status: 429)), .success(.page(status: 403)), .failure(.unreachable), .failure(.timedOut),
            .failure(.proxy(setting: "http.proxy")), .failure(.malformed),
        ] as [Result<HTTPResponse, TransportError>])
    func trouble(result: Result<HTTPResponse, TransportError>) throws { #expect(try isWaiting(poll(result)) == 10) }

    @Test(
        "obeys Retry-After up to a quarter of an hour",
        arguments: [("120", 120), ("900", 900), ("901", nil), ("Wed, 21 Oct 2026 07:28:00 GMT", nil)]
            as [(String, Int64?)])
    func retryAfter(value: String, expected: Int64?) throws {
        let (poll, interval) = try poll(.page(status: 429, headers: [("retry-after", value)]))
        guard let expected else {
            #expect(isWaiting(poll) && interval == 10)
            return
        }
        guard case .postponed(status: 429) = poll else { return #expect(Bool(false), "postponed") }
        #expect(interval == max(10, expected))
    }
}

@Suite("Intervals of polls")
struct PollingTests {
    @Test("waits a fifth longer than the interval, because clocks of virtual machines run fast")
    func margin() { #expect(Polling(interval: 5).wait == 6_000) }

    @Test("adds every slow_down for the rest of the sign-in, up to a minute (openclaw PR#103434)")
    func slowDown() {
        var polling = Polling(interval: 5)
        var intervals: [Int64] = []
        for _ in 0..<100 {
            polling.slowDown(to: nil)
            intervals.append(polling.interval)
        }
        #expect(intervals.prefix(4).elementsEqual([10, 15, 20, 25]) && intervals.last == 60)
        // The server's interval may be shorter than the sum.
        polling = Polling(interval: 20)
        polling.slowDown(to: 10)
        #expect(polling.interval == 25)
    }

    @Test("doubles the interval after trouble up to a minute, and never shortens it")
    func backOff() {
        var polling = Polling(interval: 5)
        polling.backOff()
        #expect(polling.interval == 10)
        for _ in 1...9 { polling.backOff() }
        #expect(polling.interval == 60)
        polling.postpone(by: 90)
        #expect(polling.interval == 90)
        polling.postpone(by: 1)
        polling.slowDown(to: 5)
        #expect(polling.interval == 90)
    }

    @Test(
        "polls early before the code's end, but not before the server's interval",
        arguments: [
            (left: 20_000, 12_000), (12_000, 12_000), (11_999, 11_999), (5_000, 5_000), (4_999, nil), (0, nil),
            (-1_000, nil),
        ] as [(left: Int64, wait: Int64?)])
    func lastPoll(left: Int64, wait: Int64?) {
        var polling = Polling(interval: 5)
        polling.backOff()
        #expect(polling.wait(within: left) == wait)
    }

    @Test("never polls before the interval that the server has asked for", arguments: [10, 120] as [Int64])
    func demanded(seconds: Int64) {
        var polling = Polling(interval: 5)
        if seconds == 10 { polling.slowDown(to: nil) } else { polling.postpone(by: seconds) }
        polling.backOff()
        #expect(polling.wait(within: seconds * 1_000) == seconds * 1_000)
        #expect(polling.wait(within: seconds * 1_000 - 1) == nil)
    }
}
