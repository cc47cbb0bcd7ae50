import CredentialCore
import Helper
import Providers
import Share
import TestSupport
import Testing

@Suite("share: refreshing for a target, and what it calls rejected")
struct ShareRefreshTests {
    private static let quit = "quit=1\n"
    private static let new = "ghu_16C7e42F292c6912E7710c838347Ae178B4a"
    private static let rejected = "protocol=https\nhost=github.com\nusername=octocat\npassword=ghu_old"

    @Test("ten minutes left are enough; with less, the token is refreshed first, under the lock of the account")
    func margin() {
        let fixture = ShareFixture()
        fixture.helper.stored(expiresIn: 600, lifetime: 28_800)
        #expect(fixture.ask().contains("password=ghu_old\n") && fixture.doubles.locks.wanted.isEmpty)
        let late = ShareFixture()
        late.helper.stored(expiresIn: 599, lifetime: 28_800)
        late.doubles.transport.answer(GitHubAnswers.gitHubAppToken)
        #expect(late.ask() == "username=octocat\npassword=\(Self.new)\npassword_expiry_utc=1700028800\n")
        #expect(late.doubles.locks.wanted.count == 1 && late.doubles.locks.held == 0)
        #expect(late.doubles.keyring.credential(of: "octocat")?.password.text == Self.new)
    }

