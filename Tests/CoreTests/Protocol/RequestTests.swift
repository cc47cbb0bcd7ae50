import TestSupport
import Testing

@Suite("Requests from git")
struct RequestTests {
    @Test("reads every attribute that git sends, in git's order")
    func everything() throws {
        let request = try Request(
            """
            capability[]=authtype
            capability[]=state
            protocol=https
            host=ghe.example:8443
            path=acme/widgets.git
            username=octocat
            password=s3cret=with=equals
            oauth_refresh_token=ghr_1B4a
            password_expiry_utc=1700000000
            wwwauth[]=Basic realm="GitHub"
            state[]=gitspace:0123
            """)
        #expect(request.protocol == Array("https".utf8) && request.host == Array("ghe.example:8443".utf8))
        #expect(request.path == Array("acme/widgets.git".utf8) && request.username == Array("octocat".utf8))
        #expect(request.password?.text == "s3cret=with=equals" && request.oauthRefreshToken?.text == "ghr_1B4a")
        #expect(request.passwordExpiryUTC == 1_700_000_000)
        #expect(request.wwwauth == [Array("Basic realm=\"GitHub\"".utf8)])
        #expect(request.capabilities == [.authtype, .state] && request.state == [Array("gitspace:0123".utf8)])
        #expect(!request.isEphemeral && !request.hasAuthtype)
    }

    @Test("distinguishes an absent attribute from an empty one")
    func absence() throws {
        let bare = try Request("protocol=https\nhost=github.com")
        #expect(bare.username == nil && bare.password == nil && bare.path == nil)
        #expect(bare.passwordExpiryUTC == nil && bare.oauthRefreshToken == nil && bare.capabilities.isEmpty)
        let empty = try Request("protocol=https\nhost=github.com\nusername=\npassword=\npath=\noauth_refresh_token=")
        #expect(empty.username == [] && empty.password?.isEmpty == true && empty.path == [])
        #expect(empty.oauthRefreshToken == nil)
    }

    @Test("ends at a blank line, and ignores the rest")
    func blankLine() throws {
        let request = try Request("protocol=https\nhost=github.com\n\nhost=evil.example\nno equals sign\n\0")
        #expect(request.host == Array("github.com".utf8))
    }

    @Test("keeps bytes as they are, without trimming, decoding or folding")
    func untouched() throws {
        let request = try Request("protocol=HTTPS\nhost=GitHub%2eCom\nusername= Ünï côde \npassword= \t% \u{2028} ")
        #expect(request.protocol == Array("HTTPS".utf8) && request.host == Array("GitHub%2eCom".utf8))
        #expect(request.username == Array(" Ünï côde ".utf8))
        #expect(request.password?.text == " \t% \u{2028} ")
        let notText = Array("protocol=https\nhost=h\npassword=".utf8) + [0xff, 0xfe, 0x0a]
        #expect(try Request(parsing: Secret(notText)).password?.reveal { Array($0) } == [0xff, 0xfe])
    }

    @Test(
        "ignores unknown keys, including `url` and the answers' keys",
        arguments: [
            "foo=bar", "foo[]=", "=nameless", "HOST=evil.example", " host=evil.example", "url=https://evil.example",
        ])
    func unknownKeys(line: String) throws {
        let request = try Request("protocol=https\n\(line)\nhost=github.com\n\(line)")
        #expect(request.host == Array("github.com".utf8))
    }

    @Test("accepts the same value twice")
    func repetition() throws {
        let request = try Request("protocol=https\nhost=github.com\nhost=github.com\nprotocol=https")
        #expect(request.host == Array("github.com".utf8))
    }

    @Test(
        "reads an expiry as never if git would",
        arguments: ["0", "-1", "abc", "", "99999999999999999999", "1.5", " 1700000000"])
    func neverExpires(expiry: String) throws {
        #expect(try Request("protocol=https\nhost=github.com\npassword_expiry_utc=\(expiry)").passwordExpiryUTC == nil)
    }

    @Test("accepts a client certificate's request with a path and without a host")
    func clientCertificate() throws {
        #expect(try Request("protocol=cert\nhost=\npath=home/me/client.pem").host.isEmpty)
    }

    @Test(
        "reads ephemeral as any of git's words for true",
        arguments: [
            ("1", true), ("true", true), ("yes", true), ("on", true), ("maybe", true),
            ("0", false), ("false", false), ("no", false), ("off", false), ("", false),
        ])
    func ephemeral(value: String, isEphemeral: Bool) throws {
        #expect(try Request("protocol=https\nhost=h\nephemeral=\(value)").isEphemeral == isEphemeral)
    }

    @Test("notices a ready-made header value", arguments: ["authtype=Bearer", "credential=dG9rZW4="])
    func authtype(line: String) throws { #expect(try Request("protocol=https\nhost=h\n\(line)").hasAuthtype) }
}
