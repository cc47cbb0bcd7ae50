extension Forge {
    /// Answers git's smart HTTP protocol: the password must be a live access token, the user name must not be empty.
    ///
    /// A Bearer token is accepted too if `takesBearer` is set.
    func answerGit(_ request: Request, at endpoint: Endpoint) -> Answer {
        guard let (slug, path) = Self.repositoryPath(request.path) else { return service.repositoryNotFound }
        let isPush = endpoint == .gitPush || request.query["service"] == "git-receive-pack"
        let basic = request.basicCredentials.flatMap { $0.user.isEmpty ? nil : $0 }
        let password = basic?.password ?? (withState { $0.takesBearer } ? request.bearerToken : nil)
        let (otherIssuer, challenge, isBitbucket) = withState { ($0.otherIssuer, $0.challenge, $0.isBitbucket) }
        var token = liveToken(password)
        // Another issuer vouches for its tokens.
        if token == nil, let password, let login = otherIssuer?(password) {
            token = IssuedToken(accessToken: password, refreshToken: nil, clientID: "", login: login, scopes: ["repo"])
        }
        if isBitbucket, basic?.user != token?.login, basic?.user != "x-bitbucket-api-token-auth" { token = nil }
        let repository = repository(slug, for: token)
        let isAnonymousRead = request.headers["authorization"] == nil && repository != nil && !isPush
        guard token != nil || isAnonymousRead else {
            let text = isBitbucket ? Self.deniedByBitbucket : service.accessDenied
            return .text(text, status: 401, headers: [Header("WWW-Authenticate", challenge)])
        }
        guard let repository else { return service.repositoryNotFound }
        if let token, let refusal = service.refusal(of: token, at: repository, isPush: isPush, host: request.host) {
            return refusal
        }
        do throws(StandInError) {
            let canonical = "\(repository.owner)/\(repository.name)"
            return try files.serve(request, slug: canonical, service: path, login: token?.login)
        } catch { return .text(error.description, status: 500) }
    }

    private static let deniedByBitbucket =
        "You may not have access to this repository or it no longer exists in this workspace. If you think this "
        + "repository exists and you have access, make sure you are authenticated.\n"

    /// Splits `/OWNER/NAME/info/refs`, with or without `.git`, into `OWNER/NAME` and `/info/refs`.
    private static func repositoryPath(_ path: String) -> (slug: String, service: String)? {
        for service in ["/info/refs", "/git-upload-pack", "/git-receive-pack"] where path.hasSuffix(service) {
            let name = path.dropFirst().dropLast(service.count)
            return (String(name.hasSuffix(".git") ? name.dropLast(4) : name), service)
        }
        return nil
    }
}

extension Service {
    /// The answer for an absent repository, and the same for one that the token does not reach.
    fileprivate var repositoryNotFound: Answer {
        switch self {
        case .gitHub: .text("Repository not found.\n", status: 404)
        case .gitea: .text("Repository not found", status: 404)
        case .gitLab:
            .text(
                "The project you were looking for could not be found or you don't have permission to view it.",
                status: 404)
        }
    }

    /// The text of the answer to a request without a good token.
    fileprivate var accessDenied: String {
        switch self {
        case .gitHub: "Invalid username or token. Password authentication is not supported for Git operations.\n"
        case .gitea: "Unauthorized\n"
        case .gitLab:
            "HTTP Basic: Access denied. If a password was provided for Git authentication, the password was "
                + "incorrect or you're required to use a token instead of a password.\n"
        }
    }

    /// The answer to a token that sees the repository but may not do this, with the text that git prints after
    /// `remote:`; `nil` if it may.
    fileprivate func refusal(of token: IssuedToken, at repository: Repository, isPush: Bool, host: String) -> Answer? {
        switch self {
        case .gitHub:
            guard isPush, repository.access(with: token, at: .gitHub) < .write else { return nil }
            let words = "Permission to \(repository.owner)/\(repository.name).git denied to \(token.login).\n"
            return .text(words, status: 403)
        case .gitLab:
            return repository.gitLabRefusal(of: token, isPush: isPush, host: host).map { .text($0, status: 403) }
        case .gitea: return repository.giteaRefusal(of: token, isPush: isPush)
        }
    }
}
