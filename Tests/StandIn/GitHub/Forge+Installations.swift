import FoundationEssentials

/// GitHub Apps that act in their own name ("REST API endpoints for GitHub Apps").
extension Forge {
    /// The body of `POST /app/installations/ID/access_tokens`.
    private struct Restriction: Decodable {
        let repositories: [String]?
        let permissions: [String: String]?
    }

    /// Answers the endpoints that require an app's assertion (a JSON Web Token).
    func answerApp(_ request: Request, at endpoint: Endpoint) -> Answer {
        let now = clock() + withState { $0.secondsAhead }
        let apps = withState { $0.server.installedApps }
        let app: InstalledApp
        do throws(AppAssertion.Refusal) {
            let issuer = try AppAssertion(request.bearerToken ?? "", apps: apps, now: now).issuer
            guard let known = apps[issuer] else { throw AppAssertion.Refusal(message: "Integration not found") }
            app = known
        } catch { return Self.apiError(error.message == "Integration not found" ? 404 : 401, error.message) }
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
            return Self.apiError(404, "Not Found")
        }
        return .json(Self.fields(installation))
    }

    private func newToken(_ request: Request, of app: InstalledApp) -> Answer {
        let id = request.apiParts(of: .gitHub).dropFirst(2).first.flatMap { Int($0) }
        guard let installation = app.installations.first(where: { $0.id == id }) else {
            return Self.apiError(404, "Not Found")
        }
        guard !installation.isSuspended else { return Self.apiError(403, "This installation has been suspended") }
        let restriction = try? JSONDecoder().decode(Restriction.self, from: Data(request.body))
        let names = restriction?.repositories
        guard names?.allSatisfy({ installation.includes(owner: installation.owner, name: $0) }) ?? true else {
            return Self.apiError(422, "There is at least one repository that does not exist or is not accessible")
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
        guard let token = bearer(of: request), token.installation != nil else {
            return Self.apiError(401, "Bad credentials")
        }
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
