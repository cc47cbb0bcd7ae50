import FoundationEssentials
import StandIn
import Testing

@Suite("Git over HTTPS, through the proxy, under the literal name github.com")
struct GitTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "stand-in-git-\(UUID())").path

    @Test("clone, push with a gzip-coded and with a chunked request, fetch")
    func roundTrip() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let github = try await StandIn.start()
        let client = Client(github: github)
        try github.createRepository("acme/private", writers: ["monalisa"], files: ["a.txt": "one\n"])
        let token = github.issueToken(for: "monalisa", app: github.register(.oauthApp())).accessToken

        let clone = try await client.git("clone", "https://github.com/acme/private", folder, password: token)
        #expect(clone.status == 0, "\(clone.errorText)")
        #expect(try String(contentsOfFile: folder + "/a.txt", encoding: .utf8) == "one\n")

        // A post buffer smaller than the pack makes git send it in chunks.
        let noise = (0..<40_000).map { _ in "\(UInt64.random(in: 0...UInt64.max))\n" }.joined()
        try noise.write(toFile: folder + "/noise.txt", atomically: false, encoding: .utf8)
        _ = try await client.git("-C", folder, "add", "noise.txt")
        _ = try await client.git("-C", folder, "commit", "--quiet", "--message", "Noise")
        let push = try await client.git(
            "-C", folder, "-c", "http.postBuffer=65536", "push", "--quiet", "origin", "main", password: token)
        #expect(push.status == 0, "\(push.errorText)")
        #expect(try github.git(["log", "--format=%s"], in: "acme/private") == "Noise\nFirst commit\n")
        #expect(github.requests(to: .gitPush).contains { $0.headers["transfer-encoding"] == "chunked" })

        // Many refs make the list of wants large enough for git to compress it.
        for number in 0..<60 {
            let commit = try github.git(["commit-tree", "-m", "\(number)", "main^{tree}"], in: "acme/private")
            try github.git(["branch", "b\(number)", String(commit.dropLast())], in: "acme/private")
        }
        let fetch = try await client.git("-C", folder, "fetch", "--quiet", password: token)
        #expect(fetch.status == 0, "\(fetch.errorText)")
        #expect(github.requests(to: .gitFetch).contains { $0.headers["content-encoding"] == "gzip" })
        #expect(github.requests(to: .gitFetch).contains { $0.headers["git-protocol"] == "version=2" })
        #expect(Set(github.tunnels) == ["github.com:443"])
    }

    @Test("a public repository is read without a token, in the protocol's version 2, and not written")
    func anonymous() async throws {
        let github = try await StandIn.start()
        try github.createRepository("acme/public", isPrivate: false)
        let refs = "https://github.com/Acme/Public/info/refs?service="
        let client = Client(github: github)
        let read = try await client.curl("--header", "Git-Protocol: version=2", refs + "git-upload-pack")
        #expect(read.status == "200" && read.body.contains("version 2"))
        let write = try await client.curl("--include", refs + "git-receive-pack")
        #expect(write.status == "401" && write.body.contains("WWW-Authenticate: Basic realm=\"GitHub\"\r\n"))
    }

    @Test(
        "no token 401, a stranger's 404, a reader's push 403",
        arguments: [
            ("nobody", "Authentication failed"), ("stranger", "not found"), ("reader", "403"),
        ])
    func refusal(login: String, message: String) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let github = try await StandIn.start()
        let client = Client(github: github)
        try github.createRepository("acme/private", readers: ["reader"])
        let app = github.register(.gitHubApp())
        let token = login == "nobody" ? "wrong" : github.issueToken(for: login, app: app).accessToken

        let clone = try await client.git("clone", "https://github.com/acme/private.git", folder, password: token)
        #expect((clone.status == 0) == (login == "reader"))
        let push = try await client.git(
            "-C", login == "reader" ? folder : "/", "push", "https://github.com/acme/private.git", "HEAD:x",
            password: token)
        #expect((clone.errorText + push.errorText).contains(message))
        #expect(github.requests(to: .gitRefs).first?.basicCredentials == nil)
        #expect(github.requests(to: .gitRefs).last?.basicCredentials?.password == token)
    }
}
