import CredentialCore
import Helper
import System
import TestSupport
import Testing

@testable import Share

@Suite("share: the record and the log")
final class ShareRecordTests {
    private static let plan = SharePlan(
        name: ShareName(forDestination: "box"), kind: .directory,
        hosts: [SharePlan.Host(HostName(name: "github.com"), username: nil)], access: .token(isLongLived: false))

    @Test("reads a record as it was written")
    func roundTrip() {
        var record = ShareRecord()
        record.kind = .ssh(destination: "me@dev box")
        record.confirmation = .once
        record.hosts = [Array("github.com".utf8), Array("localhost:8443".utf8)]
        record.since = 1_700_000_000
        record.end = 1_700_003_600
        let account = ShareRecord.Account(host: Array("github.com".utf8), username: Array("mona lisa".utf8))
        let given = ShareEvent.given(account, Peer(process: 1, user: 1_000))
        record.note(given, now: 1_700_000_100)
        record.note(given, now: 1_700_000_200)
        for why in [ShareRefusal.doesNotExpire, .keyring(.denied), .keyring(.unresponsive(seconds: 5)), .locked] {
            record.lastRefusal = .init(time: 1_700_000_300, why: why)
            #expect(ShareRecord(parsing: record.text).lastRefusal == record.lastRefusal)
        }
        #expect(record.uses == 2 && record.given == [account] && record.lastUse == 1_700_000_200)
        #expect(ShareRecord(parsing: record.text) == record)
    }

    private func push(_ branches: String...) throws -> GatewayIntention { try .transfer(branches, isNew: false) }

    @Test("reads a gateway's pushes and refusals as written, and keeps the pushes after a restart")
    func gateway() throws {
        var record = ShareRecord()
        record.note(.begun(try push("fix-ü", "gone", "no")), now: 1)
        record.note(.begun(try push("left")), now: 2)
        record.note(.refusedRequest(try push("main", "x"), .branches), now: 3)
        #expect(record.pending.map(\.refs) == ["fix-ü, gone, no", "left"])
        #expect(ShareRecord(parsing: record.text) == record)
        let result = PushResult([.accepted, .accepted, .rejected])
        record.note(.ended(try push("fix-ü", "gone", "no"), .reported(result)), now: 4)
        #expect(record.pending.map(\.refs) == ["left"] && record.pushes.map(\.change) == [.changed, .deleted])
        #expect(ShareRecord(parsing: record.text) == record)
        #expect(record.refusals == 1)
        #expect(record.lastRefusal?.refs == "main, x" && record.lastRefusal?.why == .branches)
        let next = ShareRecord(of: Self.plan, since: 9, after: record)
        #expect(next.pending.isEmpty && next.pushes.map(\.refs) == ["left"] + record.pushes.map(\.refs))
        #expect(next.pushes[0].change == .uncertain)
    }

    @Test("writes a push under way as earlier versions do, and reads it with its change as well")
    func pending() throws {
        var record = ShareRecord()
        record.note(.begun(try push("a", "b")), now: 1)
        let line = "pending=1 acme/app a, b"
        #expect(record.text.split(separator: 0x0a).contains { $0.elementsEqual(line.utf8) })
        for text in [line, "pending=1 uncertain acme/app a, b"] {
            #expect(ShareRecord(parsing: Array(text.utf8)).pending == record.pending)
        }
        for text in ["pending=1 uncertain x", "pending=1 uncertain uncertain a, b", "pending=1 changed x"] {
            let read = ShareRecord(parsing: Array(text.utf8))
            #expect(read.pending.map(\.change) == [.uncertain] && ShareRecord(parsing: read.text) == read)
        }
    }

    @Test("tells pushes to one path on two hosts apart")
    func twoHosts() throws {
        var record = ShareRecord()
        record.gateway = GatewayPolicy(.hosts(["a.example", "b.example"].map { HostName(name: $0) }))
        for host in ["a.example", "b.example"] { record.note(.begun(try .transfer(["x"], on: host)), now: 1) }
        record.note(.ended(try .transfer(["x"], on: "b.example"), nil), now: 2)
        #expect(record.pending.map(\.repository) == ["a.example/acme/app"])
    }

