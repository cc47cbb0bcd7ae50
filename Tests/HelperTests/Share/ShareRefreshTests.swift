import TestSupport
import Testing

@Suite("share: refreshes and rejected tokens")
struct ShareRefreshTests {
    private static let quit = "quit=1\n"
    private static let new = "ghu_16C7e42F292c6912E7710c838347Ae178B4a"
    private static let rejected = "protocol=https\nhost=github.com\nusername=octocat\npassword=ghu_old"

    @Test("refreshes a token with less than ten minutes left, under the account's lock")
    func margin() {
        let fixture = ShareFixture(expiresIn: 600, lifetime: 28_800)
        #expect(fixture.ask().contains("password=ghu_old\n") && fixture.doubles.locks.wanted.isEmpty)
        let late = ShareFixture(expiresIn: 599, lifetime: 28_800)
        late.respond(GitHubAnswers.gitHubAppToken)
        #expect(late.ask() == "username=octocat\npassword=\(Self.new)\npassword_expiry_utc=1700028800\n")
        #expect(late.doubles.locks.wanted.count == 1 && late.doubles.locks.held == 0)
        #expect(late.password() == Self.new)
    }

    @Test("refuses a refreshed token that does not expire")
    func endless() {
        let fixture = ShareFixture(expiresIn: 100, lifetime: 28_800)
        fixture.respond(
            .json(#"{"access_token":"ghu_endless","refresh_token":"ghr_new","scope":"","token_type":"bearer"}"#))
        #expect(fixture.ask() == Self.quit && fixture.refusals == [.doesNotExpire])
        #expect(fixture.password() == "ghu_endless")
        // A later request without a refresh is refused too.
        #expect(fixture.ask() == Self.quit)
    }

    @Test("requires no more than a quarter of the token's lifetime", arguments: [(147, 590), (600, 2_400)])
    func quarter(seconds: Int64, lifetime: Int64) {
        let fixture = ShareFixture(expiresIn: seconds, lifetime: lifetime)
        for _ in 0..<20 { #expect(fixture.ask().contains("password=ghu_old\n")) }
        #expect(fixture.requests.isEmpty)
        let late = ShareFixture(expiresIn: seconds - 1, lifetime: lifetime)
        late.respond(GitHubAnswers.gitHubAppToken)
        #expect(late.ask().contains(Self.new))
    }

    @Test("refreshes once a minute at most, and returns a valid token meanwhile")
    func oneRefreshAMinute() {
        let fixture = ShareFixture(expiresIn: 50, lifetime: 600)
        for _ in 0..<3 { fixture.respond(HTTPResponse(status: 500)) }
        for _ in 0..<20 { #expect(fixture.ask().contains("password=ghu_old\n")) }
        #expect(fixture.requests.count == 1)
        fixture.doubles.clock.advance(milliseconds: 59_999)
        #expect(fixture.ask() == Self.quit && fixture.requests.count == 1)
        fixture.doubles.clock.advance(milliseconds: 1)
        #expect(fixture.ask() == Self.quit && fixture.requests.count == 2)
    }

    @Test("returns a token that another process refreshed while this one waited, as long as it is valid")
    func sibling() {
        let fixture = ShareFixture(expiresIn: 100)
        fixture.doubles.locks.whenAcquired = {
            fixture.helper.stored(expiresIn: 200, refreshToken: "ghr_second", password: "ghu_second")
        }
        #expect(fixture.ask().contains("password=ghu_second\n") && fixture.requests.isEmpty)
    }

    @Test(
        "returns a valid token that cannot be refreshed now, or without readable settings, and quit=1 for an expired one",
        arguments: [(nil, .expired), (.failed, .configuration)] as [(ConfigurationError?, ShareRefusal)])
    func offline(fault: ConfigurationError?, refusal: ShareRefusal) {
        for seconds in [100, -10] as [Int64] {
            let fixture = ShareFixture(expiresIn: seconds)
            fixture.doubles.configurationFault = fault
            if fault == nil { fixture.doubles.transport.fail(.unreachable) }
            let answer = fixture.ask()
            #expect(seconds > 0 ? answer.contains("password=ghu_old\n") : answer == Self.quit, "\(seconds) s")
            #expect(fixture.refusals == (seconds > 0 ? [] : [refusal]), "\(seconds) s")
            let isKept = fixture.credential()?.oauthRefreshToken != nil
            #expect(isKept && fixture.doubles.transport.isExhausted, "\(seconds) s")
        }
    }

    @Test("starts no sign-in if the host refuses the refresh token")
    func spent() {
        let fixture = ShareFixture(expiresIn: -10)
        fixture.respond(GitHubAnswers.badRefreshToken)
        #expect(fixture.ask() == Self.quit && fixture.refusals == [.expired])
        #expect(fixture.prompts.isEmpty && fixture.requests.count == 1)
    }

    @Test("erase removes nothing, asks the host, and keeps a token that it accepts")
    func accepted() {
        let fixture = ShareFixture(expiresIn: 3_600)
        fixture.respond(GitHubAnswers.user("octocat"))
        #expect(fixture.ask("erase", Self.rejected).isEmpty)
        #expect(fixture.requests.count == 1 && !fixture.doubles.keyring.calls.contains(.remove))
        #expect(fixture.ask().contains("password=ghu_old\n"))
    }

    @Test("erase refreshes a token that the host rejects, even with hours left")
    func replaced() {
        let fixture = ShareFixture(expiresIn: 3_600)
        fixture.respond(GitHubAnswers.badCredentials, GitHubAnswers.gitHubAppToken)
        #expect(fixture.ask("erase", Self.rejected).isEmpty)
        let line = "github.com: refreshed the token of octocat, because the server rejects it"
        #expect(fixture.events.flatMap(fixture.lines) == [line])
        #expect(fixture.ask().contains(Self.new) && !fixture.doubles.keyring.calls.contains(.remove))
    }

    @Test("erase asks the host once a minute at most, and refreshes in the first half of the lifetime too")
    func rate() {
        let fixture = ShareFixture(expiresIn: 3_600)
        for _ in 0..<3 { fixture.respond(GitHubAnswers.user("octocat")) }
        for _ in 0..<20 { _ = fixture.ask("erase", Self.rejected) }
        #expect(fixture.requests.count == 1)
        fixture.doubles.clock.advance(milliseconds: 59_999)
        _ = fixture.ask("erase", Self.rejected)
        #expect(fixture.requests.count == 1)
        fixture.doubles.clock.advance(milliseconds: 1)
        _ = fixture.ask("erase", Self.rejected)
        #expect(fixture.requests.count == 2)
        let young = ShareFixture(expiresIn: 580, lifetime: 590)
        for _ in 0..<2 { young.respond(GitHubAnswers.badCredentials, HTTPResponse(status: 500)) }
        for _ in 0..<20 { _ = young.ask("erase", Self.rejected) }
        #expect(young.requests.map { $0["refresh_token"] } == [nil, "ghr_old"])
    }

    @Test(
        "erase sends no request for another password or account, or without a password",
        arguments: [
            "username=octocat\npassword=ghu_other", "username=octocat", "username=second\npassword=ghu_old",
            "password=",
        ])
    func otherPassword(lines: String) {
        let fixture = ShareFixture(expiresIn: 3_600)
        #expect(fixture.ask("erase", "protocol=https\nhost=github.com\n\(lines)").isEmpty)
        #expect(fixture.requests.isEmpty && !fixture.doubles.keyring.calls.contains(.remove))
    }

    @Test("erase keeps a rejected token that cannot be refreshed, which the person can see, and any password")
    func unrenewable() {
        let fixture = ShareFixture()
        fixture.helper.stored(expiresIn: 3_600, refreshToken: nil)
        fixture.respond(GitHubAnswers.badCredentials)
        _ = fixture.ask("erase", Self.rejected)
        #expect(fixture.password() == "ghu_old" && fixture.requests.count == 1)
        let plain = ShareFixture("other.example", isLongLived: true)
        plain.helper.brought("typed", host: "other.example")
        _ = plain.ask("erase", "protocol=https\nhost=other.example\nusername=octocat\npassword=typed")
        #expect(plain.doubles.keyring.items.count == 1 && plain.requests.isEmpty)
    }
}
