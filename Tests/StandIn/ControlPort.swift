/// A plain HTTP port on loopback that lets scripts control a stand-in, as tests do through its methods.
///
/// Never for another machine: it returns every secret that the stand-in has issued.
package final class ControlPort: Sendable {
    private let listener: Listener
    package var address: String { "http://127.0.0.1:\(listener.port)" }

    package init(for github: StandIn) throws {
        listener = try Listener { (connection: consuming Connection) in
            connection.serve { .answer(ControlCommand(request: $0, github: github).answer()) }
        }
    }

    package func stop() async { await listener.stop() }
}

/// One request to the control port: its path is the command, its query the parameters, its answer plain text.
///
/// | command | parameters | does |
/// |---|---|---|
/// | `POST /token` | `login`, `client_id` | issues a token without sign-in and answers with it |
/// | `POST /app` | `client_id`, `interval`, `lifetime` (seconds of an access token) | registers a GitHub App |
/// | `POST /repo` | `owner`, `name` | makes a repository to which monalisa may write |
/// | `GET /counts`, `/secrets` | | one fact a line |
struct ControlCommand {
    let request: Request
    let github: StandIn
    private var parameters: [String: String] { request.query }

    /// Runs the command; status 400 names a wrong parameter, 404 an unknown command.
    func answer() -> Answer {
        do {
            let text = try request.method == "POST" ? change() : report()
            return text.map { .text($0) } ?? .text("no such command\n", status: 404)
        } catch { return .text("\(error)\n", status: 400) }
    }

    /// The answer to `GET`: what has happened so far; `nil` for an unknown report.
    private func report() -> String? {
        switch request.path {
        case "/counts": counts
        case "/secrets": Self.lines(github.issuedSecrets)
        default: nil
        }
    }

    private var counts: String {
        func sum(_ endpoints: Endpoint...) -> Int { endpoints.map(github.count).reduce(0, +) }
        return Self.lines([
            "DEVICE_CODES=\(sum(.deviceCode))", "TOKEN_GRANTS=\(github.completedSignIns)", "REFRESHES=\(sum(.refresh))",
            "REUSES=\(github.refreshTokenReuses)", "GIT_REQUESTS=\(sum(.gitRefs, .gitFetch, .gitPush))",
        ])
    }

    /// Runs a `POST` command, which changes the stand-in; `nil` for an unknown command.
    private func change() throws -> String? {
        switch request.path {
        case "/token": return try issueToken()
        case "/app": github.register(try app())
        case "/repo":
            try github.createRepository("\(try parameter("owner"))/\(try parameter("name"))", writers: ["monalisa"])
        default: return nil
        }
        return "ok\n"
    }

    private func app() throws -> App {
        var app = App.gitHubApp(clientID: try parameter("client_id"))
        app.permissions["pull_requests"] = "write"
        if let interval = parameters["interval"].flatMap({ Double($0) }) { app.interval = interval }
        if let seconds = parameters["lifetime"].flatMap({ Double($0) }) { app.lifetime?.access = seconds }
        return app
    }

    private func issueToken() throws -> String {
        let clientID = try parameter("client_id")
        guard let app = github.app(clientID) else { throw StandInError("no app \(clientID)") }
        let token = github.issueToken(for: try parameter("login"), app: app)
        let refreshToken = token.refreshToken.map { ["REFRESH_TOKEN=\($0)"] } ?? []
        return Self.lines(["ACCESS_TOKEN=\(token.accessToken)"] + refreshToken)
    }

    private func parameter(_ name: String) throws -> String {
        guard let value = parameters[name] else { throw StandInError("parameter \(name) is missing") }
        return value
    }

    private static func lines(_ texts: [String]) -> String { texts.map { $0 + "\n" }.joined() }
}
