extension Forge {
    /// The parts of GitHub's REST API that tell who a token belongs to and what it reaches.
    func answerGitHubAPI(_ request: Request, at endpoint: Endpoint) -> Answer {
        guard request.headers["user-agent"] != nil else {
            return .text("Request forbidden by administrative rules.", status: 403)
        }
        let now = clock()
        let token = request.bearerToken.flatMap { bearer in
            withState { $0.server.liveToken(bearer, now: now) }
        }
        if token == nil, request.headers["authorization"] != nil { return Self.apiError(401, "Bad credentials") }
        switch endpoint {
        case .meta: return .json(["installed_version": "3.19.0"])
        case .user: return token.map(user) ?? Self.apiError(401, "Requires authentication")
        default: return repository(request, token: token)
        }
    }

    /// `GET /user`.
    private func user(_ token: IssuedToken) -> Answer {
        .json(
            ["login": .text(token.login), "id": .number(1), "type": "User"], headers: Self.scopeHeaders(token))
    }

    /// `GET /repos/OWNER/NAME`.
    private func repository(_ request: Request, token: IssuedToken?) -> Answer {
        let slug = (request.apiPath ?? "").split(separator: "/").dropFirst().joined(separator: "/").lowercased()
        let scopes = token.map(Self.scopeHeaders) ?? []
        guard let repository = withState({ $0.repositories[slug] }), repository.access(with: token, at: .gitHub) > .none
        else {
            return Self.apiError(404, "Not Found", headers: scopes)
        }
        let access = repository.access(with: token, at: .gitHub)
        return .json(
            [
                "full_name": .text("\(repository.owner)/\(repository.name)"),
                "private": .flag(repository.isPrivate), "archived": .flag(repository.isArchived),
                "permissions": .object(["pull": .flag(access >= .read), "push": .flag(access >= .write)]),
            ], headers: scopes)
    }

    /// An error as the REST API words it.
    static func apiError(_ status: Int, _ message: String, headers: [Header] = []) -> Answer {
        .json(
            [
                "message": .text(message), "documentation_url": "https://docs.github.com/rest",
                "status": .text(String(status)),
            ], status: status, headers: headers)
    }

    /// The scopes of a token, which GitHub tells for all but GitHub Apps' tokens.
    private static func scopeHeaders(_ token: IssuedToken) -> [Header] {
        token.accessToken.hasPrefix("ghu_") || token.installation != nil
            ? [] : [Header("X-OAuth-Scopes", token.scopes.joined(separator: ", "))]
    }
}