    @Test("what a refresh brings is looked at as well: a token without an end is not given away")
    func endless() {
        let fixture = ShareFixture()
        fixture.helper.stored(expiresIn: 100, lifetime: 28_800)
        fixture.doubles.transport.answer(
            .json(#"{"access_token":"ghu_endless","refresh_token":"ghr_new","scope":"","token_type":"bearer"}"#))
        #expect(fixture.ask() == Self.quit && fixture.refusals == [.doesNotExpire])
        #expect(fixture.doubles.keyring.credential(of: "octocat")?.password.text == "ghu_endless")
        // Nor later, when nothing has to be refreshed.
        #expect(fixture.ask() == Self.quit)
    }

    @Test("ten minutes are never more than a quarter of the token's life", arguments: [(147, 590), (600, 2_400)])
    func quarter(seconds: Int64, lifetime: Int64) {
        let fixture = ShareFixture()
        fixture.helper.stored(expiresIn: seconds, lifetime: lifetime)
        for _ in 0..<20 { #expect(fixture.ask().contains("password=ghu_old\n")) }
        #expect(fixture.doubles.transport.requests.isEmpty)
        let late = ShareFixture()
        late.helper.stored(expiresIn: seconds - 1, lifetime: lifetime)
        late.doubles.transport.answer(GitHubAnswers.gitHubAppToken)
        #expect(late.ask().contains(Self.new))
    }

    @Test("one refresh a minute at most, whatever comes of it; meanwhile a token serves while it lives")
    func oneRefreshAMinute() {
        let fixture = ShareFixture()
        fixture.helper.stored(expiresIn: 50, lifetime: 600)
        for _ in 0..<3 { fixture.doubles.transport.answer(HTTPResponse(status: 500)) }
        for _ in 0..<20 { #expect(fixture.ask().contains("password=ghu_old\n")) }
        #expect(fixture.doubles.transport.requests.count == 1)
        fixture.doubles.clock.advance(milliseconds: 59_999)
        #expect(fixture.ask() == Self.quit && fixture.doubles.transport.requests.count == 1)
        fixture.doubles.clock.advance(milliseconds: 1)
        #expect(fixture.ask() == Self.quit && fixture.doubles.transport.requests.count == 2)
    }

    @Test("a token that the host has rejected is refreshed in the first half of its life as well, once a minute")
    func rejectedWhileYoung() {
        let fixture = ShareFixture()
        fixture.helper.stored(expiresIn: 580, lifetime: 590)
        for _ in 0..<2 {
            fixture.doubles.transport.answer(GitHubAnswers.badCredentials)
            fixture.doubles.transport.answer(HTTPResponse(status: 500))
        }
        for _ in 0..<20 { _ = fixture.ask("erase", Self.rejected) }
        #expect(fixture.doubles.transport.requests.map { $0["refresh_token"] } == [nil, "ghr_old"])
    }

    @Test("what another process has refreshed while we waited is used while it lives")
    func sibling() {
        let fixture = ShareFixture()
        fixture.helper.stored(expiresIn: 100)
        fixture.doubles.locks.whenAcquired = {
            fixture.helper.stored(expiresIn: 200, refreshToken: "ghr_second", password: "ghu_second")
        }
        #expect(fixture.ask().contains("password=ghu_second\n") && fixture.doubles.transport.requests.isEmpty)
    }

    @Test("a token that cannot be refreshed now serves while it lives, and is quit=1 when it does not")
    func offline() {
        let fixture = ShareFixture()
        fixture.helper.stored(expiresIn: 300)
        fixture.doubles.transport.fail(.unreachable)
        #expect(fixture.ask().contains("password=ghu_old\n"))
        let dead = ShareFixture()
        dead.helper.stored(expiresIn: -10)
        dead.doubles.transport.fail(.unreachable)
        #expect(dead.ask() == Self.quit && dead.refusals == [.expired])
        #expect(dead.doubles.keyring.credential(of: "octocat")?.oauthRefreshToken != nil)
    }

    @Test("a refresh token that the host no longer takes leads to no sign-in")
    func spent() {
        let fixture = ShareFixture()
        fixture.helper.stored(expiresIn: -10)
        fixture.doubles.transport.answer(GitHubAnswers.badRefreshToken)
        #expect(fixture.ask() == Self.quit && fixture.refusals == [.expired])
        #expect(fixture.doubles.ui.prompts.isEmpty && fixture.doubles.transport.requests.count == 1)
    }

    @Test("a configuration that cannot be read sends nothing, and a token that lives is answered")
    func configuration() {
        let fixture = ShareFixture()
        fixture.doubles.configurationFault = .failed
        fixture.helper.stored(expiresIn: 300)
        #expect(fixture.ask().contains("password=ghu_old\n"))
        let dead = ShareFixture()
        dead.doubles.configurationFault = .failed
        dead.helper.stored(expiresIn: -10)
        #expect(dead.ask() == Self.quit && dead.refusals == [.configuration])
        #expect(dead.doubles.transport.requests.isEmpty)
    }

    @Test("erase deletes nothing: the host is asked, and if it accepts the token, all stays as it is")
    func accepted() {
        let fixture = ShareFixture()
        fixture.helper.stored(expiresIn: 3_600)
        fixture.doubles.transport.answer(GitHubAnswers.user("octocat"))
        #expect(fixture.ask("erase", Self.rejected).isEmpty)
        #expect(fixture.doubles.transport.requests.count == 1 && !fixture.doubles.keyring.calls.contains(.remove))
        #expect(fixture.ask().contains("password=ghu_old\n"))
    }

    @Test("erase: a token that the host rejects is refreshed, though it had hours left")
    func replaced() {
        let fixture = ShareFixture()
        fixture.helper.stored(expiresIn: 3_600)
        fixture.doubles.transport.answer(GitHubAnswers.badCredentials)
        fixture.doubles.transport.answer(GitHubAnswers.gitHubAppToken)
        #expect(fixture.ask("erase", Self.rejected).isEmpty)
        #expect(fixture.events == [.replaced(host: "github.com", username: "octocat")])
        #expect(fixture.ask().contains(Self.new) && !fixture.doubles.keyring.calls.contains(.remove))
    }

    @Test("erase: the host is asked once a minute at most")
    func rate() {
        let fixture = ShareFixture()
        fixture.helper.stored(expiresIn: 3_600)
        for _ in 0..<3 { fixture.doubles.transport.answer(GitHubAnswers.user("octocat")) }
        for _ in 0..<20 { _ = fixture.ask("erase", Self.rejected) }
        #expect(fixture.doubles.transport.requests.count == 1)
        fixture.doubles.clock.advance(milliseconds: 59_999)
        _ = fixture.ask("erase", Self.rejected)
        #expect(fixture.doubles.transport.requests.count == 1)
        fixture.doubles.clock.advance(milliseconds: 1)
        _ = fixture.ask("erase", Self.rejected)
        #expect(fixture.doubles.transport.requests.count == 2)
    }

    @Test(
        "erase: a password that is not the stored one, none, or another account asks nobody",
        arguments: [
            "username=octocat\npassword=ghu_other", "username=octocat", "username=second\npassword=ghu_old",
            "password=",
        ])
    func otherPassword(lines: String) {
        let fixture = ShareFixture()
        fixture.helper.stored(expiresIn: 3_600)
        #expect(fixture.ask("erase", "protocol=https\nhost=github.com\n\(lines)").isEmpty)
        #expect(fixture.doubles.transport.requests.isEmpty && !fixture.doubles.keyring.calls.contains(.remove))
    }

    @Test("erase: a rejected token that cannot be refreshed stays, for the person to see")
    func unrenewable() {
        let fixture = ShareFixture()
        fixture.helper.stored(expiresIn: 3_600, refreshToken: nil)
        fixture.doubles.transport.answer(GitHubAnswers.badCredentials)
        _ = fixture.ask("erase", Self.rejected)
        #expect(fixture.doubles.keyring.credential(of: "octocat")?.password.text == "ghu_old")
        #expect(fixture.doubles.transport.requests.count == 1)
    }

    @Test("for a host of the target where nobody signs in, erase does nothing at all")
    func plainStore() {
        let fixture = ShareFixture("other.example", isLongLived: true)
        fixture.helper.brought("typed", host: "other.example")
        _ = fixture.ask("erase", "protocol=https\nhost=other.example\nusername=octocat\npassword=typed")
        #expect(fixture.doubles.keyring.items.count == 1 && fixture.doubles.transport.requests.isEmpty)
    }
}
