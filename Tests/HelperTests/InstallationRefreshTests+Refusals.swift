import TestSupport
import Testing

/// Refusals by the host, and answers that no honest host returns.
extension InstallationRefreshTests {
    @Test(
        "limits the host's waiting time to a day, or to an hour if a date names it",
        arguments: [
            ("retry-after", "0", 1), ("retry-after", "61", 2), ("retry-after", "7200", 120),
            ("retry-after", "9223372036854775807", 1_440), ("x-ratelimit-reset", "1", 1),
            ("x-ratelimit-reset", "9223372036854775807", 60), ("retry-after", "-1", 60),
        ])
    func rateLimit(header: String, value: String, minutes: Int64) throws {
        for status in [429, 403] {
            respond(.page(status: status, headers: [(header, value), ("x-ratelimit-remaining", "0")]))
            _ = try get()
        }
        let limited = InstallationFailure.rateLimited(minutes: minutes).words(host: "github.com")
        #expect(doubles.errors == [limited, limited])
    }

    @Test("recognizes a rate limit that only the message names")
    func secondaryRateLimit() throws {
        respond(.json(#"{"message":"You have exceeded a secondary rate limit."}"#, status: 403))
        _ = try get()
        #expect(failed(.rateLimited(minutes: 60)))
    }

    @Test("requests no third token for a minute after two refusals in a row")
    func exhausted() throws {
        stored("ghs_one", expiresIn: 3_600)
        try helper.run(
            .erase, "protocol=https\nhost=github.com\npath=acme/x\nusername=x-access-token\npassword=ghs_one")
        #expect(credential(of: "x-access-token")?.password.isEmpty == true)
        respond(installation(), token("ghs_two"))
        #expect(try get().contains("ghs_two"))
        try helper.run(
            .erase, "protocol=https\nhost=github.com\npath=acme/x\nusername=x-access-token\npassword=ghs_two")
        #expect(try get() == "quit=1\n")
        #expect(failed(.exhausted(owner: "acme")) && requests.count == 2)
        doubles.clock.advance(milliseconds: 61_000)
        respond(installation(), token("ghs_three"))
        #expect(try get().contains("ghs_three"))
    }

    @Test("ignores two refusals with a date in the future, from a clock that was ahead")
    func exhaustedInTheFuture() throws {
        stored("", expiresIn: -1, exhaustedAt: RecordingClock.start + 36_000)
        respond(installation(), token("ghs_next"))
        #expect(try get().contains("ghs_next"))
    }

    @Test(
        "takes no token from a hostile answer",
        arguments: [
            "{}", "[]", "null", "", "{\"token\":7,\"expires_at\":\"2023-11-14T23:13:20Z\"}", "{\"token\":\"ghs_x\"}",
            "{\"token\":\"ghs_x\",\"expires_at\":7}", "{\"token\":\"ghs_x\",\"expires_at\":\"soon\"}",
            "{\"token\":\"ghs_x\",\"expires_at\":\"2023-11-14T22:13:20Z\"}",
            "{\"token\":\"ghs_x\",\"expires_at\":\"2024-11-14T22:13:20Z\"}",
            "{\"token\":\"ghs_x\",\"expires_at\":\"2023-13-41T99:99:99Z\"}",
            "{\"token\":\"ghs_x\\nquit=1\",\"expires_at\":\"2023-11-14T23:13:20Z\"}",
            "{\"token\":\"ghs_x\\u0000\",\"expires_at\":\"2023-11-14T23:13:20Z\"}",
            "{\"token\":\"ghs_x\\u001b\",\"expires_at\":\"2023-11-14T23:13:20Z\"}",
            "{\"token\":\"\",\"expires_at\":\"2023-11-14T23:13:20Z\"}",
            "{\"token\":\"ghs_x\",\"token\":\"ghs_y\",\"expires_at\":\"2023-11-14T23:13:20Z\"}",
            "{\"token\":\"" + String(repeating: "x", count: 20_000) + "\",\"expires_at\":\"2023-11-14T23:13:20Z\"}",
        ])
    func hostileToken(body: String) throws {
        respond(installation(), .json(body, status: 201, headers: Self.date))
        #expect(try get() == "quit=1\n")
        #expect(failed(.malformed(status: 201)) && doubles.keyring.items.isEmpty)
    }

    @Test(
        "takes no installation from a hostile answer",
        arguments: [
            "{}", "[]", "{\"id\":\"42\",\"account\":{\"login\":\"acme\"}}",
            "{\"id\":-1,\"account\":{\"login\":\"acme\"}}", "{\"id\":42,\"account\":{\"login\":\"beta\"}}",
            "{\"id\":42,\"account\":{\"login\":\"acme\\u001b\"}}", "{\"id\":42}",
            "{\"id\":1e99,\"account\":{\"login\":\"acme\"}}", "{\"id\":42,\"account\":\"acme\"}",
        ])
    func hostileInstallation(body: String) throws {
        respond(.json(body, headers: Self.date))
        #expect(try get() == "quit=1\n")
        #expect(failed(.malformed(status: 200)) && requests.count == 1)
    }

    @Test("sends nothing for a path without a valid owner", arguments: ["..", "a%2fb/c", "ab.git", "ä/b"])
    func hostilePath(path: String) throws {
        #expect(try get(path) == "quit=1\n")
        #expect(failed(.noOwner) && requests.isEmpty)
    }
}
