extension StandIn {
    /// All requests to one endpoint, oldest first.
    package func requests(to endpoint: Endpoint) -> [Request] {
        requests.filter { $0.endpoint == endpoint }.map(\.request)
    }

    /// All requests with their endpoints, oldest first.
    package var requests: [(endpoint: Endpoint, request: Request)] { forge.withState { $0.log } }

    package func count(of endpoint: Endpoint) -> Int { requests(to: endpoint).count }

    /// The `HOST:PORT` of every CONNECT request, in order: shows which hosts were contacted.
    package var tunnels: [String] { forge.withState { $0.tunnels } }

    /// Whether no client is connected; requests of a killed client are carried out by then, or never.
    package var isIdle: Bool { server.clients == 0 && proxy.clients == 0 }

    /// All tokens ever issued, oldest first.
    package var tokens: [IssuedToken] { forge.withState { $0.server.tokens } }

    package func isLive(_ accessToken: String) -> Bool { forge.liveToken(accessToken) != nil }

    /// All device codes, access tokens and refresh tokens ever issued; none may appear in readable output.
    package var issuedSecrets: [String] { forge.withState { $0.server.issuedSecrets } }

    /// How often a refresh token was used after its first use; must stay 0.
    package var refreshTokenReuses: Int { forge.withState { $0.server.refreshTokenReuses } }

    /// The user code of the newest sign-in, which a program must show.
    package var newestUserCode: String? { forge.withState { $0.server.grants.last?.userCode } }

    package var completedSignIns: Int { forge.withState { $0.server.completedSignIns } }

    func app(_ clientID: String) -> App? { forge.withState { $0.server.apps[clientID] } }

    /// Enters a code in the form, as the person would.
    @discardableResult
    package func enter(userCode: String, approvingAs login: String?) -> Bool {
        let now = forge.clock()
        let decision = login.map { SignInOutcome.Decision.approved(login: $0) } ?? .denied
        return forge.withState { $0.server.decide(userCode: userCode, decision, now: now) }
    }
}
