extension Endpoint {
    /// Classifies a request to GitLab; `nil` for git's own, which are the same at every service.
    init?(gitLab request: Request) {
        let api = request.gitLabAPIPath.map { $0.split(separator: "/") } ?? []
        switch (request.method, request.path) {
        case ("POST", "/oauth/authorize_device"): self = .deviceCode
        case ("GET", "/oauth/authorize"): self = .authorization
        case ("POST", "/oauth/token"): self = Endpoint(tokenRequest: request)
        case (_, "/oauth/device"): self = .verification
        case ("GET", "/oauth/token/info"): self = .tokenInfo
        case ("POST", "/oauth/revoke"): self = .revoke
        case ("GET", "/oauth/discovery/keys"): self = .meta
        case ("GET", _) where api == ["user"]: self = .user
        case ("GET", _) where api.first == "projects" && api.count == 2: self = .repository
        case ("GET", _) where api.first == "projects" && api.last == "merge_requests",
            ("POST", _) where api.first == "projects" && api.last == "merge_requests":
            self = .pullRequests
        default: return nil
        }
    }
}

extension Request {
    /// The path below GitLab's REST API.
    var gitLabAPIPath: String? {
        let prefix = "/api/v4"
        return path.hasPrefix(prefix + "/") ? String(path.dropFirst(prefix.count)) : nil
    }
}
