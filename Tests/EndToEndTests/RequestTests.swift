import Staging
import StandIn
import Testing

/// Requests that are no requests, to the real program; a good token for github.com is in the keyring.
@Suite("Malformed requests")
struct RequestTests {
    /// A request with a name.
    struct Case {
        let name: String
        let request: String

        init(_ name: String, _ request: String) {
            self.name = name
            self.request = request
        }
    }

    /// Answered by silence on standard output, and by nothing that changes anything.
    private static let refused = [
        Case("nothing", ""),
        Case("a blank line", "\n"),
        Case("git died after the protocol", "protocol=https\n"),
        Case("git died within a line", "protocol=https\nhost=github.c"),
        Case("no protocol", "host=github.com\n\n"),
        Case("an empty host", "protocol=https\nhost=\n\n"),
        Case("http", "protocol=http\nhost=github.com\n\n"),
        Case("two hosts", "protocol=https\nhost=evil.test\nhost=github.com\n\n"),
        Case("two protocols", "protocol=http\nprotocol=https\nhost=github.com\n\n"),
        Case("CR in the host (CVE-2024-52006)", "protocol=https\nhost=evil.test\rhost=github.com\n\n"),
        Case("CR LF", "protocol=https\r\nhost=github.com\r\n\r\n"),
        Case(
            "CR in the user name (CVE-2025-23040)",
            "protocol=http\nhost=localhost:1\nusername=\rprotocol=https\rhost=github.com\r\n\n"),
        Case("NUL in the host", "protocol=https\nhost=github.com\0.evil.test\n\n"),
        Case("escape in the user name", "protocol=https\nhost=github.com\nusername=\u{1b}[2Kmonalisa\n\n"),
        Case("a suffix", "protocol=https\nhost=github.com.evil.test\n\n"),
        Case("a prefix", "protocol=https\nhost=notgithub.com\n\n"),
        Case("a dot behind", "protocol=https\nhost=github.com.\n\n"),
        Case("a space behind", "protocol=https\nhost=github.com \n\n"),
        Case("another port", "protocol=https\nhost=github.com:8443\n\n"),
        Case("port 0", "protocol=https\nhost=github.com:0\n\n"),
        Case("a port that overflows", "protocol=https\nhost=github.com:65979\n\n"),
        Case("an empty port", "protocol=https\nhost=github.com:\n\n"),
        Case("a port twice", "protocol=https\nhost=github.com:443:443\n\n"),
        Case("a port with a sign", "protocol=https\nhost=github.com:+443\n\n"),
        Case("wide digits", "protocol=https\nhost=github.com:４４３\n\n"),
        Case("user information", "protocol=https\nhost=github.com:443@evil.test\n\n"),
        Case("a percent sign", "protocol=https\nhost=github%2ecom\n\n"),
        Case("a letter that folds to k", "protocol=https\nhost=ghe.\u{212a}test\n\n"),
        Case("an account that is not there", "protocol=https\nhost=github.com\nusername=other\n\n"),
        Case("a line without =", "protocol=https\nhost=github.com\nnonsense\n\n"),
        Case(
            "a line of a megabyte",
            "protocol=https\nhost=github.com\nwwwauth[]=" + String(repeating: "a", count: 1 << 20)),
        Case(
            "a host cut out of a long line (CVE of git 2.41)",
            "protocol=https\nhost=evil.test\nwwwauth[]=" + String(repeating: "a", count: 65_530) + "host=github.com\n\n"
        ),
    ]

    // An account that is not there may be signed in to: only where nobody is, as here, does it get nothing.
    @Test(
        "a request that must not be answered gets nothing, and changes nothing", arguments: ["get", "store", "erase"])
    func refusal(operation: String) async throws {
        let fixture = try await EndToEndFixture(host: "github.com")
        let token = fixture.github.issueToken(for: "monalisa", app: fixture.app)
        try await fixture.remember(token)
        let before = try await fixture.session.items()
        for malformed in Self.refused {
            let end = try await fixture.session.run([BuiltFiles.helper, operation], input: malformed.request)
            let complaints = end.errors.split(separator: "\n").count { $0.hasPrefix("gitspace: error: ") }
            #expect(end.output.isEmpty && complaints <= 1, "\(malformed.name): \(end.output)\(end.errors)")
            #expect(!end.errors.contains(token.accessToken), "\(malformed.name)")
            #expect(!end.errors.utf8.contains { $0 < 0x20 && $0 != UInt8(ascii: "\n") }, "\(malformed.name)")
            #expect(try await fixture.session.items() == before, "\(malformed.name)")
        }
        #expect(fixture.github.requests.isEmpty)
    }

