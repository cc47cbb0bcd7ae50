import FoundationEssentials
import StandIn
import Synchronization
import Testing

@Suite("Device flow and refresh of GitHub")
struct DeviceFlowTests {
    private let clock = ManualClock()
    private let codeAddress = "https://github.com/login/device/code"
    private let tokenAddress = "https://github.com/login/oauth/access_token"

    private func start(_ app: App) async throws -> (StandIn, Client) {
        let github = try await StandIn.start(clock: { [clock] in clock.now })
        github.register(app)
        return (github, Client(github: github))
    }

    /// The value of a string or number in a JSON object.
    private func member(_ name: String, of json: String) throws -> String {
        let object = try JSONDecoder().decode([String: Loose].self, from: Data(json.utf8))
        return try #require(object[name]?.text)
    }

    private func pollForm(_ app: App, _ deviceCode: String) -> String {
        "client_id=\(app.clientID)&device_code=\(deviceCode)&grant_type=urn:ietf:params:oauth:grant-type:device_code"
    }

    @Test("answers each early poll with slow_down, and lengthens the interval each time")
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

    @Test("revokes both old tokens at a refresh, and counts a second use of the refresh token")
    func rotation() async throws {
        let app = App.gitHubApp()
        let (github, client) = try await start(app)
        let old = github.issueToken(for: "monalisa", app: app)
        let refreshToken = try #require(old.refreshToken)
        let form = "client_id=\(app.clientID)&grant_type=refresh_token&refresh_token=\(refreshToken)"
        let fresh = try await client.post(tokenAddress, form)
        #expect(try member("expires_in", of: fresh) == "28800")
        #expect(try member("refresh_token", of: fresh) != refreshToken)
        #expect(try !github.isLive(old.accessToken) && github.isLive(member("access_token", of: fresh)))
        #expect(github.refreshTokenReuses == 0)

        #expect(try await client.post(tokenAddress, form).contains(#""error":"bad_refresh_token""#))
        #expect(github.refreshTokenReuses == 1)
        clock.advance(28_800)
        #expect(!github.isLive(try member("access_token", of: fresh)))
    }
}

/// The text of a JSON string or number.
private struct Loose: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do { text = try container.decode(String.self) } catch { text = String(try container.decode(Int.self)) }
    }
}

/// A clock that moves only in tests.
private final class ManualClock: Sendable {
    private let seconds = Mutex(1_700_000_000.0)

    /// The current time, in seconds since 1970.
    var now: Double { seconds.withLock { $0 } }

    func advance(_ interval: Double) { seconds.withLock { $0 += interval } }
}
