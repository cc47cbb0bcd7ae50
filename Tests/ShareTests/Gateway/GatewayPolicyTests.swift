import CredentialCore
import Testing

@testable import Share

@Suite("gateway: requests to the host")
struct GatewayPolicyTests {
    private static let github = HostName(name: "github.com")

    private static func repository(_ path: String, on host: String = "github.com") -> RepositoryName? {
        HostName(Array(host.utf8)).flatMap { RepositoryName(host: $0, path: path) }
    }

    private static func shared(_ paths: String..., isReadOnly: Bool = false) -> GatewayPolicy {
        GatewayPolicy(.repositories(paths.compactMap { repository($0) }), isReadOnly: isReadOnly)
    }

    private static let app = shared("acme/app")
    private static let everything = GatewayPolicy(
        .hosts([github, HostName(name: "git.example", port: 8_443), HostName(name: "[::1]")]))

    private func get(_ path: String, _ policy: GatewayPolicy = Self.app, fields: String = "") -> Result<
        HostRequest, HTTPRefusal
    > { request("GET \(path) HTTP/1.1\r\nHost: gitspace.invalid\r\n\(fields)\r\n", policy) }

    private func post(
        _ path: String, _ policy: GatewayPolicy = Self.app, type: String = "application/x-git-upload-pack-request",
        fields: String = ""
    ) -> Result<HostRequest, HTTPRefusal> {
        let length = "Content-Length: 4\r\n"
        return request(
            "POST \(path) HTTP/1.1\r\nHost: gitspace.invalid\r\nContent-Type: \(type)\r\n\(fields)\(length)\r\n", policy
        )
    }

    private func request(_ text: String, _ policy: GatewayPolicy) -> Result<HostRequest, HTTPRefusal> {
        RequestHeadTests.read(text).result.flatMap { head in
            do throws(HTTPRefusal) {
                guard let head else { throw .malformed }
                return .success(try policy.admit(head))
            } catch { return .failure(error) }
        }
    }

    private func address(_ result: Result<HostRequest, HTTPRefusal>) -> String? { try? result.get().address.text }
    private func fields(_ result: Result<HostRequest, HTTPRefusal>) -> [String]? {
        try? result.get().fields.map { "\($0.name): \($0.value)" }
    }

