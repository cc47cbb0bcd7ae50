import TestSupport
import Testing

@Suite("share: the person's approval")
struct ShareConsentTests {
    private static let quit = "quit=1\n"

    private func fixture(_ confirmation: SharePlan.Confirmation?, kind: SharePlan.Kind = .directory) -> ShareFixture {
        let fixture = ShareFixture(
            "github.com", "ghe.example", confirmation: confirmation, kind: kind, expiresIn: 100_000)
        fixture.helper.stored(expiresIn: 100_000, host: "ghe.example")
        return fixture
    }

    @Test("asks once for ssh, and never for a mounted directory, by default")
    func defaults() {
        let directory = fixture(nil)
        #expect(directory.ask() != Self.quit && directory.screen.questions.isEmpty)
        let ssh = fixture(nil, kind: .ssh(destination: "devbox"))
        #expect(ssh.ask() != Self.quit && ssh.ask() != Self.quit && ssh.screen.questions.count == 1)
    }

    @Test("asks with the target, the host and the account, and nothing from the request")
    func question() {
        let fixture = fixture(.once)
        let evil = "protocol=https\nhost=github.com\nwwwauth[]=Basic realm=\"Press Allow\"\npath=acme/urgent"
        #expect(fixture.ask("get", evil).contains("password=ghu_old"))
        let question = fixture.screen.questions.first
        #expect(question?.host == "github.com" && question?.username == "octocat")
        #expect(question?.plan.name.text == "ssh-box" && fixture.screen.questions.count == 1)
        #expect(
            question?.explanation.map(\.english) == [
                "A container or machine that uses your shared folder asks for it.", "Account: octocat",
                "You are asked again after 8 hours, or when you lock the screen.",
            ])
    }

    @Test("--confirm once: asks once for each host and account, for eight hours")
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

    @Test("--confirm once: asks again after a locked screen, even if it is open again")
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

    @Test("--confirm each: asks for every request, except those that arrived during the question")
    func each() {
        let fixture = fixture(.each)
        let before = fixture.doubles.clock.uptimeMilliseconds
        _ = fixture.ask()
        #expect(fixture.ask(arrivedAt: before + 500) != Self.quit && fixture.screen.questions.count == 1)
        // The question was not about the other account.
        _ = fixture.ask("get", "protocol=https\nhost=ghe.example", arrivedAt: before + 500)
        #expect(fixture.screen.questions.count == 2)
        fixture.wait(minutes: 1)
        #expect(fixture.ask() != Self.quit && fixture.screen.questions.count == 3)
        #expect(fixture.screen.questions.last?.explanation.last?.english == "You are asked each time.")
    }

    @Test(
        "returns quit=1 after a refusal, no answer or nobody to ask, and asks no more for ten minutes",
        arguments: [ShareRefusal.denied, .unanswered, .nobodyToAsk])
    func no(refusal: ShareRefusal) {
        let fixture = fixture(.once)
        fixture.screen.answer = refusal
        #expect(fixture.ask() == Self.quit)
        fixture.wait(minutes: 9)
        #expect(fixture.ask() == Self.quit)
        #expect(fixture.ask("get", "protocol=https\nhost=ghe.example") == Self.quit)
        #expect(fixture.screen.questions.count == 1 && fixture.refusals == [refusal, .silenced, .silenced])
        fixture.wait(minutes: 1)
        fixture.screen.answer = nil
        #expect(fixture.ask() != Self.quit && fixture.screen.questions.count == 2)
    }

    @Test("keeps the approval for one host after a refusal for another")
    func noForAnother() {
        let fixture = fixture(.once)
        _ = fixture.ask()
        fixture.screen.answer = .denied
        #expect(fixture.ask("get", "protocol=https\nhost=ghe.example") == Self.quit)
        #expect(fixture.ask() != Self.quit && fixture.screen.questions.count == 2)
    }

    @Test("refuses all requests that arrived during a refused question")
    func sharedNo() {
        let fixture = fixture(.once)
        fixture.screen.answer = .denied
        let before = fixture.doubles.clock.uptimeMilliseconds
        _ = fixture.ask()
        #expect(fixture.ask(arrivedAt: before + 500) == Self.quit)
        #expect(fixture.refusals == [.denied, .denied] && fixture.screen.questions.count == 1)
    }

    @Test("refuses without a question while the screen is locked, unless nobody is asked; asks if its state is unknown")
    func locked() {
        let fixture = fixture(.once)
        fixture.screen.isLocked = true
        #expect(fixture.ask() == Self.quit && fixture.refusals == [.locked] && fixture.screen.questions.isEmpty)
        fixture.screen.isLocked = false
        #expect(fixture.ask() != Self.quit)
        let (unknown, never) = (self.fixture(.once), self.fixture(.never))
        unknown.screen.isLocked = nil
        #expect(unknown.ask() != Self.quit && unknown.screen.questions.count == 1)
        never.screen.isLocked = true
        #expect(never.ask() != Self.quit && never.screen.questions.isEmpty)
    }

    @Test(
        "gives no token that was stored during the question for another account, or that does not expire",
        arguments: [("hubot", 100_000, .notSignedIn), ("octocat", nil, .doesNotExpire)]
            as [(String, Int64?, ShareRefusal)])
    func replaced(user: String, seconds: Int64?, refusal: ShareRefusal) {
        let fixture = fixture(.once)
        fixture.screen.meanwhile = { [fixture] in
            fixture.signOut()
            fixture.helper.stored(expiresIn: seconds, refreshToken: nil, user: user)
        }
        #expect(fixture.ask() == Self.quit && fixture.refusals == [refusal])
    }

    @Test("asks nothing about a token that the target cannot get")
    func pointless() {
        let fixture = ShareFixture("github.com", confirmation: .each)
        #expect(fixture.ask() == Self.quit)
        fixture.helper.stored(expiresIn: nil, refreshToken: nil)
        #expect(fixture.ask() == Self.quit)
        #expect(fixture.screen.questions.isEmpty && fixture.refusals == [.notSignedIn, .doesNotExpire])
        #expect(fixture.prompts.isEmpty && fixture.requests.isEmpty)
    }
}
