import CredentialCore
import TestSupport
import Testing

@Suite("Stored credentials")
struct StoredCredentialTests {
    private func credential(expiry: Int64?) -> StoredCredential {
        StoredCredential(username: [], password: Secret("p"), passwordExpiryUTC: expiry)
    }

    @Test(
        "is fresh if it lasts at least for the margin",
        arguments: [
            (nil, true), (1_300, true), (1_301, true), (1_299, false), (1_000, false), (0, false), (-1, false),
            (Int64.max, true), (Int64.min, false),
        ] as [(Int64?, Bool)])
    func freshness(expiry: Int64?, isFresh: Bool) {
        #expect(credential(expiry: expiry).isFresh(at: 1_000, margin: 300) == isFresh)
    }

    @Test(
        "is alive until its expiry has passed, as for git",
        arguments: [
            (nil, true), (1_000, true), (1_001, true), (999, false),
        ] as [(Int64?, Bool)])
    func life(expiry: Int64?, isAlive: Bool) {
        #expect(credential(expiry: expiry).isAlive(at: 1_000) == isAlive)
    }

    @Test(
        "a rejection is recent for a minute, and not if it has a date in the future",
        arguments: [(940, false), (941, true), (1_000, true), (1_001, false), (37_000, false)] as [(Int64, Bool)])
    func rejection(time: Int64, isRecent: Bool) {
        #expect(StoredCredential.Grant(clientID: "c", refusedAt: time).wasJustRefused(at: 1_000) == isRecent)
    }

    @Test("remembers the replaced token by a digest")
    func superseded() {
        let old = Secret("gho_old")
        let digest = StoredCredential.digest(of: old)
        #expect(digest.count == 64)
        #expect(!String(decoding: digest, as: UTF8.self).contains("gho_"))
        var new = StoredCredential(
            username: [], password: Secret("gho_new"), grant: .init(clientID: "c", supersededDigest: digest))
        #expect(new.supersedes(old))
        #expect(!new.supersedes(Secret("gho_new")))
        #expect(!new.supersedes(Secret("")))
        new.grant = nil
        #expect(!new.supersedes(old))
    }
}