    @Test("names eight refs of a push of ten in one entry, and counts the others")
    func manyRefs() throws {
        var record = ShareRecord()
        let marks = (1...10).map { $0 == 2 ? PushResult.Mark.rejected : .accepted }
        let push = try push("x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10")
        #expect(push.names == "x1, x2, x3, x4, x5, x6, x7, x8 (+2)")
        record.note(.ended(push, .reported(PushResult(marks))), now: 1)
        #expect(record.pushes.map(\.refs) == ["x1, x3, x4, x5, x6, x7, x8 (+2)"])
        #expect(ShareRecord(parsing: record.text) == record)
    }

    @Test("keeps the tokens that an earlier process gave away, and the newest five pushes")
    func continued() throws {
        var last = ShareRecord()
        last.given = [ShareRecord.Account(host: Array("github.com".utf8), username: Array("octocat".utf8))]
        var record = ShareRecord(of: Self.plan, since: 9, after: last)
        #expect(record.given == last.given && record.since == 9 && record.uses == 0)
        for number in 1...7 {
            record.note(.ended(try push("\(number)"), .reported(PushResult([.accepted]))), now: Int64(number))
        }
        #expect(record.pushes.map(\.refs) == ["7", "6", "5", "4", "3"])
    }

    @Test(
        "reads a damaged record as far as possible",
        arguments: ["", "uses=", "given=x", "confirm=maybe", "\u{0}\n=\n", "uses"])
    func damaged(text: String) {
        let record = ShareRecord(parsing: Array(text.utf8))
        #expect(record.uses == 0 && record.given.isEmpty && record.confirmation == .never)
    }

    @Test("reads a refusal as written, and one with words of its own as a keyring error")
    func refusals() {
        for refusal in [
            ShareRefusal.notSignedIn, .locked, .keyring(.locked), .keyring(.noProvider), .keyring(.denied),
            .keyring(.unresponsive(seconds: 5)),
        ] { #expect(ShareRefusal(code: refusal.code) == refusal) }
        for error in [KeyringError.other("words"), .noSuchCollection("x"), .unresponsive(seconds: 7)] {
            #expect(ShareRefusal(code: ShareRefusal.keyring(error).code) == .keyring(.other("")))
        }
        #expect(ShareRefusal(code: "keyring") == nil && ShareRefusal(code: "") == nil)
    }

    // MARK: The log

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
        journal.note(.begun(try push("x")))
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
        for _ in 1...2 { journal.note(.ended(try push("x"), .hostGone)) }
        #expect(lines.count == 63 && place.saved?.pushes.count == 2)
        #expect(place.saved?.refusals == 70 && place.saved?.lastRefusal?.repository == "acme/70")
        fixture.doubles.clock.advance(milliseconds: 60_000)
        try refuse("acme/70")
        #expect(lines.last == "ssh-box: refused acme/70: it is not shared")
    }

    @Test("lists no push as under way whose client closed before any of it reached the host")
    func givenUp() throws {
        journal.note(.begun(try push("x")))
        #expect(place.saved?.pending.count == 1)
        journal.note(.ended(try push("x"), .clientGone(hasBegun: false)))
        #expect(place.saved?.pending.isEmpty == true && lines.isEmpty)
    }

    // MARK: The sentences of the log, which the state of an exchange decides

    private func exchange(_ branches: String..., step: GatewayIntention.Step = .transfer) throws -> GatewayIntention {
        try .transfer(branches, step: step)
    }

    @Test(
        "the log says of a fetch how much of it was passed on",
        arguments: [
            (.answered, "ssh-box: fetched acme/app"), (.hostGone, "ssh-box: fetched a part of acme/app, or all of it"),
            (.clientGone(hasBegun: true), "ssh-box: fetched a part of acme/app, or all of it"),
            (nil, "ssh-box: fetched a part of acme/app, or all of it"), (.clientGone(hasBegun: false), nil),
            (.unauthorized, nil),
        ] as [(GatewayOutcome?, String?)])
    func fetch(outcome: GatewayOutcome?, line: String?) throws {
        #expect(fixture.lines(of: .ended(try exchange(), outcome)) == [line].compactMap(\.self))
        #expect(fixture.lines(of: .ended(try exchange(step: .discovery), outcome)).isEmpty)
    }

