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
        "ignores unknown keys, including `url` and the answers' keys, and a repeated value",
        arguments: [
            "foo=bar", "foo[]=", "=nameless", "HOST=evil.example", " host=evil.example", "url=https://evil.example",
            "host=github.com", "protocol=https",
        ])
    func unknownKeys(line: String) throws {
        let request = try Request("protocol=https\n\(line)\nhost=github.com\n\(line)")
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

/// git documents 65,535 bytes for a line, its LF included; a whole request is limited to 1 MiB.
@Suite("Length of a request")
struct RequestLengthTests {
    private let place = "protocol=https\nhost=github.com\n"

    /// Returns a line of so many bytes, LF included.
    private func line(_ key: String, bytes: Int) -> String {
        "\(key)=" + String(repeating: "x", count: bytes - key.utf8.count - 2) + "\n"
    }

    @Test("reads a line of 65,535 bytes whole, and refuses one more", arguments: ["password", "unknown", "wwwauth[]"])
    func longestLine(key: String) throws {
        let request = try Request(parsing: Secret((place + line(key, bytes: 65_535)).utf8))
        #expect(request.host == Array("github.com".utf8))
        if key == "password" { #expect(request.password?.count == 65_525) }
        #expect(throws: RequestError.tooLong) { try Request(parsing: Secret((place + line(key, bytes: 65_536)).utf8)) }
    }

    @Test("reports an endless line as too long, and a short one as incomplete")
    func endless() {
        let long = Array(repeating: UInt8(ascii: "x"), count: 65_535)
        #expect(throws: RequestError.tooLong) { try Request(parsing: Secret(long)) }
        #expect(throws: RequestError.malformedLine) { try Request(parsing: Secret(long.dropLast())) }
    }

    @Test("reads a request of 1 MiB, and refuses one byte more before parsing")
    func total() throws {
        let mebibyte = 1 << 20
        let filler = line("x", bytes: 1_000)
        var text = Array(place.utf8)
        while text.count + 2_000 < mebibyte { text += Array(filler.utf8) }
        text += Array(line("x", bytes: mebibyte - text.count).utf8)
        #expect(text.count == mebibyte)
        #expect(try Request(parsing: Secret(text)).host == Array("github.com".utf8))
        #expect(throws: RequestError.tooLong) { try Request(parsing: Secret(text + [0x0a])) }
    }
}

@Suite("Lists in a request")
struct RequestListTests {
    private let place = "protocol=https\nhost=github.com\n"

    @Test("clears the earlier values at an empty one, which git leaves to the helper")
    func reset() throws {
        let request = try Request(
            place + """
                wwwauth[]=Basic realm="one"
                capability[]=authtype
                state[]=gitspace:1
                wwwauth[]=
                capability[]=
                state[]=
                wwwauth[]=Basic realm="two"
                capability[]=state
                state[]=gitspace:2
                """)
        #expect(request.wwwauth == [Array("Basic realm=\"two\"".utf8)] && request.capabilities == [.state])
        #expect(request.state == [Array("gitspace:2".utf8)])
    }

    @Test("ignores other helpers' state", arguments: ["cache:1", "gitspac", "Gitspace:1", "xgitspace:"])
    func foreignState(value: String) throws { #expect(try Request(place + "state[]=\(value)").state.isEmpty) }

    @Test("ignores unknown capabilities", arguments: ["future", "State", "state ", "authtype,state"])
    func unknownCapability(value: String) throws {
        #expect(try Request(place + "capability[]=\(value)").capabilities.isEmpty)
    }

    @Test("limits a flood of headers, and answers the request")
    func flood() throws {
        let flood = String(repeating: "wwwauth[]=Basic realm=\"x\"\nstate[]=gitspace:1\n", count: 1_000)
        let request = try Request(flood + place)
        #expect(request.wwwauth.count == 64 && request.state.count == 64)
    }

    @Test("keeps control characters in a header, which is never shown")
    func escapes() throws {
        let header = "Basic realm=\"\u{1b}]52;c;AAAA\u{7}\"\r"
        #expect(try Request(place + "wwwauth[]=\(header)").wwwauth == [Array(header.utf8)])
    }

    @Test("does not read a header as a host, however long it is (git 2.41, 71201ab0e5)")
    func longHeader() throws {
        let header = "basic realm=" + String(repeating: "a", count: 1_024) + "host=victim.example.com"
        let request = try Request("protocol=https\nhost=badguy.example.com\nwwwauth[]=\(header)")
        #expect(request.host == Array("badguy.example.com".utf8))
    }
}

@Suite("Refused requests")
struct RequestRefusalTests {
    @Test(
        "refuses a request without an attribute that is needed to match",
        arguments: [
            ("", .missing(attribute: .protocol)), ("protocol=https", .missing(attribute: .host)),
            ("protocol=https\nhost=", .missing(attribute: .host)), ("host=github.com", .missing(attribute: .protocol)),
            ("protocol=\nhost=github.com", .missing(attribute: .protocol)),
            ("protocol=cert\nhost=", .missing(attribute: .host)),
            ("protocol=cert\nhost=\npath=", .missing(attribute: .host)),
            ("protocol=cert\npath=client.pem", .missing(attribute: .host)),
            ("\nprotocol=https\nhost=github.com", .missing(attribute: .protocol)),
            ("url=https://github.com", .missing(attribute: .protocol)),
        ] as [(String, RequestError)])
    func missing(lines: String, error: RequestError) { #expect(throws: error) { try Request(lines) } }

    @Test(
        "refuses two values for one attribute, as an injected line brings (CVE-2020-5260)",
        arguments: [
            ("host=evil.com\nhost=github.com", .host), ("host=github.com\nhost=GitHub.com", .host),
            ("host=\nhost=github.com", .host), ("host=github.com\nprotocol=http", .protocol),
            ("host=github.com\nusername=a\nusername=b", .username), ("host=github.com\npath=a\npath=", .path),
            ("host=github.com\npassword=a\npassword=b", .password),
            ("host=github.com\npassword_expiry_utc=1\npassword_expiry_utc=2", .passwordExpiryUTC),
            ("host=github.com\noauth_refresh_token=a\noauth_refresh_token=b", .oauthRefreshToken),
        ] as [(String, Attribute)])
    func contradiction(lines: String, attribute: Attribute) {
        #expect(throws: RequestError.contradiction(attribute: attribute)) { try Request("protocol=https\n" + lines) }
    }

    @Test(
        "refuses a control byte in a name, and ends no line at a CR (CVE-2024-50338, CVE-2024-52006)",
        arguments: ["\r", "\0", "\u{1b}", "\t", "\u{7f}", "\u{1}"])
    func controlBytes(byte: String) {
        for attribute in [Attribute.protocol, .host, .path, .username] {
            #expect(throws: RequestError.controlByte(attribute: attribute)) {
                try Request("\(attribute.rawValue)=git\(byte)hub\nprotocol=https\nhost=github.com")
            }
        }
    }

    @Test(
        "refuses a NUL or CR in a secret or number, and a NUL in a list",
        arguments: [
            Attribute.password, .oauthRefreshToken, .passwordExpiryUTC, .authtype, .credential, .ephemeral, .wwwauth,
            .state, .capability,
        ])
    func values(attribute: Attribute) {
        for byte in [Attribute.wwwauth, .state, .capability].contains(attribute) ? ["\0"] : ["\0", "\r"] {
            #expect(throws: RequestError.controlByte(attribute: attribute)) {
                try Request("protocol=https\nhost=h\n\(attribute.rawValue)=a\(byte)b")
            }
        }
    }

    @Test("refuses a line without `=`", arguments: ["no equals sign", "\r", " ", "host"])
    func noEquals(line: String) {
        #expect(throws: RequestError.malformedLine) { try Request("protocol=https\n\(line)\nhost=github.com") }
    }

    @Test("refuses a last line without its end", arguments: ["host=github.com", "host=git", "hos"])
    func unterminated(line: String) {
        #expect(throws: RequestError.malformedLine) { try Request(parsing: Secret("protocol=https\n\(line)".utf8)) }
    }

    @Test("prints no byte of the request in an error")
    func descriptions() {
        let errors: [RequestError] = [
            .malformedLine, .tooLong, .controlByte(attribute: .username), .contradiction(attribute: .host),
            .missing(attribute: .protocol), .malformedHost,
        ]
        let texts = errors.map { "\($0)" }
        #expect(Set(texts).count == errors.count)
        #expect(texts.allSatisfy { text in text.utf8.allSatisfy { (0x20...0x7e).contains($0) } })
    }
}
