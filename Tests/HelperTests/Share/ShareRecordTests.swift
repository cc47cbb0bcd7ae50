import CredentialCore
import Helper
import System
import Testing

@testable import Share

@Suite("share: the record of a target")
struct ShareRecordTests {
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
        for why in [ShareRefusal.doesNotExpire, .keyring(.denied), .locked] {
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

    @Test("names eight refs of a push of ten in one entry, and counts the others")
    func manyRefs() throws {
        var record = ShareRecord()
        let marks = (1...10).map { $0 == 2 ? PushResult.Mark.rejected : .accepted }
        let push = try push("x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10")
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
}