    @Test(
        "the log says of a push without a report why nobody knows whether the server took it",
        arguments: [
            (nil, "its process has ended before"), (.hostGone, "the server has closed the connection"),
            (.clientGone(hasBegun: true), "the place has closed its connection"),
            (.unreported, "the server does not say"), (.clientGone(hasBegun: false), nil),
        ] as [(GatewayOutcome?, String?)])
    func uncertain(outcome: GatewayOutcome?, why: String?) throws {
        let beginning = "ssh-box: uncertain whether the server took a push to x, gone on acme/app: "
        let lines = fixture.lines(of: .ended(try exchange("x", "gone"), outcome))
        #expect(lines == [why].compactMap(\.self).map { beginning + $0 })
    }

    @Test("the log says of each pushed ref what the server reports")
    func reported() throws {
        let result = PushResult([.accepted, .accepted, .rejected, .unknown])
        #expect(
            fixture.lines(of: .ended(try exchange("x", "gone", "no", "y"), .reported(result))) == [
                "ssh-box: pushed x to acme/app (new, bbbbbbb)", "ssh-box: deleted gone on acme/app",
                "ssh-box: the server rejected a push to no on acme/app",
                "ssh-box: uncertain whether the server took a push to y on acme/app: the server does not say",
            ])
    }

    @Test(
        "the log says of a failure what the server says",
        arguments: [
            (.tokenRejected, "the server rejected the token"), (.readForbidden, "the account may not read it"),
            (.pushForbidden, "the account may not push to it"),
            (.missing, "the server has no such repository that the account can see"),
            (.moved, "the server has moved it"),
            (.unreachable, "the server cannot be reached; see why with \"git credential-gitspace doctor\""),
            (.malformed, "the server sent an unexpected response"),
        ] as [(GatewayOutcome.Fault, String)])
    func failed(fault: GatewayOutcome.Fault, words: String) throws {
        for exchange in [try exchange(), try exchange("x")] {
            #expect(fixture.lines(of: .ended(exchange, .failed(fault))) == ["ssh-box: acme/app failed: \(words)"])
        }
    }

    @Test(
        "the log says of a refusal whose reason it is",
        arguments: [
            (.otherAccount, "it asked for another account"), (.notSignedIn, "no account is signed in"),
            (.doesNotExpire, "the credentials do not expire; --long-lived allows it"),
            (.notAPassword, "git in the container cannot send this kind of token"),
            (.expired, "the token has expired and could not be refreshed"),
            (.rejected, "the server rejected the token, and it could not be refreshed"), (.denied, "you denied it"),
            (.unanswered, "you did not answer"),
            (.silenced, "you denied it or did not answer less than 10 minutes ago"), (.locked, "the screen is locked"),
            (.nobodyToAsk, "there is no notification service to ask you"), (.elapsed, "the time of the share is over"),
            (.notShared, "it is not shared"), (.readOnly, "the share is read-only"),
            (.branches, "it is no branch that may be pushed"),
            (.signed, "signed pushes are not passed on where branches are limited"),
            (.options, "its push options ask for more than a pull request, or are malformed"),
            (.pullRequests, "push options need --pull-requests"),
            (.configuration, "git's configuration cannot be read"),
        ] as [(ShareRefusal, String)])
    func refused(refusal: ShareRefusal, words: String) throws {
        #expect(fixture.lines(of: .refusedRequest(try exchange(), refusal)) == ["ssh-box: refused acme/app: \(words)"])
        let push = "ssh-box: refused a push to x on acme/app: \(words)"
        #expect(fixture.lines(of: .refusedRequest(try exchange("x"), refusal)) == [push])
    }
}
