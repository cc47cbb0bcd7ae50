import CredentialCore
import TestSupport
import Testing

@testable import Share

@Suite("share: the record and the log")
final class ShareJournalTests {
    private let fixture = ShareFixture(gateway: GatewayPolicy(.hosts([HostName(name: "github.com")])))
    private lazy var place = ScriptedShares(clock: fixture.doubles.clock)
    private lazy var journal = ShareJournal(of: fixture.plan, in: place, clock: fixture.doubles.clock) {
        [unowned self] in lines.append($0.english)
    }
    private var lines: [String] = []

    private func refuse(_ path: String) throws {
        let repository = try #require(RepositoryName(host: HostName(name: "github.com"), path: path))
        journal.note(.refusedRequest(GatewayIntention(repository, .uploadPack, .discovery), .notShared))
    }

    private func push() throws -> GatewayIntention {
        let id = String(repeating: "b", count: 40)
        let command = try #require(PushCommand(line: Array("\(id) \(id) refs/heads/x".utf8)[...]))
        let repository = try #require(RepositoryName(host: HostName(name: "github.com"), path: "acme/app"))
        return GatewayIntention(repository, .receivePack, .transfer, commands: [command])
    }

    @Test("writes a refusal that the log repeats once a minute, and lists all with the next event or after a while")
    func repeated() throws {
        for _ in 1...1_000 { try refuse("acme/app") }
        // One write begins the record.
        #expect(place.writes == 2 && place.saved?.refusals == 1)
        fixture.doubles.clock.advance(milliseconds: 1_000)
        try refuse("acme/app")
        for _ in 1...2 { journal.note(.flush) }
        #expect(place.writes == 3 && place.saved?.refusals == 1_001)
        #expect(place.saved?.lastRefusal?.time == fixture.doubles.clock.now)
        try refuse("acme/app")
        journal.note(.begun(try push()))
        #expect(place.saved?.refusals == 1_002)
        #expect(lines == ["ssh-box: refused acme/app: it is not shared"])
        fixture.doubles.clock.advance(milliseconds: 60_000)
        try refuse("acme/app")
        #expect(place.saved?.refusals == 1_003 && lines.count == 2)
    }

    @Test("logs 60 different refusals in a minute, once that there are more, and each push; lists all")
    func limit() throws {
        for number in 1...60 { try refuse("acme/\(number)") }
        journal.note(.flush)
        #expect(lines.count == 60)
        for number in 61...70 { try refuse("acme/\(number)") }
        #expect(lines.count == 61 && lines.last == "ssh-box: more is asked and refused than is told here")
        for _ in 1...2 { journal.note(.ended(try push(), .hostGone)) }
        #expect(lines.count == 63 && place.saved?.pushes.count == 2)
        #expect(place.saved?.refusals == 70 && place.saved?.lastRefusal?.repository == "acme/70")
        fixture.doubles.clock.advance(milliseconds: 60_000)
        try refuse("acme/70")
        #expect(lines.last == "ssh-box: refused acme/70: it is not shared")
    }

    @Test("lists no push as under way whose client closed before any of it reached the host")
    func givenUp() throws {
        journal.note(.begun(try push()))
        #expect(place.saved?.pending.count == 1)
        journal.note(.ended(try push(), .clientGone(hasBegun: false)))
        #expect(place.saved?.pending.isEmpty == true && lines.isEmpty)
    }
}
