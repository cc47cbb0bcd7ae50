extension StandIn {
    /// Every request to one endpoint, oldest first.
    package func requests(to endpoint: Endpoint) -> [Request] {
        forge.withState { $0.log.requests(to: endpoint) }
    }

    /// Every request with the endpoint it was for, oldest first.
    package var requests: [(endpoint: Endpoint, request: Request)] {
        forge.withState { $0.log.entries }
    }

    /// How many requests one endpoint had.
    package func count(of endpoint: Endpoint) -> Int { requests(to: endpoint).count }

    /// `HOST:PORT` of every CONNECT request, in order: proof of who was contacted, and who was not.
    package var tunnels: [String] { forge.withState { $0.log.tunnels } }

    /// Whether nobody is connected: what a client asked for before it was killed has been carried out by then, or never is.
    package var isIdle: Bool { server.clients == 0 && proxy.clients == 0 }

    /// Every token ever issued, dead ones included, oldest first.
    package var tokens: [IssuedToken] { forge.withState { $0.server.tokens } }

    /// Whether GitHub would accept this access token now.
    package func isLive(_ accessToken: String) -> Bool {
        let now = forge.clock()
        return forge.withState { $0.server.liveToken(accessToken, now: now) != nil }
    }

    /// Device codes, access tokens and refresh tokens ever issued: none of them may be found where it can be read.
    package var issuedSecrets: [String] { forge.withState { $0.server.issuedSecrets } }

    /// How often a refresh token was used again after its first use; must stay 0.
    package var refreshTokenReuses: Int { forge.withState { $0.server.refreshTokenReuses } }

    /// The code that the person of the newest sign-in has to type, and that a program must show.
    package var newestUserCode: String? { forge.withState { $0.server.grants.last?.userCode } }

    /// How many sign-ins have ended with a token.
    package var completedSignIns: Int { forge.withState { $0.server.completedSignIns } }

    /// The app that is registered under a client ID.
    func app(_ clientID: String) -> App? { forge.withState { $0.server.apps[clientID] } }

    /// Plays the person at the form.
    /// - Returns: Whether the code was known and open.
    @discardableResult
    package func enter(userCode: String, approvingAs login: String?) -> Bool {
        let now = forge.clock()
        let decision = login.map { SignInOutcome.Decision.approved(login: $0) } ?? .denied
        return forge.withState { $0.server.decide(userCode: userCode, decision, now: now) }
    }

    /// Waits until an endpoint has had so many requests.
    /// - Throws: `StandInError` if that does not come to pass in time.
    package func waitForRequests(_ count: Int, to endpoint: Endpoint) async throws {
        let patience = Duration.seconds(120)
        let deadline = ContinuousClock.now + patience
        while self.count(of: endpoint) < count {
            guard ContinuousClock.now < deadline else {
                throw StandInError("\(self.count(of: endpoint)) of \(count) requests to \(endpoint) within \(patience)")
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
