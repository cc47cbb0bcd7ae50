extension Endpoint {
    /// Classifies a request to Gitea or Forgejo; `nil` for git's own, which are the same at every service.
    init?(gitea request: Request) {
        let api = request.giteaAPIPath.map { $0.split(separator: "/") } ?? []
        switch (request.method, request.path) {
        case ("GET", "/.well-known/openid-configuration"): self = .discovery
        case ("GET", "/login/oauth/authorize"): self = .authorization
        case ("POST", "/login/oauth/access_token"): self = Endpoint(tokenRequest: request)
        case ("GET", "/login/oauth/userinfo"): self = .userInfo
        case ("GET", _) where api == ["user"]: self = .user
        case ("GET", _) where api.first == "repos" && api.count == 3: self = .repository
        case ("GET", _) where api.first == "repos" && api.last == "pulls",
            ("POST", _) where api.first == "repos" && api.last == "pulls":
            self = .pullRequests
        default: return nil
        }
    }
}

extension Request {
    /// The path below Gitea's API.
    var giteaAPIPath: String? {
        let prefix = "/api/v1"
        return path.hasPrefix(prefix + "/") ? String(path.dropFirst(prefix.count)) : nil
    }
}
