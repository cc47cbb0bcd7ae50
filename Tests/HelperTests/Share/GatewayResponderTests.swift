import TestSupport
import Testing

@testable import Share

@Suite("share: a gateway's connection")
struct GatewayResponderTests {
    private func fixture(
        _ confirmation: SharePlan.Confirmation = .never, isReadOnly: Bool = false, branches: [String] = [],
        until end: Int64? = nil
    ) -> ShareFixture {
        let policy = GatewayPolicy(
            .hosts([HostName(name: "github.com")]), isReadOnly: isReadOnly,
            branches: branches.compactMap(BranchPattern.init))
        return ShareFixture(
            confirmation: confirmation, gateway: policy, until: end, expiresIn: 28_800, lifetime: 28_800)
    }

    private func push(_ branches: String..., on host: String = "github.com", isRejected: Bool = false) throws
        -> GatewayIntention
    { try .transfer(branches, on: host, isRejected: isRejected) }

    private func fetch(_ step: GatewayIntention.Step = .transfer, isRejected: Bool = false) throws -> GatewayIntention {
        try .transfer(step: step, isRejected: isRejected)
    }

    /// The gateway's process may be compromised and send anything.
    @Test("gives no token for a push that the share forbids, nor for a host that is not shared")
    func limits() throws {
        #expect(fixture().ask(try push("x")) != nil)
        #expect(fixture(isReadOnly: true).ask(try fetch()) != nil)
        #expect(fixture(isReadOnly: true).ask(try push("x")) == nil)
        #expect(fixture().ask(try push("x", on: "other.example")) == nil)
        #expect(fixture(branches: ["agent/*"]).ask(try push("agent/x")) != nil)
        #expect(fixture(branches: ["agent/*"]).ask(try push("agent/x", "main")) == nil)
    }

    @Test("--confirm each: asks once for each push and for simultaneous ones, and not for fetches")
    func each() throws {
        let fixture = fixture(.each)
        let before = fixture.doubles.clock.uptimeMilliseconds
        for number in 1...3 {
            #expect(fixture.ask(try push("x"), arrivedAt: before) != nil)
            #expect(fixture.ask(try fetch()) != nil)
            #expect(fixture.screen.questions.count == number)
        }
        #expect(fixture.screen.questions.last?.question.english == "Let \"ssh-box\" push x to acme/app on github.com?")
        #expect(!fixture.isHolding)
    }

    @Test("--confirm each: asks once for a push whose token the host rejects, and again for the next one")
    func rejectedPush() throws {
        let fixture = fixture(.each)
        fixture.respond(GitHubAnswers.badCredentials, GitHubAnswers.gitHubAppToken)
        let connection = fixture.connection()
        #expect(fixture.ask(try push("x"), by: connection) != nil)
        _ = connection.answer(.ended(.unauthorized))
        #expect(fixture.ask(try push("x", isRejected: true), by: connection) != nil)
        #expect(fixture.screen.questions.count == 1 && fixture.doubles.transport.isExhausted)
        // Neither a second repetition nor another push is what the person allowed.
        _ = connection.answer(.ended(.unauthorized))
        fixture.screen.answer = .denied
        #expect(fixture.ask(try push("x", isRejected: true), by: connection) == nil)
        #expect(fixture.screen.questions.count == 2)
        let other = self.fixture(.each)
        let second = other.connection()
        #expect(other.ask(try push("x"), by: second) != nil)
        _ = second.answer(.ended(.unauthorized))
        other.screen.answer = .denied
        #expect(other.ask(try push("y", isRejected: true), by: second) == nil && other.screen.questions.count == 2)
    }

    @Test("--confirm once: gives an open connection no other token behind a locked screen, and asks again afterwards")
    func locked() throws {
        let fixture = fixture(.once)
        let connection = fixture.connection()
        #expect(fixture.ask(try fetch(.discovery), by: connection) != nil)
        fixture.screen.isLocked = true
        #expect(fixture.ask(try push("x"), by: connection) == nil)
        #expect(fixture.ask(try fetch(.discovery, isRejected: true), by: connection) == nil)
        #expect(fixture.refusals == [.locked, .locked])
        fixture.screen.isLocked = false
        #expect(fixture.ask(try fetch(.discovery), by: connection) != nil && fixture.screen.questions.count == 2)
    }

    @Test("gives an open connection no token after the sign-out")
    func signedOut() throws {
        let fixture = fixture()
        let connection = fixture.connection()
        #expect(fixture.ask(try fetch(.discovery), by: connection) != nil)
        fixture.signOut()
        #expect(fixture.ask(try push("x"), by: connection) == nil && fixture.refusals == [.notSignedIn])
    }

    @Test("gives no token if the approval comes after the end or the sign-out, or the refreshed token after the end")
    func late() throws {
        let fixture = fixture(.once, until: RecordingClock().uptimeMilliseconds + 60_000)
        fixture.doubles.clock.advance(milliseconds: 55_000)
        fixture.screen.milliseconds = 25_000
        #expect(fixture.ask(try fetch()) == nil)
        #expect(fixture.ask(try fetch()) == nil)
        #expect(fixture.refusals == [.elapsed, .elapsed] && fixture.screen.questions.count == 1)
        let other = self.fixture(.once)
        other.screen.meanwhile = { [other] in other.signOut() }
        #expect(other.ask(try fetch()) == nil && other.refusals == [.notSignedIn])
        let slow = self.fixture(until: RecordingClock().uptimeMilliseconds + 60_000)
        slow.helper.stored(expiresIn: 100, lifetime: 28_800)
        slow.respond(GitHubAnswers.gitHubAppToken)
        slow.doubles.locks.whenAcquired = { [slow] in slow.doubles.clock.advance(milliseconds: 60_000) }
        #expect(slow.ask(try fetch()) == nil && slow.refusals == [.elapsed])
    }

    @Test("reports each begun push as ended, or as uncertain if its process reports nothing")
    func ends() throws {
        let (first, second) = (try push("x"), try push("y"))
        func events(_ use: (ShareFixture, GatewayResponder) throws -> Void) throws -> [ShareEvent] {
            let fixture = fixture()
            do {
                let connection = fixture.connection()
                _ = fixture.ask(first, by: connection)
                try use(fixture, connection)
            }
            return Array(fixture.events.dropFirst())
        }
        let taken = GatewayOutcome.reported(PushResult([.accepted]))
        let told = try events { _, connection in _ = connection.answer(.ended(taken)) }
        #expect(told == [.ended(first, taken)])
        let silent = try events { _, _ in }
        #expect(silent == [.ended(first, nil)])
        let gone = try events { _, connection in connection.end() }
        #expect(gone == [.ended(first, nil)])
        let other = try events { fixture, connection in _ = fixture.ask(second, by: connection) }
        #expect(other == [.ended(first, nil), .begun(second), .ended(second, nil)])
        // A second report changes nothing.
        let twice = try events { _, connection in for _ in 1...2 { _ = connection.answer(.ended(taken)) } }
        #expect(twice == [.ended(first, taken)])
    }
}
