import FoundationEssentials
import StandIn
import Testing

@Suite("Device flow and refresh, as GitHub answers them")
struct DeviceFlowTests {
    private let clock = ManualClock()
    private let codeAddress = "https://github.com/login/device/code"
    private let tokenAddress = "https://github.com/login/oauth/access_token"

    private func start(_ app: App) async throws -> (StandIn, Client) {
        let github = try await StandIn.start(clock: { [clock] in clock.now })
        github.register(app)
        return (github, Client(github: github))
    }

    /// The value of a string or number member of a JSON text.
    private func member(_ name: String, of json: String) throws -> String {
        let object = try JSONDecoder().decode([String: Loose].self, from: Data(json.utf8))
        return try #require(object[name]?.text)
    }

    private func pollForm(_ app: App, _ deviceCode: String) -> String {
        "client_id=\(app.clientID)&device_code=\(deviceCode)&grant_type=urn:ietf:params:oauth:grant-type:device_code"
    }

    @Test("an OAuth App signs in: pending, then a gho_ token whose scopes are comma-separated")
    func oauthApp() async throws {
        let app = App.oauthApp()
        let (github, client) = try await start(app)
        github.nextSignIn(.approve(as: "monalisa", afterPendingPolls: 1))

        let device = try await client.post(codeAddress, "client_id=\(app.clientID)&scope=repo%20gist")
        #expect(try member("verification_uri", of: device) == "https://github.com/login/device")
        #expect(try member("interval", of: device) == "5")
        let deviceCode = try member("device_code", of: device)

        let pending = try await client.post(tokenAddress, pollForm(app, deviceCode))
        #expect(try member("error", of: pending) == "authorization_pending")
        clock.advance(5)
        let granted = try await client.post(tokenAddress, pollForm(app, deviceCode))
        #expect(try member("scope", of: granted) == "repo,gist")
        let token = try member("access_token", of: granted)
        #expect(token.hasPrefix("gho_"))
        #expect(github.issuedSecrets == [deviceCode, token])

        let user = try await client.curl("--oauth2-bearer", token, "--include", "https://api.github.com/user")
        #expect(user.body.contains(#""login":"monalisa""#) && user.body.contains("X-OAuth-Scopes: repo, gist"))
        #expect(github.count(of: .poll) == 2)
        let spent = try await client.post(tokenAddress, pollForm(app, deviceCode))
        #expect(spent.contains(#""error":"incorrect_device_code""#))
    }

    @Test("a poll that is too early gets slow_down, and every one of them lengthens the interval")
    func pollRate() async throws {
        let app = App.gitHubApp()
        let (github, client) = try await start(app)
        github.everySignIn(.approve(as: "monalisa", afterPendingPolls: 1))
        let device = try await client.post(codeAddress, "client_id=\(app.clientID)")
        let form = pollForm(app, try member("device_code", of: device))

        #expect(try await client.post(tokenAddress, form).contains("authorization_pending"))
        clock.advance(4.99)
        #expect(try member("interval", of: try await client.post(tokenAddress, form)) == "10")
        clock.advance(9.99)
        #expect(try member("interval", of: try await client.post(tokenAddress, form)) == "15")
        clock.advance(15)
        #expect(try member("access_token", of: try await client.post(tokenAddress, form)).hasPrefix("ghu_"))
    }

    @Test("a refresh kills both old tokens, and a second use of the refresh token is counted")
    func rotation() async throws {
        let app = App.gitHubApp()
        let (github, client) = try await start(app)
        let old = github.issueToken(for: "monalisa", app: app)
        let refreshToken = try #require(old.refreshToken)
        let form = "client_id=\(app.clientID)&grant_type=refresh_token&refresh_token=\(refreshToken)"

        let fresh = try await client.post(tokenAddress, form)
        #expect(try member("expires_in", of: fresh) == "28800")
        #expect(try member("refresh_token", of: fresh) != refreshToken)
        #expect(!github.isLive(old.accessToken))
        #expect(github.isLive(try member("access_token", of: fresh)))
        #expect(github.refreshTokenReuses == 0)

        #expect(try await client.post(tokenAddress, form).contains(#""error":"bad_refresh_token""#))
        #expect(github.refreshTokenReuses == 1)
        clock.advance(28_800)
        #expect(!github.isLive(try member("access_token", of: fresh)))
    }

    @Test("a person approves at the form, and whoever asks for no JSON gets a form back")
    func form() async throws {
        let app = App.oauthApp()
        let (github, client) = try await start(app)
        let device = try await client.curl("--data", "client_id=\(app.clientID)&scope=repo", codeAddress).body
        #expect(device.hasPrefix("device_code="))
        let userCode = try #require(github.newestUserCode)
        let deviceCode = try #require(github.issuedSecrets.first)

        let page = try await client.curl(
            "--data", "user_code=\(userCode)&login=hubot&action=approve", "https://github.com/login/device")
        #expect(page.status == "200")
        let granted = try await client.curl("--data", pollForm(app, deviceCode), tokenAddress).body
        #expect(granted.hasPrefix("access_token=gho_"))
        #expect(github.tokens.map(\.login) == ["hubot"])
    }

    @Test("refusals: unknown app, device flow off, denied, expired, unverified address")
    func refusals() async throws {
        let app = App.oauthApp()
        let (github, client) = try await start(app)
        let unknown = try await client.curl(
            "--header", "Accept: application/json", "--data", "client_id=nobody", codeAddress)
        #expect(unknown.body == #"{"error":"Not Found"}"# && unknown.status == "404")
        github.nextSignIn(.deny(), .expire(), .emailUnverified(), .waitForPerson)
        for error in ["access_denied", "expired_token", "unverified_user_email"] {
            let device = try await client.post(codeAddress, "client_id=\(app.clientID)")
            let answer = try await client.post(tokenAddress, pollForm(app, try member("device_code", of: device)))
            #expect(try member("error", of: answer) == error)
        }
        let device = try await client.post(codeAddress, "client_id=\(app.clientID)")
        clock.advance(900)
        let late = try await client.post(tokenAddress, pollForm(app, try member("device_code", of: device)))
        #expect(try member("error", of: late) == "expired_token")
        var closed = app
        closed.allowsDeviceFlow = false
        github.register(closed)
        #expect(try await client.post(codeAddress, "client_id=\(app.clientID)").contains("device_flow_disabled"))
    }

    @Test("what was revoked is dead: by anyone who knows the token, or by the app with its secret")
    func revocation() async throws {
        var app = App.gitHubApp()
        app.secret = "s3cret"
        let (github, client) = try await start(app)
        let tokens = (0..<3).map { _ in github.issueToken(for: "monalisa", app: app) }
        let revoked = try await client.curl(
            "--json", #"{"credentials":["\#(tokens[0].accessToken)"]}"#, "https://api.github.com/credentials/revoke")
        #expect(revoked.status == "202")
        #expect(tokens.map { github.isLive($0.accessToken) } == [false, true, true])
        let deleted = try await client.curl(
            "--request", "DELETE", "--user", "\(app.clientID):s3cret", "--json",
            #"{"access_token":"\#(tokens[1].accessToken)"}"#,
            "https://api.github.com/applications/\(app.clientID)/grant")
        #expect(deleted.status == "204")
        #expect(tokens.map { github.isLive($0.accessToken) } == [false, false, false])
    }
}

/// A JSON string or number, as text.
private struct Loose: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do { text = try container.decode(String.self) } catch { text = String(try container.decode(Int.self)) }
    }
}
