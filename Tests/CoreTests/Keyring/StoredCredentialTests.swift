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

@Suite("Secret text of an item")
struct SecretTextTests {
    private func parse(_ text: String) -> StoredCredential? {
        SecretText.parse(Secret(text), username: Array("me".utf8))
    }

    @Test("reads back what it writes")
    func roundTrip() throws {
        let grant = StoredCredential.Grant(
            clientID: "Iv1.a", issuer: "https://id.example/realm", tokenOrigin: "https://id.example:8443",
            issuedAt: 1_699_990_000, scope: "repo gist", refreshTokenExpiryUTC: 1_800_000_000,
            supersededDigest: Array("0123abcd".utf8))
        let credential = StoredCredential(
            username: Array("me".utf8), password: Secret("gho_1"), passwordExpiryUTC: 1_700_000_000,
            oauthRefreshToken: Secret("ghr_2"), grant: grant)
        let text = try #require(SecretText.encode(credential))
        #expect(
            text.text == """
                gho_1
                password_expiry_utc=1700000000
                oauth_refresh_token=ghr_2
                gitspace_client_id=Iv1.a
                gitspace_issuer=https://id.example/realm
                gitspace_token_origin=https://id.example:8443
                gitspace_issued=1699990000
                gitspace_scope=repo gist
                gitspace_refresh_token_expiry_utc=1800000000
                gitspace_superseded=0123abcd
                """)
        let read = try #require(SecretText.parse(text, username: credential.username))
        #expect(read.username == credential.username && read.password == credential.password)
        #expect(read.passwordExpiryUTC == credential.passwordExpiryUTC)
        #expect(read.oauthRefreshToken == credential.oauthRefreshToken && read.grant == grant)
    }

    @Test("writes a plain password as git's helper does", arguments: ["", "hunter2", "with=equals", "pässwörd"])
    func plain(password: String) throws {
        let credential = StoredCredential(username: [], password: Secret(password))
        #expect(SecretText.encode(credential)?.text == password)
        #expect(parse(password)?.password.text == password)
        #expect(parse(password)?.grant == nil)
    }

    @Test(
        "reads the first line as the password, and others in any order, as git's own helper does, without a grant",
        arguments: [
            (
                "s3cret\noauth_refresh_token=xyzzy\nother_helper=1\npassword_expiry_utc=9999999999\n", "s3cret",
                9_999_999_999, "xyzzy"
            ),
            // A pair from outside, of which git's helper dropped our lines.
            ("gho_1\npassword_expiry_utc=1700000000\noauth_refresh_token=ghr_2", "gho_1", 1_700_000_000, "ghr_2"),
            ("password_expiry_utc=1", "password_expiry_utc=1", nil, nil), ("p\noauth_refresh_token=", "p", nil, nil),
            ("p\npassword_expiry_utc=1\npassword_expiry_utc=9", "p", 9, nil),
            // No number, or one that git reads as never.
            ("p\npassword_expiry_utc=", "p", nil, nil), ("p\npassword_expiry_utc=soon", "p", nil, nil),
            ("p\npassword_expiry_utc=-1", "p", nil, nil), ("p\npassword_expiry_utc=0", "p", nil, nil),
            ("p\npassword_expiry_utc=99999999999999999999", "p", nil, nil),
        ] as [(String, String, Int64?, String?)])
    func gitsHelper(text: String, password: String, expiry: Int64?, refreshToken: String?) throws {
        let read = try #require(parse(text))
        #expect(read.password.text == password && read.passwordExpiryUTC == expiry)
        #expect(read.oauthRefreshToken?.text == refreshToken && read.grant == nil)
    }

    @Test(
        "refuses a text that cannot be returned to git",
        arguments: ["a\0b", "a\rb", "a\r\npassword_expiry_utc=1", "p\nx=\0"])
    func unsound(text: String) { #expect(parse(text) == nil) }

    @Test("reads a text of 64 KiB, and refuses a longer one")
    func length() {
        #expect(parse(String(repeating: "x", count: 65_536))?.password.count == 65_536)
        #expect(parse(String(repeating: "x", count: 65_537)) == nil)
        let long = Secret(String(repeating: "x", count: 65_530))
        #expect(SecretText.encode(StoredCredential(username: [], password: long, passwordExpiryUTC: 1)) == nil)
    }

    @Test("reads a password that is not UTF-8")
    func notUTF8() {
        let read = SecretText.parse(Secret([0xff, 0xfe, 0x0a, 0x78]), username: [])
        #expect(read?.password.reveal { Array($0) } == [0xff, 0xfe])
    }

    @Test("does not write a value with a line end or NUL", arguments: ["a\nb", "a\rb", "a\0b", "\n"])
    func injection(value: String) {
        func encode(_ change: (inout StoredCredential) -> Void) -> Secret? {
            var credential = StoredCredential(username: [], password: Secret("p"), grant: .init(clientID: "c"))
            change(&credential)
            return SecretText.encode(credential)
        }
        #expect(encode { _ in } != nil)
        #expect(encode { $0.password = Secret(value) } == nil)
        #expect(encode { $0.oauthRefreshToken = Secret(value) } == nil)
        #expect(encode { $0.grant?.clientID = value } == nil)
        #expect(encode { $0.grant?.scope = value } == nil)
        #expect(encode { $0.grant?.supersededDigest = Array(value.utf8) } == nil)
    }
}
