import FoundationEssentials
import StandIn
import Testing

@Suite("Steered from scripts")
struct ControlTests {
    @Test("the control port decides sign-ins, counts, and blots out every secret in what it lists")
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

        #expect(try await post("/app?client_id=abc&kind=github&interval=1&lifetime=60").status == "200")
        #expect(try await post("/approve-next?login=monalisa").status == "200")
        #expect(try await post("/repo?owner=acme&name=private").status == "200")
        #expect(try await post("/approve-next").status == "400")
        #expect(try await post("/nonsense").status == "404")
        _ = try await client.post("https://github.com/login/device/code", "client_id=abc")
        #expect(try await get("/user-code") == "\(github.newestUserCode ?? "none")\n")
        let deviceCode = try #require(github.issuedSecrets.first)
        let grantType = "urn:ietf:params:oauth:grant-type:device_code"
        let granted = try await client.post(
            "https://github.com/login/oauth/access_token",
            "client_id=abc&device_code=\(deviceCode)&grant_type=\(grantType)")
        #expect(granted.contains(#""expires_in":60,"#))

        let counts = try await get("/counts").split(separator: "\n")
        #expect(counts.starts(with: ["DEVICE_CODES=1", "POLLS=1", "TOKEN_GRANTS=1", "REFRESHES=0", "REUSES=0"]))
        #expect(try await get("/secrets").split(separator: "\n").map(String.init) == github.issuedSecrets)
        let requests = try await get("/requests")
        #expect(requests.contains("device_code=<redacted>&") && !requests.contains(deviceCode))

        _ = try await post("/expire-tokens")
        #expect(github.tokens.allSatisfy { !github.isLive($0.accessToken) })
        _ = try await post("/script?endpoint=user&answer=oauth-error&error=oops&status=418")
        let scripted = try await client.curl("https://api.github.com/user")
        #expect(scripted.status == "418" && scripted.body.contains("oops"))
        let token = try await post("/token?login=hubot").body
        #expect(token.hasPrefix("ACCESS_TOKEN=ghp_"))
    }

    @Test("the executable prints its settings, and leaves nothing behind when standard input ends")
    func executable() async throws {
        let folder = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            .split(separator: "/").dropLast().joined(separator: "/")
        let result = try await ChildProcess.running(["/\(folder)/stand-in", "--interval", "1"])
        #expect(result.status == 0, "\(result.errorText)")
        let pairs = result.outputText.split(whereSeparator: \.isWhitespace).map { $0.split(separator: "=") }
        #expect(
            pairs.map { $0.first } == [
                "PORT", "URL", "PROXY", "CA", "CONTROL", "CLIENT_ID_OAUTH_APP", "CLIENT_ID_GITHUB_APP",
            ])
        let caFile = try #require(pairs.first { $0.first == "CA" }?.last)
        #expect(!FileManager.default.fileExists(atPath: String(caFile)))
        #expect(try await ChildProcess.running(["/\(folder)/stand-in", "--nonsense", "1"]).status == 64)
    }
}
