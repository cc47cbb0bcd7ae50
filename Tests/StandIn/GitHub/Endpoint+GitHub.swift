extension Endpoint {
    /// Classifies a request to GitHub; `nil` for git's own, which are the same at every service.
    init?(gitHub request: Request) {
        let api = request.apiPath.map { $0.split(separator: "/") } ?? []
        switch (request.method, request.path) {
        case ("POST", "/login/device/code"): self = .deviceCode
        case ("POST", "/login/oauth/access_token"): self = Endpoint(tokenRequest: request)
        case (_, "/login/device"): self = .verification
        case ("GET", _) where api == ["user"]: self = .user
        case ("GET", _) where api == ["user", "installations"]: self = .userInstallations
        case ("GET", _)
        where api.starts(with: ["user", "installations"]) && api.count == 4 && api[3] == "repositories":
            self = .userRepositories
        case ("GET", _) where api == ["meta"]: self = .meta
        case ("GET", _) where api.first == "repos" && api.count == 3: self = .repository
        case ("GET", _) where api.first == "repos" && api.last == "pulls",
            ("POST", _) where api.first == "repos" && api.last == "pulls":
            self = .pullRequests
        case ("GET", _) where api == ["app"]: self = .app
        case ("GET", _) where api == ["app", "installations"]: self = .installations
        case ("GET", _) where api.first == "users" && api.count == 3 && api[2] == "installation": self = .installation
        case ("POST", _) where api.first == "app" && api.count == 4 && api[3] == "access_tokens":
            self = .installationToken
        case ("GET", _) where api == ["installation", "repositories"]: self = .installationRepositories
        case ("DELETE", _) where api == ["installation", "token"]: self = .revokeInstallation
        case ("POST", _) where api == ["credentials", "revoke"]: self = .revokeCredentials
        default: return nil
        }
    }
}
