/// What a request is for: the name under which it is counted, and under which its answer can be scripted.
package enum Endpoint: String, CaseIterable, Sendable {
    /// `POST /login/device/code`, GitLab `/oauth/authorize_device`
    case deviceCode
    /// GitLab `GET /oauth/authorize`, Gitea `/login/oauth/authorize`: where the browser is sent
    case authorization
    /// Gitea `GET /.well-known/openid-configuration`
    case discovery
    /// `POST /login/oauth/access_token`, GitLab `/oauth/token`, with any other grant than these two
    case poll
    /// The same with an authorization code
    case exchange
    /// The same with a refresh token
    case refresh
    /// `/login/device`, GitLab `/oauth/device`, the page where a person types the code
    case verification
    /// `GET {API}/user`
    case user
    /// Gitea `GET /login/oauth/userinfo`
    case userInfo
    /// `GET {API}/repos/OWNER/NAME`, GitLab `{API}/projects/OWNER%2FNAME`
    case repository
    /// `GET {API}/meta`, GitLab `/oauth/discovery/keys`: there for everybody
    case meta
    /// `POST {API}/credentials/revoke`
    case revokeCredentials
    /// GitLab `GET /oauth/token/info`
    case tokenInfo
    /// GitLab `POST /oauth/revoke` (RFC 7009)
    case revoke
    /// `GET {API}/user/installations`
    case userInstallations
    /// `GET {API}/user/installations/ID/repositories`
    case userRepositories
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
    /// `/OWNER/NAME/info/lfs/…`, which Git LFS asks: what is to be sent where, objects, locks
    case lfs
    /// `GET /OWNER/NAME?go-get=1`: where the repository of a Go module is
    case goGet
    /// Anything else
    case unknown

    /// Recognises a request by method, path and, at the token endpoint, grant type.
    init(_ request: Request, to service: Service) {
        let own: Endpoint? =
            switch service {
            case .gitHub: Endpoint(gitHub: request)
            case .gitLab: Endpoint(gitLab: request)
            case .gitea: Endpoint(gitea: request)
            }
        self = own ?? Endpoint(git: request)
    }

    /// Recognises a request for a token by its grant.
    init(tokenRequest request: Request) {
        self =
            switch request.form["grant_type"] {
            case "refresh_token": .refresh
            case "authorization_code": .exchange
            default: .poll
            }
    }

    /// Recognises git's own requests.
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
