import TestSupport
import Testing

@Suite("Stored credentials")
struct StoredCredentialTests {
    private func credential(expiry: Int64?) -> StoredCredential {
        StoredCredential(username: [], password: Secret("p"), passwordExpiryUTC: expiry)
    }

    @Test(
        "a password is fresh for the margin at least, ends within it, and expires as git sees it",
        arguments: [
            (nil, "fresh"), (1_300, "fresh"), (1_301, "fresh"), (1_299, "ending"), (1_001, "ending"),
            (1_000, "ending"), (999, "expired(refreshable: false)"), (0, "expired(refreshable: false)"),
            (-1, "expired(refreshable: false)"), (Int64.max, "fresh"), (Int64.min, "expired(refreshable: false)"),
        ] as [(Int64?, String)])
    func condition(expiry: Int64?, expected: String) {
        #expect("\(credential(expiry: expiry).condition(at: 1_000, margin: 300))" == expected)
    }

    @Test(
        "a lost password is lost unless it can be refreshed; a token is never empty nor other than text",
        arguments: [
            ([], nil, false, "lost"), ([], "r", false, "expired(refreshable: true)"), ([0xff], nil, false, "fresh"),
            ([0xff], nil, true, "lost"), ([0xff], "r", true, "expired(refreshable: true)"),
            ([0x74], "r", true, "fresh"),
        ] as [([UInt8], String?, Bool, String)])
    func lost(password: [UInt8], refreshToken: String?, asToken: Bool, expected: String) {
        let credential = StoredCredential(
            username: [0x6d], password: Secret(password), oauthRefreshToken: refreshToken.map { Secret($0) })
        #expect("\(credential.condition(at: 1_000, asToken: asToken))" == expected)
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
        #expect(new.supersedes(old) && !new.supersedes(Secret("gho_new")) && !new.supersedes(Secret("")))
        new.grant = nil
        #expect(!new.supersedes(old))
    }
}
