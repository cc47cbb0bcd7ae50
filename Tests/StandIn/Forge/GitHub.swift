import FoundationEssentials

extension Forge {
    /// Answers the parts of GitHub's REST API that return a token's owner and what it reaches.
    func answerGitHubAPI(_ request: Request, at endpoint: Endpoint) -> Answer {
        guard request.headers["user-agent"] != nil else {
            return .text("Request forbidden by administrative rules.", status: 403)
        }
        let token = bearer(of: request)
        if token == nil, request.headers["authorization"] != nil { return failure(401, "Bad credentials") }
        switch endpoint {
        case .meta: return .json(["installed_version": "3.19.0"])
        case .user: return token.map(user) ?? failure(401, "Requires authentication")
        case .userInstallations, .userRepositories:
            guard let token else { return failure(401, "Requires authentication") }
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
            return failure(403, "You must authenticate with an access token authorized to a GitHub App")
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
        return repositoryFields(request, token).map { .json($0, headers: scopes) }
            ?? failure(404, "Not Found", headers: scopes)
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

    /// The headers with a token's scopes, which GitHub omits for tokens of GitHub Apps.
    private static func scopeHeaders(_ token: IssuedToken) -> [Header] {
        token.accessToken.hasPrefix("ghu_") || token.installation != nil
            ? [] : [Header("X-OAuth-Scopes", token.scopes.joined(separator: ", "))]
    }

    /// Answers `POST /credentials/revoke`, which needs no authentication: whoever has a token may revoke it.
    func revokeCredentials(_ request: Request) -> Answer {
        struct Credentials: Decodable { let credentials: [String] }
        // GitHub Enterprise Server revokes personal tokens only, and requires authentication.
        guard request.host.hasPrefix("api.") else { return failure(404, "Not Found") }
        guard request.headers["authorization"] == nil else {
            return failure(403, "This endpoint must be called without authentication.")
        }
        guard let body = try? JSONDecoder().decode(Credentials.self, from: Data(request.body)),
            (1...1_000).contains(body.credentials.count)
        else { return failure(422, "Validation Failed") }
        withState { state in body.credentials.forEach { state.server.revoke($0) } }
        return .json([:], status: 202)
    }

    /// Answers the endpoints that require an app's assertion (a JSON Web Token).
    func answerApp(_ request: Request, at endpoint: Endpoint) -> Answer {
        let now = clock() + withState { $0.secondsAhead }
        let apps = withState { $0.server.installedApps }
        let app: InstalledApp
        do throws(AppAssertion.Refusal) {
            app = try AppAssertion.issuer(of: request.bearerToken ?? "", apps: apps, now: now)
        } catch { return failure(error.message == "Integration not found" ? 404 : 401, error.message) }
        switch endpoint {
        case .app: return .json(["id": .text(app.id), "slug": "runner"])
        case .installations:
            let list = Fields.json(.list(app.installations.map { .object(Self.fields($0)) }))
            return .text(list, type: "application/json")
        case .installation: return installation(request, of: app)
        default: return newToken(request, of: app)
        }
    }

    private func installation(_ request: Request, of app: InstalledApp) -> Answer {
        let owner = request.apiParts(of: .gitHub).dropFirst().first?.lowercased()
        guard let installation = app.installations.first(where: { $0.owner.lowercased() == owner }) else {
            return failure(404, "Not Found")
        }
        return .json(Self.fields(installation))
    }

    /// Answers `POST /app/installations/ID/access_tokens`.
    private func newToken(_ request: Request, of app: InstalledApp) -> Answer {
        struct Restriction: Decodable {
            let repositories: [String]?
            let permissions: [String: String]?
        }
        let id = request.apiParts(of: .gitHub).dropFirst(2).first.flatMap { Int($0) }
        guard let installation = app.installations.first(where: { $0.id == id }) else {
            return failure(404, "Not Found")
        }
        guard !installation.isSuspended else { return failure(403, "This installation has been suspended") }
        let restriction = try? JSONDecoder().decode(Restriction.self, from: Data(request.body))
        let names = restriction?.repositories
        guard names?.allSatisfy({ installation.includes(owner: installation.owner, name: $0) }) ?? true else {
            return failure(422, "There is at least one repository that does not exist or is not accessible")
        }
        let now = clock()
        let token = withState {
            $0.server.issue(
                for: installation, of: app, repositories: names, permissions: restriction?.permissions, now: now)
        }
        // The time by the server's own clock.
        let end = (token.accessExpiry ?? 0) + withState { $0.secondsAhead }
        return .json(
            [
                "token": .text(token.accessToken),
                "expires_at": .text(Date(timeIntervalSince1970: end.rounded()).formatted(.iso8601)),
                "permissions": .object(Self.permissions(token.permissions)), "repository_selection": "all",
            ], status: 201)
    }

    /// Answers the endpoints that require a token of an installation.
    func answerInstallation(_ request: Request, at endpoint: Endpoint) -> Answer {
        guard let token = bearer(of: request), token.installation != nil else { return failure(401, "Bad credentials") }
        guard endpoint == .revokeInstallation else {
            let reached = withState { state in
                state.repositories.values.filter { $0.isPrivate && $0.access(with: token, at: .gitHub) > .none }
                    .sorted { $0.id < $1.id }
            }
            return Self.list(reached, request)
        }
        withState { $0.server.revoke(token.accessToken) }
        return Answer(status: 204)
    }

    static func fields(_ installation: InstalledApp.Installation) -> Fields {
        var fields: Fields = [
            "id": .number(Double(installation.id)),
            "account": .object(["login": .text(installation.owner), "type": "Organization"]),
            "permissions": .object(permissions(installation.permissions)),
        ]
        if installation.isSuspended { fields.append("suspended_at", "2026-01-01T00:00:00Z") }
        return fields
    }

    private static func permissions(_ permissions: [String: String]) -> Fields {
        var fields: Fields = [:]
        for (name, value) in permissions.sorted(by: { $0.key < $1.key }) { fields.append(name, .text(value)) }
        return fields
    }
}

extension StandIn {
    /// Registers an app that acts in its own name, or replaces it.
    package func install(_ app: InstalledApp) { forge.withState { $0.server.installedApps[app.id] = app } }
}

extension OAuthReply {
    /// An error as GitHub usually sends it: with status 200.
    private static func usual(_ code: String, _ description: String) -> OAuthReply {
        error(code, description, status: 200)
    }

    /// A refusal in GitHub's words; the status is 200, with a few exceptions.
    static func gitHub(_ refusal: OAuthRefusal) -> OAuthReply {
        switch refusal {
        case .unknownClient: return OAuthReply(status: 404, fields: ["error": "Not Found"])
        case .incorrectClient:
            return usual("incorrect_client_credentials", "The client_id and/or client_secret passed are incorrect.")
        case .deviceFlowDisabled:
            return error("device_flow_disabled", "Device Flow must be explicitly enabled for this App")
        case .pending: return usual("authorization_pending", "The authorization request is still pending.")
        case .slowDown(let interval):
            var reply = usual("slow_down", "Too many requests have been made in the same timeframe.")
            reply.fields.append("interval", .number(interval))
            return reply
        case .expired: return usual("expired_token", "This 'device_code' has expired.")
        case .denied: return usual("access_denied", "The authorization request was denied.")
        case .incorrectDeviceCode: return usual("incorrect_device_code", "The device_code provided is not valid.")
        case .incorrectCode: return usual("bad_verification_code", "The code passed is incorrect or expired.")
        case .unsupportedGrantType: return usual("unsupported_grant_type", "The grant_type is not supported.")
        case .badRefreshToken:
            return usual("bad_refresh_token", "The refresh token passed is incorrect or expired.")
        }
    }
}
