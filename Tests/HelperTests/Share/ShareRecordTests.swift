import CredentialCore
import Helper
import Testing

@testable import Share

@Suite("share: what is written down about a target")
struct ShareRecordTests {
    @Test("it comes back as it was")
    func roundTrip() {
        var record = ShareRecord()
        record.kind = .ssh(destination: "me@dev box")
        record.confirmation = .once
        record.hosts = [Array("github.com".utf8), Array("localhost:8443".utf8)]
        record.since = 1_700_000_000
        record.end = 1_700_003_600
        let account = ShareRecord.Account(host: Array("github.com".utf8), username: Array("mona lisa".utf8))
        record.note(account, now: 1_700_000_100)
        record.note(account, now: 1_700_000_200)
        for why in [ShareRefusal.doesNotExpire, .keyring(.denied), .locked] {
            record.lastRefusal = .init(time: 1_700_000_300, why: why)
            #expect(ShareRecord(parsing: record.text).lastRefusal == record.lastRefusal)
        }
        #expect(record.uses == 2 && record.given == [account] && record.lastUse == 1_700_000_200)
        #expect(ShareRecord(parsing: record.text) == record)
    }

    @Test(
        "half a record is what there is of it",
        arguments: ["", "uses=", "given=x", "confirm=maybe", "\u{0}\n=\n", "uses"])
    func damaged(text: String) {
        let record = ShareRecord(parsing: Array(text.utf8))
        #expect(record.uses == 0 && record.given.isEmpty && record.confirmation == .never)
    }

    @Test("a refusal is read as what it was, and one that has words of its own as an error of the keyring")
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
