import CredentialCore
import Messages
import TestSupport
import Testing

@testable import Share

@Suite("share: what a gateway's connection is given")
struct GatewayResponderTests {
    private static let host = HostName(name: "github.com")

    private func fixture(
        _ confirmation: ShareTarget.Confirmation = .never, isReadOnly: Bool = false, branches: [String] = [],
        until end: Int64? = nil
    ) -> ShareFixture {
        let policy = GatewayPolicy(
            .hosts([Self.host]), isReadOnly: isReadOnly, branches: branches.compactMap(BranchPattern.init))
        let fixture = ShareFixture(confirmation: confirmation, gateway: policy, until: end)
        fixture.helper.stored(expiresIn: 28_800, lifetime: 28_800)
        return fixture
    }

    private static func signOut(_ fixture: ShareFixture) {
        for item in fixture.doubles.keyring.items { try? fixture.doubles.keyring.remove(item) }
    }

    private func push(_ refs: String..., to path: String = "acme/app", on host: HostName = host) throws
        -> GatewayIntention
    {
        let commands = try refs.map { ref in
            let old = String(repeating: "b", count: 40)
            return try #require(PushCommand(line: Array("\(old) \(old) refs/heads/\(ref)".utf8)[...]))
        }
        let repository = try #require(RepositoryName(host: host, path: path))
        return GatewayIntention(repository, .receivePack, .transfer, commands: commands)
    }

    private func fetch(_ step: GatewayIntention.Step = .transfer, isRejected: Bool = false) throws -> GatewayIntention {
        let repository = try #require(RepositoryName(host: Self.host, path: "acme/app"))
        return GatewayIntention(repository, .uploadPack, step, isRejected: isRejected)
    }

    /// The process may have been taken over, and say anything.
    @Test("no token for a push where the share is read-only or names branches, nor for a host that is not shared")
    func limits() throws {
        #expect(fixture().ask(try push("x")) != nil)
        #expect(fixture(isReadOnly: true).ask(try fetch()) != nil)
        #expect(fixture(isReadOnly: true).ask(try push("x")) == nil)
        #expect(fixture().ask(try push("x", on: HostName(name: "other.example"))) == nil)
        #expect(fixture(branches: ["agent/*"]).ask(try push("agent/x")) != nil)
        #expect(fixture(branches: ["agent/*"]).ask(try push("agent/x", "main")) == nil)
    }

    @Test("each: a yes is for one push, whatever came while the question was there; fetches are not asked about")
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

    @Test("once: behind a locked screen, an open connection gets no other token, whatever it says of the last one")
    func locked() throws {
        let fixture = fixture(.once)
        let connection = fixture.connection()
        #expect(fixture.ask(try fetch(.discovery), by: connection) != nil)
        fixture.screen.isLocked = true
        #expect(fixture.ask(try push("x"), by: connection) == nil)
        #expect(fixture.ask(try fetch(.discovery, isRejected: true), by: connection) == nil)
        #expect(fixture.refusals == [.locked, .locked])
    }

    @Test("signed out, an open connection gets none either")
    func signedOut() throws {
        let fixture = fixture()
        let connection = fixture.connection()
        #expect(fixture.ask(try fetch(.discovery), by: connection) != nil)
        Self.signOut(fixture)
        #expect(fixture.ask(try push("x"), by: connection) == nil)
        #expect(fixture.refusals == [.notSignedIn])
    }

    @Test("a yes that comes when the time is over, or when the person has signed out meanwhile, gives nothing")
    func late() throws {
        let fixture = fixture(.once, until: RecordingClock().uptimeMilliseconds + 60_000)
        fixture.doubles.clock.advance(milliseconds: 55_000)
        fixture.screen.milliseconds = 25_000
        #expect(fixture.ask(try fetch()) == nil)
        #expect(fixture.ask(try fetch()) == nil)
        #expect(fixture.refusals == [.elapsed, .elapsed] && fixture.screen.questions.count == 1)
        let other = self.fixture(.once)
        other.screen.meanwhile = { [other] in Self.signOut(other) }
        #expect(other.ask(try fetch()) == nil)
        #expect(other.refusals == [.notSignedIn])
    }

    @Test(
        "what is begun is told as ended, or as uncertain where its process goes, asks for something else, or is silent")
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
