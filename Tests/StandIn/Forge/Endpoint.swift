/// The purpose of a request: requests are counted by it, and answers can be scripted for it.
package enum Endpoint: String, CaseIterable, Sendable {
    case deviceCode
    /// The page that the browser opens
    case authorization
    case discovery
    /// The token endpoint, with a grant other than the next two
    case poll
    /// The token endpoint, with an authorization code
    case exchange
    /// The token endpoint, with a refresh token
    case refresh
    /// The page where a person types the code
    case verification
    case user, userInfo, repository, pullRequests
    /// An address that anybody may read
    case meta
    case revokeCredentials, tokenInfo
    /// RFC 7009
    case revoke
    case userInstallations, userRepositories, app, installations, installation, installationToken
    case installationRepositories, revokeInstallation
    /// The first request of every git command
    case gitRefs
    case gitFetch
    case gitPush
    /// Git LFS: batches, objects, locks
    case lfs
    /// The repository of a Go module
    case goGet
    case unknown

    /// The services' own addresses, where `*` is any method or any one part of the path, and `API` is the API's address.
    private static let routes: [(service: Service, method: String, path: String, endpoint: Endpoint)] = [
        (.gitHub, "POST", "/login/device/code", .deviceCode), (.gitHub, "POST", "/login/oauth/access_token", .poll),
        (.gitHub, "*", "/login/device", .verification), (.gitHub, "GET", "API/user", .user),
        (.gitHub, "GET", "API/user/installations", .userInstallations),
        (.gitHub, "GET", "API/user/installations/*/repositories", .userRepositories),
        (.gitHub, "GET", "API/meta", .meta), (.gitHub, "GET", "API/repos/*/*", .repository),
        (.gitHub, "*", "API/repos/*/*/pulls", .pullRequests), (.gitHub, "GET", "API/app", .app),
        (.gitHub, "GET", "API/app/installations", .installations),
        (.gitHub, "GET", "API/users/*/installation", .installation),
        (.gitHub, "POST", "API/app/installations/*/access_tokens", .installationToken),
        (.gitHub, "GET", "API/installation/repositories", .installationRepositories),
        (.gitHub, "DELETE", "API/installation/token", .revokeInstallation),
        (.gitHub, "POST", "API/credentials/revoke", .revokeCredentials),
        (.gitLab, "POST", "/oauth/authorize_device", .deviceCode), (.gitLab, "GET", "/oauth/authorize", .authorization),
        (.gitLab, "POST", "/oauth/token", .poll), (.gitLab, "*", "/oauth/device", .verification),
        (.gitLab, "GET", "/oauth/token/info", .tokenInfo), (.gitLab, "POST", "/oauth/revoke", .revoke),
        (.gitLab, "GET", "/oauth/discovery/keys", .meta), (.gitLab, "GET", "API/user", .user),
        (.gitLab, "GET", "API/projects/*", .repository), (.gitLab, "*", "API/projects/*/merge_requests", .pullRequests),
        (.gitea, "GET", "/.well-known/openid-configuration", .discovery),
        (.gitea, "GET", "/login/oauth/authorize", .authorization), (.gitea, "POST", "/login/oauth/access_token", .poll),
        (.gitea, "GET", "/login/oauth/userinfo", .userInfo), (.gitea, "GET", "API/user", .user),
        (.gitea, "GET", "API/repos/*/*", .repository), (.gitea, "*", "API/repos/*/*/pulls", .pullRequests),
    ]

    /// Classifies a request by method, path and, at the token endpoint, grant type.
    init(_ request: Request, to service: Service) {
        let paths = [request.path] + [request.apiPath(of: service)].compactMap { $0.map { "API" + $0 } }
        let asked = paths.map { $0.split(separator: "/", omittingEmptySubsequences: false) }
        let route = Self.routes.first { route in
            let parts = route.path.split(separator: "/", omittingEmptySubsequences: false)
            return route.service == service && ["*", request.method].contains(route.method)
                && asked.contains { $0.elementsEqual(parts) { $0 == $1 || $1 == "*" } }
        }
        switch (route?.endpoint, request.form["grant_type"]) {
        case (.poll, "refresh_token"): self = .refresh
        case (.poll, "authorization_code"): self = .exchange
        case (let endpoint?, _): self = endpoint
        case (nil, _): self = Endpoint(git: request)
        }
    }

    /// Classifies git's own requests, which are the same at every service.
    private init(git request: Request) {
        switch (request.method, request.path) {
        case (_, let path) where path.contains("/info/lfs/"): self = .lfs
        case (_, _) where request.query["go-get"] == "1": self = .goGet
        case ("GET", let path) where path.hasSuffix("/info/refs"): self = .gitRefs
        case ("POST", let path) where path.hasSuffix("/git-upload-pack"): self = .gitFetch
        case ("POST", let path) where path.hasSuffix("/git-receive-pack"): self = .gitPush
        default: self = .unknown
        }
    }
}
