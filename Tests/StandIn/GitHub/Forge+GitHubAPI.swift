extension Forge {
    /// Answers the parts of GitHub's REST API that return a token's owner and what it reaches.
    func answerGitHubAPI(_ request: Request, at endpoint: Endpoint) -> Answer {
        guard request.headers["user-agent"] != nil else {
            return .text("Request forbidden by administrative rules.", status: 403)
        }
        let token = bearer(of: request)
        if token == nil, request.headers["authorization"] != nil { return Self.apiError(401, "Bad credentials") }
        switch endpoint {
        case .meta: return .json(["installed_version": "3.19.0"])
        case .user: return token.map(user) ?? Self.apiError(401, "Requires authentication")
        case .userInstallations, .userRepositories:
            guard let token else { return Self.apiError(401, "Requires authentication") }
            return lists(request, at: endpoint, for: token)
        default: return repository(request, token: token)
        }
    }

    private func user(_ token: IssuedToken) -> Answer {
        .json(["login": .text(token.login), "id": .number(1), "type": "User"], headers: Self.scopeHeaders(token))
    }

    /// Answers with a person's installations, or with the repositories that a token reaches there; an owner's ID is its
    /// position in the list.
    private func lists(_ request: Request, at endpoint: Endpoint, for token: IssuedToken) -> Answer {
        guard token.accessToken.hasPrefix("ghu_") else {
            return Self.apiError(403, "You must authenticate with an access token authorized to a GitHub App")
        }
        let (all, permissions) = withState {
            ($0.repositories.values.sorted { $0.id < $1.id }, $0.server.apps[token.clientID]?.permissions ?? [:])
        }
        let owners = Set(all.map(\.owner)).sorted()
        let reached = all.filter { repository in
            [repository.writers, repository.readers].contains { $0.contains(token.login) }
                && repository.access(with: token, at: .gitHub) > .none
        }
        guard endpoint == .userRepositories else {
            let names = Set(reached.map(\.owner)).sorted()
            let installations = names.map { name in
                let number = owners.firstIndex(of: name) ?? 0
                var installation = InstalledApp.Installation(id: number + 1, owner: name)
                installation.permissions = permissions
                return Fields.Value.object(Self.fields(installation))
            }
            return .json(["total_count": .number(Double(names.count)), "installations": .list(installations)])
        }
        let number = request.apiParts(of: .gitHub).dropFirst(2).first.flatMap { Int($0) } ?? 0
        return Self.list(reached.filter { owners.firstIndex(of: $0.owner) == number - 1 }, request)
    }

    /// One page of a list of repositories.
    static func list(_ repositories: [Repository], _ request: Request) -> Answer {
        let page = repositories.prefix(request.query["per_page"].flatMap { Int($0) } ?? 30)
        return .json([
            "total_count": .number(Double(repositories.count)),
            "repositories": .list(
                page.map { .object(["id": .number(Double($0.id)), "full_name": .text("\($0.owner)/\($0.name)")]) }),
        ])
    }

    private func repository(_ request: Request, token: IssuedToken?) -> Answer {
        let scopes = token.map(Self.scopeHeaders) ?? []
        guard let fields = repositoryFields(request, token) else {
            return Self.apiError(404, "Not Found", headers: scopes)
        }
        return .json(fields, headers: scopes)
    }

    /// The fields of a repository that a token may read, as GitHub and Gitea have them.
    func repositoryFields(_ request: Request, _ token: IssuedToken?) -> Fields? {
        let slug = request.apiParts(of: service).dropFirst().joined(separator: "/")
        guard let repository = repository(slug, for: token) else { return nil }
        let canPush = repository.access(with: token, at: service) >= .write
        return [
            "id": .number(Double(repository.id)), "full_name": .text("\(repository.owner)/\(repository.name)"),
            "default_branch": "main", "private": .flag(repository.isPrivate), "archived": .flag(repository.isArchived),
            "permissions": .object(["pull": .flag(true), "push": .flag(canPush)]),
        ]
    }

    /// An error in the form of the REST API.
    static func apiError(_ status: Int, _ message: String, headers: [Header] = []) -> Answer {
        .json(
            [
                "message": .text(message), "documentation_url": "https://docs.github.com/rest",
                "status": .text(String(status)),
            ], status: status, headers: headers)
    }

    /// The headers with a token's scopes, which GitHub omits for tokens of GitHub Apps.
    private static func scopeHeaders(_ token: IssuedToken) -> [Header] {
        token.accessToken.hasPrefix("ghu_") || token.installation != nil
            ? [] : [Header("X-OAuth-Scopes", token.scopes.joined(separator: ", "))]
    }
}