    /// Strange, and answered all the same.
    private static let answered = [
        Case("upper case", "protocol=https\nhost=GITHUB.COM\n\n"),
        Case("https's own port", "protocol=https\nhost=github.com:443\n\n"),
        Case("no blank line at the end", "protocol=https\nhost=github.com\n"),
        Case("words behind the blank line", "protocol=https\nhost=github.com\n\nhost=evil.test\n"),
        Case("the same host twice", "protocol=https\nhost=github.com\nhost=github.com\n\n"),
        Case("unknown keys", "protocol=https\nfoo=bar\nfoo[]=\nhost=github.com\n\n"),
        Case(
            "a thousand headers",
            "protocol=https\nhost=github.com\n" + String(repeating: "wwwauth[]=Basic\n", count: 1_000) + "\n"),
        Case(
            "a header with an escape sequence",
            "protocol=https\nhost=github.com\nwwwauth[]=Basic realm=\"\u{1b}]52;c;aGk=\u{7}\"\n\n"),
    ]

    @Test("a strange request for a known host is answered")
    func answer() async throws {
        let fixture = try await EndToEndFixture(host: "github.com")
        let token = fixture.github.issueToken(for: "monalisa", app: fixture.app)
        try await fixture.remember(token)
        for strange in Self.answered {
            let end = try await fixture.session.run([BuiltFiles.helper, "get"], input: strange.request)
            #expect(end.output == "username=monalisa\npassword=\(token.accessToken)\n", "\(strange.name)")
            #expect(end.errors.isEmpty, "\(strange.name): \(end.errors)")
        }
    }

    @Test("an expiry that is no number is no expiry")
    func expiry() async throws {
        let session = try await Session()
        for (number, value) in ["99999999999999999999", "-1", "abc", ""].enumerated() {
            let place = "protocol=https\nhost=git\(number).example.test\n"
            let store = try await session.run(
                [BuiltFiles.helper, "store"],
                input: place + "username=monalisa\npassword=secret\npassword_expiry_utc=\(value)\n")
            #expect(store.status == 0, "\(value)")
            let get = try await session.run([BuiltFiles.helper, "get"], input: place)
            #expect(get.output == "username=monalisa\npassword=secret\n", "\(value)")
        }
    }

    @Test("a word that is no operation prints no secret")
    func operation() async throws {
        let fixture = try await EndToEndFixture(host: "github.com")
        try await fixture.remember(fixture.github.issueToken(for: "monalisa", app: fixture.app))
        let long = String(repeating: "a", count: 100_000)
        for words in [["GET"], [""], ["get", "extra"], ["-x"], ["frobnicate"], [long]] {
            let end = try await fixture.session.run(
                [BuiltFiles.helper] + words, input: "protocol=https\nhost=github.com\n\n")
            #expect(end.status == 0 && end.output.isEmpty && end.errors.isEmpty, "\(words.joined().prefix(20))")
        }
    }

    @Test("without an operation, the usage")
    func usage() async throws {
        let session = try await Session()
        let end = try await session.run([BuiltFiles.helper])
        #expect(end.status == 64 && end.output.isEmpty && end.errors.contains("USAGE: "), "\(end.errors)")
    }

    @Test("what is printed when nobody reads, or nothing can be written, is kept")
    func brokenOutput() async throws {
        let fixture = try await EndToEndFixture(app: .gitHubApp(interval: 1))
        let old = fixture.github.issueToken(for: "monalisa", app: fixture.app)
        try await fixture.remember(old, expiringIn: -10)
        let end = try await fixture.start(
            ["sh", "-c", "\"$0\" get >/dev/full", BuiltFiles.helper], input: "protocol=https\nhost=\(fixture.host)\n"
        ).ended()
        #expect(end.status != 0)
        #expect(try await fixture.session.items().map(\.password) == [fixture.github.tokens.last?.accessToken])
        #expect(fixture.github.count(of: .refresh) == 1)
    }
}
