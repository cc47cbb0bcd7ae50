import CredentialCore
import Testing

@testable import Share

@Suite("gateway: answers from the host")
struct HostAnswerTests {
    private static let app = RepositoryName(host: HostName(name: "github.com"), path: "acme/app")
    private static let limited = GatewayPolicy(.repositories([app].compactMap(\.self)))
    private static let everything = GatewayPolicy(.hosts([HostName(name: "github.com")]))

    private func request(
        _ service: GitService = .uploadPack, isDiscovery: Bool = true, path: String = "acme/app",
        under policy: GatewayPolicy = limited
    ) throws -> HostRequest {
        let fields = "Content-Type: application/x-\(service.rawValue)-request\r\nContent-Length: 0\r\n"
        let line =
            isDiscovery
            ? "GET /github.com/\(path)/info/refs?service=\(service.rawValue)"
            : "POST /github.com/\(path)/\(service.rawValue)"
        let head = RequestHeadTests.read("\(line) HTTP/1.1\r\nHost: gitspace.invalid\r\n\(fields)\r\n").value
        return try policy.admit(try #require(head))
    }

    private func answer(
        _ answer: HostAnswer, to request: HostRequest, under policy: GatewayPolicy = limited, isRepeated: Bool = false
    ) -> String {
        let response: GatewayResponse
        switch answer.verdict(on: request, under: policy, isRepeated: isRepeated) {
        case .pass(let passed): response = passed
        case .answer(let own): response = own
        case .refuse(let refusal): response = GatewayResponse(refusal)
        case .askAgain: return "ask again"
        }
        return String(decoding: response.encoded(), as: UTF8.self)
    }

    @Test("passes on status, type and caching only, with a new framing")
    func passes() throws {
        let whole = HostAnswer(
            status: 200, contentType: Array("application/x-git-upload-pack-result".utf8),
            cacheControl: Array("no-cache, max-age=0".utf8), location: Array("https://evil.example/".utf8))
        #expect(
            try answer(whole, to: request()) == """
                HTTP/1.1 200 \r
                Content-Type: application/x-git-upload-pack-result\r
                Cache-Control: no-cache, max-age=0\r
                Transfer-Encoding: chunked\r
                \r\n
                """)
        #expect(
            try answer(HostAnswer(status: 503), to: request()) == "HTTP/1.1 503 \r\nTransfer-Encoding: chunked\r\n\r\n")
    }

    @Test(
        "drops a value that does not fit into a field",
        arguments: ["a\r\nSet-Cookie: x", "a\nb", "\u{0}", "\u{e9}", "a\tb", String(repeating: "a", count: 2_049)])
    func injection(value: String) throws {
        let bytes = Array(value.utf8)
        #expect(
            try answer(HostAnswer(status: 200, contentType: bytes, cacheControl: bytes), to: request())
                == "HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n")
    }

    @Test(
        "replaces the host's refusal by a sentence of ours",
        arguments: [
            (403, GitService.uploadPack, "403", "gitspace: github.com does not let this account read acme/app\n"),
            (403, .receivePack, "403", "gitspace: github.com does not let this account push to acme/app\n"),
            (404, .uploadPack, "404", "gitspace: github.com has no repository acme/app that this account can see\n"),
            (407, .uploadPack, "502", "gitspace: github.com sent an unexpected response\n"),
            (100, .uploadPack, "502", "gitspace: github.com sent an unexpected response\n"),
            (204, .uploadPack, "502", "gitspace: github.com sent an unexpected response\n"),
            (304, .uploadPack, "502", "gitspace: github.com sent an unexpected response\n"),
            (999, .uploadPack, "502", "gitspace: github.com sent an unexpected response\n"),
        ])
    func refusals(status: Int, service: GitService, shown: String, sentence: String) throws {
        #expect(
            try answer(HostAnswer(status: status, contentType: Array("text/html".utf8)), to: request(service)) == """
                HTTP/1.1 \(shown) \r
                Content-Type: text/plain; charset=utf-8\r
                Content-Length: \(sentence.utf8.count)\r
                \r
                \(sentence)
                """)
    }

    @Test("asks once for another token after a 401 for refs, and never makes the client ask for a password")
    func unauthorized() throws {
        let rejected = HostAnswer(status: 401)
        #expect(try answer(rejected, to: request()) == "ask again")
        #expect(try answer(rejected, to: request(), isRepeated: true).hasPrefix("HTTP/1.1 403 "))
        #expect(try answer(rejected, to: request(isDiscovery: false)).hasPrefix("HTTP/1.1 403 "))
        #expect(
            try answer(rejected, to: request(.receivePack, isDiscovery: false)).hasSuffix(
                "run: git credential-gitspace login github.com\n"))
    }

    @Test("names a moved repository that is not shared, and does not follow it")
    func moved() throws {
        let there = "https://github.com/acme/new.git/info/refs?service=git-upload-pack"
        for status in [301, 302, 303, 307, 308] {
            let told = try answer(HostAnswer(status: status, location: Array(there.utf8)), to: request())
            #expect(told.hasPrefix("HTTP/1.1 404 ") && !told.contains("Location"))
            #expect(told.hasSuffix("gitspace: github.com sends acme/app to acme/new, a name that is not shared\n"))
        }
    }

    @Test(
        "reports a redirect to anything but a repository on the host without a name",
        arguments: [
            nil, "", "https://evil.example/acme/app.git/info/refs?service=git-upload-pack",
            "http://github.com/acme/new/info/refs?service=git-upload-pack",
            "https://github.com:8443/acme/new/info/refs?service=git-upload-pack",
            "https://github.com@evil.example/acme/new/info/refs?service=git-upload-pack",
            "//evil.example/acme/new/info/refs?service=git-upload-pack", "https://github.com/login?return_to=acme",
            "https://github.com/acme/new", "https://github.com/acme/new/info/refs",
            "acme/new/info/refs?service=git-upload-pack",
            "https://github.com/acme/../new/info/refs?service=git-upload-pack",
            "https://github.com/acme/n%2fw/info/refs?service=git-upload-pack",
            "https://github.com/acme/\u{1b}[31m/info/refs?service=git-upload-pack",
        ])
    func elsewhere(location: String?) throws {
        for policy in [Self.limited, Self.everything] {
            let told = try answer(
                HostAnswer(status: 301, location: location.map { Array($0.utf8) }), to: request(under: policy),
                under: policy)
            #expect(told.hasPrefix("HTTP/1.1 404 ") && !told.contains("Location"))
            #expect(told.hasSuffix("gitspace: github.com sends requests for acme/app elsewhere\n"))
        }
    }

    @Test(
        "rewrites a redirect that the client may follow to a URL of ours",
        arguments: [
            "https://github.com/acme/app.git/info/refs?service=git-upload-pack",
            "HTTPS://GitHub.com:443/acme/app.git/info/refs?service=git-upload-pack",
            "/acme/app.git/info/refs?service=git-upload-pack",
        ])
    func respelt(location: String) throws {
        let told = try answer(HostAnswer(status: 301, location: Array(location.utf8)), to: request())
        #expect(
            told == """
                HTTP/1.1 301 \r
                Location: /github.com/acme/app.git/info/refs?service=git-upload-pack\r
                Content-Length: 0\r
                \r\n
                """)
    }

    @Test("rewrites a redirect to another name if the whole host is shared")
    func renamed() throws {
        let there = Array("https://github.com/Acme/New/info/refs?service=git-upload-pack".utf8)
        let told = try answer(
            HostAnswer(status: 301, location: there), to: request(under: Self.everything), under: Self.everything)
        #expect(told.contains("Location: /github.com/Acme/New/info/refs?service=git-upload-pack\r\n"))
    }

    @Test("refuses a redirect to the same name, to the other service, or for a POST")
    func circles() throws {
        let elsewhere = "gitspace: github.com sends requests for acme/app elsewhere\n"
        func told(_ location: String, isDiscovery: Bool = true) throws -> String {
            let moved = HostAnswer(status: 307, location: Array("https://github.com/\(location)".utf8))
            let told = try answer(moved, to: request(isDiscovery: isDiscovery))
            #expect(told.hasPrefix("HTTP/1.1 404 ") && !told.contains("Location"))
            return told
        }
        #expect(try told("acme/app/info/refs?service=git-upload-pack").hasSuffix(elsewhere))
        // git would request the share's own spelling again.
        #expect(
            try told("ACME/app/info/refs?service=git-upload-pack").hasSuffix(
                "gitspace: github.com sends acme/app to ACME/app, a name that is not shared\n"))
        #expect(try told("acme/app.git/info/refs?service=git-receive-pack").hasSuffix(elsewhere))
        #expect(try told("acme/app.git/git-upload-pack", isDiscovery: false).hasSuffix(elsewhere))
        #expect(try told("acme/app.git/info/refs?service=git-upload-pack", isDiscovery: false).hasSuffix(elsewhere))
    }

    @Test("has one printable line for each refusal, and a status of a client error or of ours")
    func sentences() {
        let name = DisplayText(untrusted: "a\u{1b}[31m\r\nX: y".utf8)
        let refusals: [HTTPRefusal] = [
            .malformed, .otherPath, .headTooLarge, .lengthRequired, .methodNotImplemented, .versionNotSupported,
            .expectationFailed, .unsupportedMediaType, .notFound, .notShared(name), .readOnly, .pushTooLarge,
            .signedPush, .noPushOptions, .pushNotAllowed, .tokenRejected(host: name),
            .forbidden(.uploadPack, repository: name, host: name),
            .noSuchRepository(name, host: name), .moved(name, host: name, to: name), .moved(name, host: name, to: nil),
            .badGateway(host: name), .unreachable(host: name),
        ]
        for refusal in refusals {
            let text = String(decoding: GatewayResponse(refusal).encoded(closes: true), as: UTF8.self)
            let lines = text.utf8.split(separator: 0x0a, omittingEmptySubsequences: false)
            #expect(lines.count == 7 && lines.last?.isEmpty == true && text.contains("\r\nConnection: close\r\n\r\n"))
            #expect((400...505).contains(refusal.status) && ![401, 407].contains(refusal.status))
            #expect(refusal.sentence.text.utf8.allSatisfy { (0x20...0x7e).contains($0) })
            #expect(refusal.sentence.text.hasPrefix("gitspace: "))
        }
    }

    @Test("sends chunks as they are read")
    func chunks() throws {
        var bytes: [UInt8] = []
        for count in [1, 15, 16, 65_536] {
            bytes += GatewayResponse.chunkStart(count) + [UInt8](repeating: 7, count: count) + GatewayResponse.chunkEnd
        }
        var input = (bytes + GatewayResponse.lastChunk)[...]
        var reader = BodyReader(.chunked)
        var total = 0
        while case .bytes(let piece) = try reader.next(&input) { total += piece.count }
        #expect(try total == 1 + 15 + 16 + 65_536 && reader.next(&input) == .end && input.isEmpty)
    }
}
