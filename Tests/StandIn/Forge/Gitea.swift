extension Forge {
    /// Answers with Gitea's discovery document (`oidc_wellknown.tmpl`), which omits the scopes of its API.
    func answerGiteaDiscovery(_ request: Request) -> Answer {
        let origin = "https://\(request.host)"
        return .json([
            "issuer": .text(origin), "authorization_endpoint": .text(origin + "/login/oauth/authorize"),
            "token_endpoint": .text(origin + "/login/oauth/access_token"),
            "jwks_uri": .text(origin + "/login/oauth/keys"),
            "userinfo_endpoint": .text(origin + "/login/oauth/userinfo"),
            "introspection_endpoint": .text(origin + "/login/oauth/introspect"),
            "response_types_supported": .list(["code", "id_token"]),
            "scopes_supported": .list(["openid", "profile", "email", "groups"]),
            "code_challenge_methods_supported": .list(["plain", "S256"]),
            "grant_types_supported": .list(["authorization_code", "refresh_token"]),
        ])
    }

    /// Answers the parts of Gitea's API that return a token's owner and what it reaches.
    func answerGiteaAPI(_ request: Request, at endpoint: Endpoint) -> Answer {
        let token = bearer(of: request)
        if token == nil, request.headers["authorization"] != nil || endpoint != .repository {
            return failure(401, "invalid username, password or token")
        }
        guard endpoint == .repository else {
            guard let token else { return failure(401, "token is required") }
            if endpoint == .userInfo { return .json(["sub": "1", "preferred_username": .text(token.login)]) }
            guard token.has("all", "read:user", "write:user") else { return scopeMissing("read:user") }
            return .json(["id": .number(1), "login": .text(token.login), "username": .text(token.login)])
        }
        if let token, !token.mayFetchFromGitea { return scopeMissing("read:repository") }
        return repositoryFields(request, token).map { .json($0) } ?? failure(404, "The target couldn't be found.")
    }

    private func scopeMissing(_ scope: String) -> Answer {
        failure(403, "token does not have at least one of required scope(s): [\(scope)]")
    }
}

extension Repository {
    /// The answer of Gitea's `githttp.go` to a token that sees the repository but may not do this; `nil` if it may.
    func giteaRefusal(of token: IssuedToken, isPush: Bool) -> Answer? {
        guard isPush ? token.mayPushToGitea : token.mayFetchFromGitea else { return .text("Forbidden\n", status: 403) }
        guard isPush else { return nil }
        if access(with: token, at: .gitea) < .write { return .text("Repository not found", status: 404) }
        guard isArchived else { return nil }
        return .text(
            "This repo is archived. You can view files and clone it, but cannot push or open issues/pull-requests.",
            status: 403)
    }
}

extension IssuedToken {
    fileprivate var mayFetchFromGitea: Bool { has("all", "read:repository", "write:repository") }
    fileprivate var mayPushToGitea: Bool { has("all", "write:repository") }
}

extension OAuthReply {
    /// A refusal in the words of Gitea's `oauth2_provider.go`, always with status 400.
    ///
    /// A wrong code or refresh token is mostly `unauthorized_client`.
    static func gitea(_ refusal: OAuthRefusal) -> OAuthReply {
        switch refusal {
        case .unknownClient, .incorrectClient: error("invalid_client", "cannot load client with client id")
        case .incorrectCode: error("unauthorized_client", "client is not authorized")
        case .badRefreshToken: error("unauthorized_client", "unable to parse refresh token")
        // Errors of the device flow, which Gitea lacks.
        case .deviceFlowDisabled, .pending, .slowDown, .expired, .denied, .incorrectDeviceCode, .unsupportedGrantType:
            error("unsupported_grant_type", "Only refresh_token or authorization_code grant type is supported")
        }
    }
}
