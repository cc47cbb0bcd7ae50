/// The purpose of a request: requests are counted by it, and answers can be scripted for it.
package enum Endpoint: String, CaseIterable, Sendable {
    /// `POST /login/device/code`, GitLab `/oauth/authorize_device`
    case deviceCode
    /// GitLab `GET /oauth/authorize`, Gitea `/login/oauth/authorize`: the page that the browser opens
    case authorization
    /// Gitea `GET /.well-known/openid-configuration`
    case discovery
    /// `POST /login/oauth/access_token`, GitLab `/oauth/token`, with a grant other than the next two
    case poll
    /// The token endpoint, with an authorization code
    case exchange
    /// The token endpoint, with a refresh token
    case refresh
    /// `/login/device`, GitLab `/oauth/device`, the page where a person types the code
    case verification
    /// `GET {API}/user`
    case user
    /// Gitea `GET /login/oauth/userinfo`
    case userInfo
    /// `GET {API}/repos/OWNER/NAME`, GitLab `{API}/projects/OWNER%2FNAME`
    case repository
    /// `GET` and `POST {API}/repos/OWNER/NAME/pulls`, GitLab `{API}/projects/OWNER%2FNAME/merge_requests`
    case pullRequests
    /// `GET {API}/meta`, GitLab `/oauth/discovery/keys`: public
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
    /// `/OWNER/NAME/info/lfs/…`, Git LFS: batches, objects, locks
    case lfs
    /// `GET /OWNER/NAME?go-get=1`: the repository of a Go module
    case goGet
    /// Anything else
    case unknown

    /// Classifies a request by method, path and, at the token endpoint, grant type.
    init(_ request: Request, to service: Service) {
        let own: Endpoint? =
            switch service {
            case .gitHub: Endpoint(gitHub: request)
            case .gitLab: Endpoint(gitLab: request)
            case .gitea: Endpoint(gitea: request)
            }
        self = own ?? Endpoint(git: request)
    }

    /// Classifies a token request by its grant type.
    init(tokenRequest request: Request) {
        self =
            switch request.form["grant_type"] {
            case "refresh_token": .refresh
            case "authorization_code": .exchange
            default: .poll
            }
    }

    /// Classifies git's own requests.
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
