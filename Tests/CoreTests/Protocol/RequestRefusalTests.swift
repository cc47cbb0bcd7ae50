import TestSupport
import Testing

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
