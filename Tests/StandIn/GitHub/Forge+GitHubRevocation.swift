import FoundationEssentials

extension Forge {
    /// Body of `POST /credentials/revoke`.
    private struct Credentials: Decodable {
        let credentials: [String]
    }

    /// Body of the `DELETE` requests.
    private struct AccessToken: Decodable {
        enum CodingKeys: String, CodingKey {
            case accessToken = "access_token"
        }

        let accessToken: String
    }

    /// The endpoints that end a token's life.
    func answerGitHubRevocation(_ request: Request, at endpoint: Endpoint) -> Answer {
        endpoint == .revokeCredentials ? revokeCredentials(request) : deleteForApp(request, at: endpoint)
    }

    /// `POST /credentials/revoke`: open to anyone who knows a token, and to nobody who signs in for it.
    private func revokeCredentials(_ request: Request) -> Answer {
        // GitHub Enterprise Server takes personal tokens only, and wants authentication.
        guard request.host.hasPrefix("api.") else { return Self.apiError(404, "Not Found") }
        guard request.headers["authorization"] == nil else {
            return Self.apiError(403, "This endpoint must be called without authentication.")
        }
        guard let body = try? JSONDecoder().decode(Credentials.self, from: Data(request.body)),
            (1...1_000).contains(body.credentials.count)
        else { return Self.apiError(422, "Validation Failed") }
        withState { state in
            body.credentials.forEach { state.server.revoke($0) }
        }
        return .json([:], status: 202)
    }

    /// `DELETE /applications/ID/token` (one token) and `…/grant` (all of that person and app).
    private func deleteForApp(_ request: Request, at endpoint: Endpoint) -> Answer {
        let clientID = (request.apiPath ?? "").split(separator: "/").dropFirst().first.map(String.init) ?? ""
        let now = clock()
        return withState { state in
            guard let secret = state.server.apps[clientID]?.secret,
                request.basicCredentials == BasicCredentials(user: clientID, password: secret)
            else { return Self.apiError(404, "Not Found") }
            guard let body = try? JSONDecoder().decode(AccessToken.self, from: Data(request.body)),
                let token = state.server.liveToken(body.accessToken, now: now), token.clientID == clientID
            else { return Self.apiError(422, "Validation Failed") }
            if endpoint == .deleteToken {
                state.server.revoke(token.accessToken)
            } else {
                state.server.revokeGrant(of: token.login, clientID: clientID)
            }
            return Answer(status: 204)
        }
    }
}
