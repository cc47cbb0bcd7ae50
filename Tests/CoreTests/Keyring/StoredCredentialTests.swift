import CredentialCore
import TestSupport
import Testing

@Suite("Stored credentials")
struct StoredCredentialTests {
    private func credential(expiry: Int64?) -> StoredCredential {
        StoredCredential(username: [], password: Secret("p"), passwordExpiryUTC: expiry)
    }

    @Test(
        "fresh is what lasts for the margin at least",
        arguments: [
            (nil, true), (1_300, true), (1_301, true), (1_299, false), (1_000, false), (0, false), (-1, false),
            (Int64.max, true), (Int64.min, false),
        ] as [(Int64?, Bool)])
    func freshness(expiry: Int64?, isFresh: Bool) {
        #expect(credential(expiry: expiry).isFresh(at: 1_000, margin: 300) == isFresh)
    }

    @Test(
        "alive is what git would still use: it drops what has passed",
        arguments: [
            (nil, true), (1_000, true), (1_001, true), (999, false),
        ] as [(Int64?, Bool)])
    func life(expiry: Int64?, isAlive: Bool) {
        #expect(credential(expiry: expiry).isAlive(at: 1_000) == isAlive)
    }

    @Test(
        "a rejection is recent for a minute; one of a clock that was ahead and was set back is none",
        arguments: [(940, false), (941, true), (1_000, true), (1_001, false), (37_000, false)] as [(Int64, Bool)])
    func rejection(time: Int64, isRecent: Bool) {
        #expect(StoredCredential.Grant(clientID: "c", refusedAt: time).wasJustRefused(at: 1_000) == isRecent)
    }

    @Test("what was replaced is remembered by a digest that does not tell it")
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
