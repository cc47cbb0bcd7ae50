/// One request to the control port: its path is the command, its query the parameters, its answer plain text.
///
/// | command | parameters | does |
/// |---|---|---|
/// | `POST /approve-next`, `/approve-all` | `login`, `after` (pending polls), `scopes` | decides sign-ins beforehand |
/// | `POST /deny-next`, `/expire-next` | `after` | the same |
/// | `POST /expire-tokens`, `/expire-refresh-tokens` | | ends the time of all that were issued |
/// | `POST /revoke` | `token` | revokes one |
/// | `POST /token` | `login`, `client_id`, `scopes` | issues a token without sign-in and answers with it |
/// | `POST /app` | `client_id`, `kind=github` or `gitlab`, `interval`, `lifetime`, `secret`, `device_flow=0` | registers an app |
/// | `POST /repo` | `owner`, `name`, `public=1`, `readers`, `writers` | makes a repository |
/// | `POST /refuse` | `login`, `repo`, `because` (`singleSignOn`, …; none: lets in again) | refuses a person's tokens |
/// | `POST /script` | `endpoint`, `answer`, `times` (`all`: for ever), and the answer's own | lays down an answer |
/// | `POST /genuine` | `endpoint` | forgets answers laid down |
/// | `POST /reception` | `kind` (`served`, `silent`, `hungUp`) | what new connections meet |
/// | `GET /counts`, `/requests`, `/secrets`, `/tunnels`, `/user-code` | | one fact a line |
struct ControlCommand {
    private let request: Request
    private let parameters: [String: String]
    private let github: StandIn

    /// Reads a request that is meant for `github`.
    init(_ request: Request, github: StandIn) {
        self.request = request
        self.github = github
        parameters = request.query
    }

    /// Does what is asked; `400` tells what was wrong with it, `404` that there is no such command.
    func answer() -> Answer {
        do {
            let text = try request.method == "POST" ? change() : report()
            return text.map { .text($0) } ?? .text("no such command\n", status: 404)
        } catch {
            return .text("\(error)\n", status: 400)
        }
    }

    /// `GET`: says what has happened; nil if there is no such report.
    private func report() -> String? {
        switch request.path {
        case "/counts": Report(github).counts
        case "/requests": Report(github).requests
        case "/secrets": Report.lines(github.issuedSecrets)
        case "/tunnels": Report.lines(github.tunnels)
        case "/user-code": Report.lines([github.newestUserCode].compactMap(\.self))
        default: nil
        }
    }

    /// `POST`: changes what will happen; nil if there is no such command.
    private func change() throws -> String? {
        let polls = parameters["after"].flatMap { Int($0) } ?? 0
        switch request.path {
        case "/approve-next": github.nextSignIn(try approval(afterPendingPolls: polls))
        case "/approve-all": github.everySignIn(try approval(afterPendingPolls: polls))
        case "/deny-next": github.nextSignIn(.deny(afterPendingPolls: polls))
        case "/expire-next": github.nextSignIn(.expire(afterPendingPolls: polls))
        case "/expire-tokens": github.expireAccessTokens()
        case "/expire-refresh-tokens": github.expireRefreshTokens()
        case "/revoke": github.revoke(try parameter("token"))
        case "/app": github.register(try App(parameters))
        case "/repo": try createRepository()
        case "/refuse": try refuse()
        case "/token": return try issueToken()
        case "/script": try layDownAnswer()
        case "/genuine": github.answerGenuinely(try parameters["endpoint"].map(endpoint))
        case "/reception": try receive()
        default: return nil
        }
        return "ok\n"
    }

    /// `login`, and perhaps `scopes`.
    private func approval(afterPendingPolls polls: Int) throws -> SignInOutcome {
        .approve(as: try parameter("login"), scopes: list("scopes"), afterPendingPolls: polls)
    }

    /// `owner`, `name`, and perhaps `public=1`, `readers`, `writers`; without either the writer is `monalisa`.
    private func createRepository() throws {
        let readers = list("readers")
        try github.createRepository(
            "\(try parameter("owner"))/\(try parameter("name"))", isPrivate: parameters["public"] != "1",
            readers: Set(readers ?? []), writers: Set(list("writers") ?? (readers == nil ? ["monalisa"] : [])))
    }

    /// `login`, and perhaps `client_id` (none: a personal access token) and `scopes`; answers with the pair.
    private func issueToken() throws -> String {
        let clientID = parameters["client_id"]
        guard let app = clientID == nil ? .personalAccessTokens : clientID.flatMap(github.app) else {
            throw StandInError("no app \(clientID ?? "")")
        }
        let token = github.issueToken(for: try parameter("login"), app: app, scopes: list("scopes"))
        let refreshToken = token.refreshToken.map { ["REFRESH_TOKEN=\($0)"] } ?? []
        return Report.lines(["ACCESS_TOKEN=\(token.accessToken)"] + refreshToken)
    }

    /// `login`, `repo`, and perhaps `because`.
    private func refuse() throws {
        let refusal = try parameters["because"].map { name throws in
            guard let refusal = Repository.Refusal(rawValue: name) else { throw StandInError("no refusal \(name)") }
            return refusal
        }
        github.refuse(try parameter("login"), at: try parameter("repo"), because: refusal)
    }

    /// `endpoint`, `answer`, and perhaps `times` (a number, or `all`; without it once).
    private func layDownAnswer() throws {
        let times = parameters["times"] == "all" ? nil : parameters["times"].flatMap { Int($0) } ?? 1
        let answer = try ScriptedAnswer(parameters, body: request.bodyText)
        github.answer(try endpoint(try parameter("endpoint")), with: answer, times: times)
    }

    /// `kind`.
    private func receive() throws {
        let kind = try parameter("kind")
        guard let reception = Reception(rawValue: kind) else { throw StandInError("no reception \(kind)") }
        github.receive(reception)
    }

    /// The endpoint of that name.
    private func endpoint(_ name: String) throws -> Endpoint {
        guard let endpoint = Endpoint(rawValue: name) else {
            throw StandInError("no endpoint \(name); there are \(Endpoint.allCases.map(\.rawValue))")
        }
        return endpoint
    }

    /// A parameter that may not be absent.
    private func parameter(_ name: String) throws -> String {
        guard let value = parameters[name] else { throw StandInError("parameter \(name) is missing") }
        return value
    }

    /// A parameter's comma-separated words; nil if it is absent.
    private func list(_ name: String) -> [String]? {
        parameters[name].map { $0.split(separator: ",").map(String.init) }
    }
}
