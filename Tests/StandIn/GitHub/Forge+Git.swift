extension Forge {
    /// Git's smart HTTP protocol: the password must be a live access token, the user name any but empty.
    func answerGit(_ request: Request, at endpoint: Endpoint) -> Answer {
        guard let (slug, service) = Self.repositoryPath(request.path) else { return Self.repositoryNotFound }
        let isPush = endpoint == .gitPush || request.query["service"] == "git-receive-pack"
        let now = clock()
        let credentials = request.basicCredentials.flatMap { $0.user.isEmpty ? nil : $0 }
        let (own, otherIssuer, repository, challenge) = withState { state in
            (
                credentials.flatMap { state.server.liveToken($0.password, now: now) }, state.otherIssuer,
                state.repositories[slug.lowercased()], state.challenge
            )
        }
        let token =
            own
            ?? credentials.flatMap { given in
                otherIssuer?(given.password).map { IssuedToken(of: $0, issuedElsewhere: given.password) }
            }
        let access = repository?.access(with: token) ?? .none
        let isAnonymousRead = request.headers["authorization"] == nil && access == .read && !isPush
        guard token != nil || isAnonymousRead else {
            let message = "Invalid username or token. Password authentication is not supported for Git operations.\n"
            return .text(message, status: 401, headers: [Header("WWW-Authenticate", challenge)])
        }
        guard let repository, access > .none else { return Self.repositoryNotFound }
        if let token, let refusal = repository.refusals[token.login] {
            return .text(refusal.message(owner: repository.owner), status: 403)
        }
        if isPush, access < .write, let token {
            let message = "Permission to \(repository.owner)/\(repository.name).git denied to \(token.login).\n"
            return .text(message, status: 403)
        }
        do throws(StandInError) {
            let canonical = "\(repository.owner)/\(repository.name)"
            return try files.serve(request, slug: canonical, service: service, login: token?.login)
        } catch {
            return .text(error.description, status: 500)
        }
    }

    /// GitHub says the same of an absent repository and of one that the token does not reach.
    private static let repositoryNotFound = Answer.text("Repository not found.\n", status: 404)

    /// Splits `/OWNER/NAME/info/refs`, with or without `.git`, into `OWNER/NAME` and `/info/refs`.
    private static func repositoryPath(_ path: String) -> (slug: String, service: String)? {
        let parts = path.split(separator: "/")
        guard parts.count > 2 else { return nil }
        let name = parts[1].hasSuffix(".git") ? parts[1].dropLast(4) : parts[1]
        return ("\(parts[0])/\(name)", "/" + parts[2...].joined(separator: "/"))
    }
}

extension Repository.Refusal {
    /// What git shows behind `remote:`.
    fileprivate func message(owner: String) -> String {
        switch self {
        case .singleSignOn:
            """
            The '\(owner)' organization has enabled or enforced SAML SSO.
            To access this repository, you must re-authorize the OAuth Application 'gitspace'.

            """
        case .appRestriction:
            "The '\(owner)' organization has enabled OAuth App access restrictions.\n"
        case .notInstalled: "Resource not accessible by integration\n"
        case .networkAddress: "The '\(owner)' organization has an IP allow list enabled.\n"
        case .blocked: "Access to this repository has been disabled by GitHub staff.\n"
        }
    }
}
