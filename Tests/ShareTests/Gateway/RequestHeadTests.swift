import Testing

@testable import Share

@Suite("gateway: head of a request")
struct RequestHeadTests {
    typealias Reading = Outcome<RequestHead, HTTPRefusal>

    static func read(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) -> Reading {
        read(Array(text.utf8), sourceLocation: sourceLocation)
    }

    static func read(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) -> Reading {
        Pieces.outcome(of: bytes, sourceLocation: sourceLocation) { pieces in
            var parser = RequestHead.Parser()
            return Outcome(pieces) { (input: inout ArraySlice<UInt8>) throws(HTTPRefusal) in try parser.take(&input) }
        }
    }

    private static let host = "Host: gitspace.invalid\r\n"
    private static let path = "/github.com/acme/app/git-upload-pack"

    private func get(_ fields: String) -> String { "GET /github.com/a/b HTTP/1.1\r\n\(Self.host)\(fields)\r\n" }
    private func post(_ fields: String) -> String { "POST \(Self.path) HTTP/1.1\r\n\(Self.host)\(fields)\r\n" }

    @Test("reads the requests of git 2.39 for refs and for a fetch")
    func git() {
        let discovery = """
            GET /github.com/acme/app/info/refs?service=git-upload-pack HTTP/1.1\r
            Host: gitspace.invalid\r
            User-Agent: git/2.39.5\r
            Accept: */*\r
            Accept-Encoding: deflate, gzip, br, zstd\r
            Pragma: no-cache\r
            Git-Protocol: version=2\r
            \r
            next
            """
        let read = Self.read(discovery)
        #expect(read.rest == Array("next".utf8))
        #expect(
            read.value?.method == .get && read.value?.body == .length(0)
                && read.value?.fields[.gitProtocol] == "version=2")
        #expect(read.value?.target == RequestTarget("/github.com/acme/app/info/refs?service=git-upload-pack".utf8))
        #expect(read.value?.closes == false && read.value?.expectsContinue == false)
        let call = Self.read(
            post(
                "Content-Type: application/x-git-upload-pack-request\r\nContent-Encoding: gzip\r\nContent-Length: 175\r\n"
            )
        ).value
        #expect(call?.method == .post && call?.body == .length(175) && call?.fields[.contentEncoding] == "gzip")
        #expect(call?.fields[.contentType] == "application/x-git-upload-pack-request" && call?.target.query == nil)
    }

    @Test(
        "reads the length of a body",
        arguments: [
            ("Content-Length: 0\r\n", .length(0)), ("content-length:   12  \r\n", .length(12)),
            ("Content-Length: 9223372036854775807\r\n", .length(.max)), ("Transfer-Encoding: chunked\r\n", .chunked),
            ("TRANSFER-ENCODING:Chunked\r\n", .chunked),
        ] as [(String, BodyFraming)])
    func framing(fields: String, body: BodyFraming) { #expect(Self.read(post(fields)).value?.body == body) }

    @Test(
        "refuses a length that two readers could read differently",
        arguments: [
            "Content-Length: 4\r\nContent-Length: 4\r\n", "Content-Length: 4\r\nContent-Length: 5\r\n",
            "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
            "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: identity\r\n",
            "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: chunked, chunked\r\n",
            "Transfer-Encoding: chunked;q=1\r\n", "Transfer-Encoding: xchunked\r\n", "Transfer-Encoding:\r\n",
            "Transfer-Encoding: \"chunked\"\r\n", "Content-Length: 4, 4\r\n", "Content-Length: +4\r\n",
            "Content-Length: -4\r\n", "Content-Length: 0x4\r\n", "Content-Length: 4 4\r\n", "Content-Length:\r\n",
            "Content-Length: 9223372036854775808\r\n", "Content-Length: 4\u{00b2}\r\n", "Content-Length: 4;\r\n",
        ])
    func ambiguousLength(fields: String) { #expect(Self.read(post(fields)).failure == .malformed) }

    @Test("refuses a POST without a length, and a GET with one")
    func lengths() {
        #expect(Self.read(post("")).failure == .lengthRequired)
        #expect(Self.read(get("Content-Length: 1\r\n")).failure == .malformed)
        #expect(Self.read(get("Transfer-Encoding: chunked\r\n")).failure == .malformed)
        #expect(Self.read(get("Content-Length: 0\r\n")).value?.body == .length(0))
    }

    @Test(
        "refuses malformed fields",
        arguments: [
            "Content-Length : 4\r\n", " Content-Length: 4\r\n", "Content-Type: a\r\n b\r\n",
            "Content-Type: a\r\n\tb\r\n", "Content-Type\r\n", ": a\r\n", "Content Type: a\r\n",
            "Content-Type\u{0}: a\r\n", "Content-Type: a\u{0}b\r\n", "X: a\tb\r\n", "X: \u{e9}\r\n", "X: \u{7f}\r\n",
            "X(: a\r\n", "X: a\n", "X: a\rYZ: b\r\n", "X: a\r\r\n", "X: a\n\r\n",
        ])
    func malformedFields(fields: String) { #expect(Self.read(get(fields)).failure == .malformed) }

    @Test(
        "refuses any other request line",
        arguments: [
            ("", .malformed), (" GET / HTTP/1.1", .malformed), ("GET  /a HTTP/1.1", .malformed),
            ("GET  HTTP/1.1", .otherPath), ("GET /a  HTTP/1.1", .malformed), ("GET /a HTTP/1.1 ", .malformed),
            ("GET\t/a HTTP/1.1", .malformed), ("GET /a", .malformed), ("GET /a http/1.1", .malformed),
            ("GET /a HTTP/1.0", .versionNotSupported), ("GET /a HTTP/1.10", .versionNotSupported),
            ("GET /a HTTP/2", .versionNotSupported), ("GET http://gitspace.invalid/a HTTP/1.1", .otherPath),
            ("CONNECT github.com:443 HTTP/1.1", .otherPath), ("OPTIONS * HTTP/1.1", .otherPath),
            ("PUT /a HTTP/1.1", .methodNotImplemented), ("get /a HTTP/1.1", .methodNotImplemented),
            ("HEAD /a HTTP/1.1", .methodNotImplemented), ("DELETE /a HTTP/1.1", .methodNotImplemented),
            ("PRI * HTTP/2.0", .otherPath), ("GET /a\u{0} HTTP/1.1", .malformed), ("GET /a\u{7f} HTTP/1.1", .malformed),
        ] as [(String, HTTPRefusal)])
    func requestLines(line: String, refusal: HTTPRefusal) {
        #expect(Self.read("\(line)\r\n\(Self.host)\r\n").failure == refusal)
    }

    @Test(
        "refuses a path that is not in its plain form",
        arguments: [
            "", "a", "/", "//", "/github.com//app", "/github.com/acme/", "/github.com/./app", "/github.com/../app",
            "/..", "/github.com/acme/app/..", "/github.com/acme%2fapp", "/github.com/%2e%2e/app",
            "/github.com/acme/app%00", "/github.com/acme;x/app", "/github.com\\acme/app", "/github.com/acme/app\\..\\x",
            "/github.com/acme:x/app", "/github.com/acme/app#x", "/github.com/acme/a*", "/github.com/acme/a&b",
            "/github.com@evil.example/acme/app", "/github.com/acme/app!", "/github.com/[acme]/app", "/git%68ub.com/a",
            "/github.com/acme/app/%2E./other", "/github.com/acme%252fapp", "/github.com/acme/app%5c..%5cother",
            "/github.com/acme/app%3bx", "/github.com/acme/app%3f", "/github.com/acme/app%ff",
            "/github.com/acme/app%c0%af", "/github.com/acme/app%", "/github.com/acme/app%4", "/github.com/acme/app%zz",
            "/github.com/acme/app%0d%0a", "/github.com/acme/app%e2%80%8b",
        ])
    func paths(path: String) { #expect(Self.read("GET \(path) HTTP/1.1\r\n\(Self.host)\r\n").failure == .otherPath) }

    @Test(
        "accepts every allowed character in a path",
        arguments: [
            "/github.com/acme/app", "/GitHub.com:443/A-b_c.d~e/..x", "/github.com/acme/.github/info/refs",
            "/[::1]:8443/a/b", "/gitlab.com/a/b/c/d.git/info/refs", "/a", "/github.com/a%20b/%28c%29",
        ])
    func plainPaths(path: String) {
        let target = Self.read("GET \(path) HTTP/1.1\r\n\(Self.host)\r\n").value?.target
        #expect(target.map { "/" + ([$0.authority] + $0.segments).joined(separator: "/") } == path)
    }

    @Test(
        "requires one Host field with our name",
        arguments: [
            "", "Host: github.com\r\n", "Host: gitspace.invalid\r\nHost: gitspace.invalid\r\n", "Host:\r\n",
            "Host: gitspace.invalid:80\r\n", "Host: gitspace.invalid.\r\n", "Host: gitspace.invalid, github.com\r\n",
        ])
    func hosts(fields: String) { #expect(Self.read("GET /a HTTP/1.1\r\n\(fields)\r\n").failure == .malformed) }

    @Test(
        "refuses a second field of a name that counts",
        arguments: ["Content-Type", "Content-Encoding", "Git-Protocol", "Expect", "Host", "content-length"])
    func twice(name: String) { #expect(Self.read(get("\(name): 0\r\n\(name): 0\r\n")).failure == .malformed) }

    @Test(
        "reads Expect and Connection",
        arguments: [
            ("Expect: 100-continue\r\n", true, false), ("expect:100-Continue\r\n", true, false),
            ("Connection: close\r\n", false, true), ("Connection: Upgrade, Close\r\n", false, true),
            ("Connection: keep-alive\r\nConnection: close\r\n", false, true),
            ("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n", false, false),
            ("X-Connection: close\r\n", false, false),
        ])
    func connection(fields: String, expectsContinue: Bool, closes: Bool) {
        let head = Self.read(post("\(fields)Content-Length: 1\r\n")).value
        #expect(head?.expectsContinue == expectsContinue && head?.closes == closes)
        // An empty body needs no 100 (Continue).
        #expect(Self.read(get(fields)).value?.expectsContinue == false)
    }

    @Test("refuses any other expectation", arguments: ["", "200-ok", "100-continue, x"])
    func expectations(value: String) { #expect(Self.read(get("Expect: \(value)\r\n")).failure == .expectationFailed) }

    @Test("accepts 32 fields and 8 KiB, and refuses one more")
    func size() {
        let most = 8_192 - get("X: \r\n").utf8.count
        #expect(Self.read(get("X: \(String(repeating: "a", count: most))\r\n")).value != nil)
        #expect(Self.read(get("X: \(String(repeating: "a", count: most + 1))\r\n")).failure == .headTooLarge)
        #expect(Self.read(String(repeating: "a", count: 8_192)) == Self.read(""))
        #expect(Self.read(String(repeating: "a", count: 8_193)).failure == .headTooLarge)
        #expect(Self.read(get(String(repeating: "X: a\r\n", count: 31))).value != nil)
        #expect(Self.read(get(String(repeating: "X: a\r\n", count: 32))).failure == .headTooLarge)
    }

    @Test("waits for the rest of a possible request, leaves a second one, and refuses any other at once")
    func waiting() {
        let text = get("")
        for count in 0..<text.utf8.count { #expect(Self.read(Array(text.utf8.prefix(count))).result == .success(nil)) }
        for bytes in [[5, 1, 0], [0x16, 3, 1], [0], [0x0a], [0x0d, 0x0d], [0x7f]] as [[UInt8]] {
            #expect(Self.read(bytes).failure == .malformed)
        }
        let second = "POST /github.com/a/b HTTP/1.1\r\n"
        #expect(Self.read(get("") + second).rest == Array(second.utf8))
    }
}