    @Test("rebuilds the URL for refs, a fetch and a push, with only the client's version of the protocol")
    func passes() {
        let noise =
            "Authorization: Basic eDp5\r\nCookie: a=b\r\nRange: bytes=0-1\r\nX-Forwarded-For: 1\r\nUser-Agent: x\r\n"
        let refs = get(
            "/github.com/acme/app/info/refs?service=git-upload-pack", fields: noise + "Git-Protocol: version=2\r\n")
        #expect(address(refs) == "https://github.com/acme/app/info/refs?service=git-upload-pack")
        #expect(fields(refs) == ["Accept: */*", "Git-Protocol: version=2"])
        let fetch = post("/github.com/acme/app/git-upload-pack", fields: noise + "Content-Encoding: gzip\r\n")
        #expect(address(fetch) == "https://github.com/acme/app/git-upload-pack")
        #expect(
            fields(fetch) == [
                "Accept: application/x-git-upload-pack-result", "Content-Type: application/x-git-upload-pack-request",
                "Content-Encoding: gzip",
            ])
        let push = post(
            "/github.com/acme/app/git-receive-pack", type: "application/x-git-receive-pack-request",
            fields: noise + "Git-Protocol: version=1:x.y-z=\r\n")
        #expect(address(push) == "https://github.com/acme/app/git-receive-pack")
        #expect(
            fields(push) == [
                "Accept: application/x-git-receive-pack-result", "Content-Type: application/x-git-receive-pack-request",
                "Git-Protocol: version=1:x.y-z=",
            ])
        #expect((try? push.get())?.endpoint.service == .receivePack && (try? push.get())?.body == .length(4))
    }

    @Test(
        "refuses a GET that git does not send",
        arguments: [
            "/github.com", "/github.com/info/refs?service=git-upload-pack", "/github.com/acme/app",
            "/github.com/acme/app/info/refs", "/github.com/acme/app/info/refs?", "/github.com/acme/app/HEAD",
            "/github.com/acme/app/info/refs?service=git-upload-archive", "/github.com/acme/app/info/refs?service=",
            "/github.com/acme/app/info/refs?service=git-upload-pack&service=git-receive-pack",
            "/github.com/acme/app/info/refs?Service=git-upload-pack", "/github.com/acme/app/info/refs?git-upload-pack",
            "/github.com/acme/app/info/refs?service=git-upload-pack?",
            "/github.com/acme/app/info/refs?service=git-upload-pack#",
            "/github.com/acme/app/info/refs?service=git%2dupload-pack",
            "/github.com/acme/app/info/REFS?service=git-upload-pack", "/github.com/acme/app/objects/info/packs",
            "/github.com/acme/app/info/lfs/objects/batch", "/github.com/acme/app/git-upload-pack",
            "/github.com/acme/.git/info/refs?service=git-upload-pack",
            "/github.com/.git/info/refs?service=git-upload-pack", "/github.com/acme/app/archive/main.tar.gz",
        ])
    func unknown(path: String) {
        #expect(get(path, Self.everything).failure == .notFound)
        #expect(get(path).failure == .notFound)
    }

    @Test(
        "refuses a POST that git does not send",
        arguments: [
            "/github.com/acme/app/info/refs", "/github.com/acme/app/git-upload-archive", "/github.com/git-upload-pack",
            "/github.com/acme/app/git-upload-pack?", "/github.com/acme/app/git-upload-pack?service=git-upload-pack",
            "/github.com/acme/app/Git-Upload-Pack", "/github.com/acme/app/info/lfs/objects/batch", "/git-upload-pack",
            "/github.com/acme/app",
        ])
    func unknownCalls(path: String) { #expect(post(path, Self.everything).failure == .notFound) }

    @Test(
        "accepts a repository with or without .git in any letter case, and sends the share's own name",
        arguments: [
            ("acme/app", "acme/app"), ("acme/app.git", "acme/app.git"), ("ACME/App", "acme/app"),
            ("Acme/APP.git", "acme/app.git"),
        ])
    func spellings(asked: String, sent: String) {
        #expect(
            address(get("/github.com/\(asked)/info/refs?service=git-upload-pack"))
                == "https://github.com/\(sent)/info/refs?service=git-upload-pack")
        #expect(
            address(post("/GitHub.com:443/\(asked)/git-upload-pack")) == "https://github.com/\(sent)/git-upload-pack")
    }

    @Test(
        "refuses another repository with a similar name, or with letters that only resemble it",
        arguments: [
            "github.com/acme/other", "github.com/acme/app2", "github.com/acme/ap", "github.com/acme/app.git.git",
            "github.com/acme/app.GIT", "github.com/acme/app.wiki", "github.com/acme/app.wiki.git",
            "github.com/acme/app.", "github.com/acme/app/x", "github.com/x/acme/app", "github.com/acme",
            "github.com/app", "github.com/acme/app/.x", "github.com/acme/app~", "github.com/acme_app",
            "gitlab.com/acme/app", "github.com:8443/acme/app", "github.com./acme/app", "www.github.com/acme/app",
            "gist.github.com/acme/app", "github.com/acme/app/info/refs", "github.com/acme/app/git-upload-pack",
            "github.com/acme/app.git/x", "github.com/acme/ap\u{ff50}", "github.com/acme/\u{212a}app",
            "github.com/acme/app\u{301}", "github.com/acme/app%CC%81", "github.com/\u{430}cme/app",
        ])
    func others(path: String) {
        for result in [get("/\(path)/info/refs?service=git-upload-pack"), post("/\(path)/git-upload-pack")] {
            guard result.failure?.rule == .notShared else {
                Issue.record("\(path): \(result)")
                continue
            }
        }
    }

    @Test(
        "accepts each spelling of a name with other signs, and sends one of them",
        arguments: [
            (["acme/%61pp", "acm%65/app"], "acme/app"), (["a/c++", "a/c%2b%2B"], "a/c%2B%2B"),
            (["org/my%20app"], "org/my%20app"), (["user@x/y", "user%40x/y"], "user%40x/y"),
            (["x,y", "x%2Cy"], "x%2Cy"), (["Größe", "Gr%c3%b6%C3%9Fe"], "Gr%C3%B6%C3%9Fe"), (["one"], "one"),
        ])
    func signs(spellings: [String], sent: String) throws {
        for spelling in spellings {
            let policy = Self.shared(spelling)
            for asked in spellings {
                #expect(
                    address(get("/github.com/\(asked)/info/refs?service=git-upload-pack", policy))
                        == "https://github.com/\(sent)/info/refs?service=git-upload-pack")
                #expect(
                    address(post("/github.com/\(asked).git/git-upload-pack", policy))
                        == "https://github.com/\(sent).git/git-upload-pack")
                #expect(get("/github.com/\(asked)x/info/refs?service=git-upload-pack", policy).failure != nil)
            }
        }
    }

    @Test("accepts every repository of the shared hosts at any depth, and of no other host")
    func hosts() {
        func asked(_ path: String) -> String? {
            address(get("/\(path)/info/refs?service=git-receive-pack", Self.everything))
        }
        let end = "/info/refs?service=git-receive-pack"
        #expect(asked("github.com/Acme/App.git") == "https://github.com/Acme/App.git" + end)
        #expect(asked("git.example:8443/a/b/c/d") == "https://git.example:8443/a/b/c/d" + end)
        #expect(asked("[::1]/~me/app") == "https://[::1]/~me/app" + end)
        #expect(
            asked("git.example/a/b") == nil && asked("git.example:443/a/b") == nil && asked("gitlab.com/a/b") == nil)
        #expect(asked("github.com:0/a/b") == nil && asked("github.com:/a/b") == nil && asked("github.com:x/a/b") == nil)
    }

    @Test("reads the names of a share as those of requests")
    func names() {
        #expect(Self.repository("acme/app.git") == Self.repository("ACME/app", on: "GitHub.com:443"))
        for path in [
            "", "/", "acme/", "/app", "acme//app", "acme/..", "acme/a b", "acme/app?x", ".git", "acme/.git", "a:b/c",
        ] { #expect(Self.repository(path) == nil) }
    }

    @Test("refuses the refs for a push and a push itself if the share is read-only")
    func readOnly() {
        let policy = Self.shared("acme/app", isReadOnly: true)
        #expect(get("/github.com/acme/app/info/refs?service=git-receive-pack", policy).failure == .readOnly)
        let push = post("/github.com/acme/app/git-receive-pack", policy, type: "application/x-git-receive-pack-request")
        #expect(push.failure == .readOnly)
        #expect(address(get("/github.com/acme/app/info/refs?service=git-upload-pack", policy)) != nil)
        #expect(address(post("/github.com/acme/app/git-upload-pack", policy)) != nil)
    }

    @Test(
        "refuses a content type that git does not send",
        arguments: [
            "", "text/plain", "application/x-git-receive-pack-request",
            "application/x-git-upload-pack-request; charset=x", "application/x-git-upload-pack-result",
            "Application/X-Git-Upload-Pack-Request",
        ])
    func types(type: String) {
        #expect(post("/github.com/acme/app/git-upload-pack", type: type).failure == .unsupportedMediaType)
    }

    @Test("accepts a compressed fetch, and refuses a compressed push")
    func compression() {
        let receive = "application/x-git-receive-pack-request"
        for coding in ["gzip", "deflate", "identity", ""] {
            let fields = "Content-Encoding: \(coding)\r\n"
            #expect(
                post("/github.com/acme/app/git-receive-pack", type: receive, fields: fields).failure
                    == .unsupportedMediaType)
            #expect(
                (address(post("/github.com/acme/app/git-upload-pack", fields: fields)) != nil) == (coding == "gzip"))
        }
    }

    @Test("refuses a version of the protocol with separators of fields", arguments: ["a b", "a,b", "\"a\"", "a;b"])
    func protocolVersion(value: String) {
        let path = "/github.com/acme/app/info/refs?service=git-upload-pack"
        #expect(get(path, fields: "Git-Protocol: \(value)\r\n").failure == .malformed)
    }
}

extension Result { var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } } }
