/// What a request is for: the name under which it is counted, and under which its answer can be scripted.
package enum Endpoint: String, CaseIterable, Sendable {
    /// `POST /login/device/code`
    case deviceCode
    /// `POST /login/oauth/access_token` with any grant but a refresh token
    case poll
    /// `POST /login/oauth/access_token` with a refresh token
    case refresh
    /// `/login/device`, the page where a person types the code
    case verification
    /// `GET {API}/user`
    case user
    /// `GET {API}/repos/OWNER/NAME`
    case repository
    /// `GET {API}/meta`
    case meta
    /// `POST {API}/credentials/revoke`
    case revokeCredentials
    /// `DELETE {API}/applications/ID/token`
    case deleteToken
    /// `DELETE {API}/applications/ID/grant`
    case deleteGrant
    /// `GET {API}/app`
    case app
    /// `GET {API}/app/installations`
    case installations
    /// `GET {API}/users/OWNER/installation`
    case installation
    /// `POST {API}/app/installations/ID/access_tokens`
    case installationToken
    /// `GET {API}/installation/repositories`
    case installationRepositories
    /// `DELETE {API}/installation/token`
    case revokeInstallation
    /// `GET /OWNER/NAME/info/refs`, the first request of every git command
    case gitRefs
    /// `POST /OWNER/NAME/git-upload-pack`: fetch and clone
    case gitFetch
    /// `POST /OWNER/NAME/git-receive-pack`: push
    case gitPush
    /// Anything else
    case unknown

    /// Recognises a request by method, path and, at the token endpoint, grant type.
    init(_ request: Request) {
        let api = request.apiPath.map { $0.split(separator: "/") } ?? []
        switch (request.method, request.path) {
        case ("POST", "/login/device/code"): self = .deviceCode
        case ("POST", "/login/oauth/access_token"):
            self = request.form["grant_type"] == "refresh_token" ? .refresh : .poll
        case (_, "/login/device"): self = .verification
        case ("GET", _) where api == ["user"]: self = .user
        case ("GET", _) where api == ["meta"]: self = .meta
        case ("GET", _) where api.first == "repos" && api.count == 3: self = .repository
        case ("GET", _) where api == ["app"]: self = .app
        case ("GET", _) where api == ["app", "installations"]: self = .installations
        case ("GET", _) where api.first == "users" && api.count == 3 && api[2] == "installation": self = .installation
        case ("POST", _) where api.first == "app" && api.count == 4 && api[3] == "access_tokens":
            self = .installationToken
        case ("GET", _) where api == ["installation", "repositories"]: self = .installationRepositories
        case ("DELETE", _) where api == ["installation", "token"]: self = .revokeInstallation
        case ("POST", _) where api == ["credentials", "revoke"]: self = .revokeCredentials
        case ("DELETE", _) where api.first == "applications" && api.count == 3 && api[2] == "token": self = .deleteToken
        case ("DELETE", _) where api.first == "applications" && api.count == 3 && api[2] == "grant": self = .deleteGrant
        case ("GET", let path) where path.hasSuffix("/info/refs"): self = .gitRefs
        case ("POST", let path) where path.hasSuffix("/git-upload-pack"): self = .gitFetch
        case ("POST", let path) where path.hasSuffix("/git-receive-pack"): self = .gitPush
        default: self = .unknown
        }
    }
}
