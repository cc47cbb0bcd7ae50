import CredentialCore
import Helper
import Share
import TestSupport
import Testing

@Suite("share: the person's yes and no")
struct ShareConsentTests {
    private static let quit = "quit=1\n"

    private func fixture(
        _ confirmation: ShareTarget.Confirmation?, kind: ShareTarget.Kind = .directory
    ) -> ShareFixture {
        let fixture = ShareFixture("github.com", "ghe.example", confirmation: confirmation, kind: kind)
        fixture.helper.stored(expiresIn: 100_000)
        fixture.helper.stored(expiresIn: 100_000, host: "ghe.example")
        return fixture
    }

    @Test("by default a directory that was mounted by hand never asks, and ssh asks once")
    func defaults() {
        let directory = fixture(nil)
        #expect(directory.ask() != Self.quit && directory.screen.questions.isEmpty)
        let ssh = fixture(nil, kind: .ssh(destination: "devbox"))
        #expect(ssh.ask() != Self.quit && ssh.ask() != Self.quit && ssh.screen.questions.count == 1)
    }

    @Test("the question has the target, the host and the account, and nothing of the request")
    func question() {
        let fixture = fixture(.once)
        let evil = "protocol=https\nhost=github.com\nwwwauth[]=Basic realm=\"Press Allow\"\npath=acme/urgent"
        #expect(fixture.ask("get", evil).contains("password=ghu_old"))
        let question = fixture.screen.questions.first
        #expect(question?.host == "github.com" && question?.username == "octocat")
        #expect(question?.target.name.text == "ssh-box" && fixture.screen.questions.count == 1)
    }

    @Test("once: for one host and account, and for eight hours")
    func once() {
        let fixture = fixture(.once)
        _ = fixture.ask()
        #expect(fixture.isHolding)
        fixture.wait(minutes: 8 * 60 - 1)
        #expect(fixture.ask() != Self.quit && fixture.screen.questions.count == 1)
        _ = fixture.ask("get", "protocol=https\nhost=ghe.example")
        #expect(fixture.screen.questions.count == 2)
        fixture.wait(minutes: 1)
        _ = fixture.ask()
        #expect(fixture.screen.questions.count == 3)
    }

    @Test("once: until the screen is locked, even if it is open again when the target next asks")
    func lock() {
        let fixture = fixture(.once)
        _ = fixture.ask()
        fixture.screen.isLocked = true
        fixture.wait(minutes: 1)
        fixture.screen.isLocked = false
        #expect(!fixture.isHolding)
        _ = fixture.ask()
        #expect(fixture.screen.questions.count == 2)
    }

    @Test("each: every request is asked about, but those that came while the question was there share its answer")
    func each() {
        let fixture = fixture(.each)
        let before = fixture.doubles.clock.uptimeMilliseconds
        _ = fixture.ask()
        #expect(fixture.ask(arrivedAt: before + 500) != Self.quit && fixture.screen.questions.count == 1)
        // Another account was not asked about.
        _ = fixture.ask("get", "protocol=https\nhost=ghe.example", arrivedAt: before + 500)
        #expect(fixture.screen.questions.count == 2)
        fixture.wait(minutes: 1)
        #expect(fixture.ask() != Self.quit && fixture.screen.questions.count == 3)
    }

    @Test(
        "a no, no answer, and nobody to ask are quit=1, and nobody is asked again for ten minutes",
        arguments: [ShareRefusal.denied, .unanswered, .nobodyToAsk])
    func no(refusal: ShareRefusal) {
        let fixture = fixture(.once)
        fixture.screen.answer = refusal
        #expect(fixture.ask() == Self.quit)
        fixture.wait(minutes: 9)
        #expect(fixture.ask() == Self.quit)
        #expect(fixture.ask("get", "protocol=https\nhost=ghe.example") == Self.quit)
        #expect(fixture.screen.questions.count == 1)
        #expect(fixture.refusals == [refusal, .silenced, .silenced])
        fixture.wait(minutes: 1)
        fixture.screen.answer = nil
        #expect(fixture.ask() != Self.quit && fixture.screen.questions.count == 2)
    }

    @Test("a no for one host leaves the yes for another as it is")
    func noForAnother() {
        let fixture = fixture(.once)
        _ = fixture.ask()
        fixture.screen.answer = .denied
        #expect(fixture.ask("get", "protocol=https\nhost=ghe.example") == Self.quit)
        #expect(fixture.ask() != Self.quit && fixture.screen.questions.count == 2)
    }

    @Test("a no is the answer of all that came while the question was there")
    func sharedNo() {
        let fixture = fixture(.once)
        fixture.screen.answer = .denied
        let before = fixture.doubles.clock.uptimeMilliseconds
        _ = fixture.ask()
        #expect(fixture.ask(arrivedAt: before + 500) == Self.quit)
        #expect(fixture.refusals == [.denied, .denied] && fixture.screen.questions.count == 1)
    }

    @Test("a locked screen is a no, and shows nothing; whoever unlocks it can be asked at once")
    func locked() {
        let fixture = fixture(.once)
        fixture.screen.isLocked = true
        #expect(fixture.ask() == Self.quit && fixture.refusals == [.locked] && fixture.screen.questions.isEmpty)
        fixture.screen.isLocked = false
        #expect(fixture.ask() != Self.quit)
    }

    @Test("where nothing tells whether the screen is locked, the question decides")
    func unknown() {
        let fixture = fixture(.once)
        fixture.screen.isLocked = nil
        #expect(fixture.ask() != Self.quit && fixture.screen.questions.count == 1)
    }

    @Test("never: a locked screen is none of the target's business")
    func never() {
        let fixture = fixture(.never)
        fixture.screen.isLocked = true
        #expect(fixture.ask() != Self.quit && fixture.screen.questions.isEmpty)
    }

    @Test("nobody is asked about a token that the target will not get")
    func pointless() {
        let fixture = ShareFixture("github.com", confirmation: .each)
        #expect(fixture.ask() == Self.quit)
        fixture.helper.stored(expiresIn: nil, refreshToken: nil)
        #expect(fixture.ask() == Self.quit)
        #expect(fixture.screen.questions.isEmpty && fixture.refusals == [.notSignedIn, .doesNotExpire])
    }
}
