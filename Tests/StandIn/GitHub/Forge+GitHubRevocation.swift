import FoundationEssentials

extension Forge {
    /// The body of `POST /credentials/revoke`.
    private struct Credentials: Decodable { let credentials: [String] }

    /// Answers `POST /credentials/revoke`, which needs no authentication: whoever has a token may revoke it.
    func revokeCredentials(_ request: Request) -> Answer {
        // GitHub Enterprise Server revokes personal tokens only, and requires authentication.
        guard request.host.hasPrefix("api.") else { return Self.apiError(404, "Not Found") }
        guard request.headers["authorization"] == nil else {
            return Self.apiError(403, "This endpoint must be called without authentication.")
        }
        guard let body = try? JSONDecoder().decode(Credentials.self, from: Data(request.body)),
            (1...1_000).contains(body.credentials.count)
        else { return Self.apiError(422, "Validation Failed") }
        withState { state in body.credentials.forEach { state.server.revoke($0) } }
        return .json([:], status: 202)
    }
}
