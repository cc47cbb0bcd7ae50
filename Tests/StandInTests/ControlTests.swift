import Staging
import Testing

@Suite("Control by scripts")
struct ControlTests {
    @Test("registers apps, issues tokens, counts, and lists every secret by the control port")
    func controlPort() async throws {
        let github = try await StandIn.start()
        let control = try await ControlPort(for: github)
        let client = Client(github: github)
        func post(_ command: String) async throws -> (body: String, status: String) {
            try await client.curl("--noproxy", "*", "--request", "POST", control.address + command)
        }
        func get(_ report: String) async throws -> String {
            try await client.curl("--noproxy", "*", control.address + report).body
        }

        #expect(try await post("/app?client_id=abc&interval=1&lifetime=60").status == "200")
        #expect(try await post("/repo?owner=acme&name=private").status == "200")
        #expect(try await post("/token?login=hubot").status == "400")
        #expect(try await post("/nonsense").status == "404")
        let pair = try await post("/token?login=hubot&client_id=abc").body
        #expect(pair.hasPrefix("ACCESS_TOKEN=ghu_") && pair.contains("\nREFRESH_TOKEN=ghr_"))
        _ = try await client.post("https://github.com/login/device/code", "client_id=abc")
        #expect(try await get("/counts") == "DEVICE_CODES=1\nTOKEN_GRANTS=0\nREFRESHES=0\nREUSES=0\nGIT_REQUESTS=0\n")
        #expect(try await get("/secrets").split(separator: "\n").map(String.init) == github.issuedSecrets)
    }

    @Test("prints its settings as an executable, and leaves nothing behind when standard input ends")
    func executable() async throws {
        let folder = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe").split(separator: "/")
            .dropLast().joined(separator: "/")
        let result = try await run(["/\(folder)/stand-in", "--interval", "1"])
        #expect(result.status == 0, "\(result.errors)")
        let pairs = result.output.split(whereSeparator: \.isWhitespace).map { $0.split(separator: "=") }
        #expect(
            pairs.map { $0.first } == ["PORT", "PROXY", "CA", "CONTROL", "CLIENT_ID_OAUTH_APP", "CLIENT_ID_GITHUB_APP"])
        let caFile = try #require(pairs.first { $0.first == "CA" }?.last)
        #expect(!FileManager.default.fileExists(atPath: String(caFile)))
        #expect(try await run(["/\(folder)/stand-in", "--nonsense", "1"]).status == 64)
    }
}
