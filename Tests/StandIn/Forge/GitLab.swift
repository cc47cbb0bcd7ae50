extension Forge {
    /// Answers the parts of GitLab's API that return a token's owner and what it reaches.
    func answerGitLabAPI(_ request: Request, at endpoint: Endpoint) -> Answer {
        if endpoint == .meta { return .json(["keys": .list([])]) }
        let token = bearer(of: request)
        if endpoint == .tokenInfo { return tokenInfo(token, now: clock()) }
        if token == nil, request.headers["authorization"] != nil { return failure(401, "401 Unauthorized") }
        guard endpoint == .user else { return project(request, token: token) }
        guard let token else { return failure(401, "401 Unauthorized") }
        guard token.opensUser else { return insufficientScope("api read_api read_user") }
        return .json(["id": .number(1), "username": .text(token.login), "state": "active"])
    }

    /// Answers `GET /oauth/token/info`, which accepts only tokens of applications.
    private func tokenInfo(_ token: IssuedToken?, now: Double) -> Answer {
        guard let token, !token.clientID.isEmpty else {
            return .json(["error": "invalid_request", "error_description": "The request is malformed."], status: 401)
        }
        return .json([
            "resource_owner_id": .number(1), "scope": .list(token.scopes.map { .text($0) }),
            "expires_in": token.accessExpiry.map { .number(($0 - now).rounded(.down)) } ?? .null,
            "application": .object(["uid": .text(token.clientID)]), "created_at": .number(now.rounded(.down)),
        ])
    }

    /// Answers `GET /projects/GROUP%2FNAME`.
    private func project(_ request: Request, token: IssuedToken?) -> Answer {
        if let token, !token.opensAPI { return insufficientScope("api read_api") }
        let slug = request.apiParts(of: .gitLab).last?.lowercased().replacing("%2f", with: "/") ?? ""
        guard let repository = repository(slug, for: token) else { return failure(404, "404 Project Not Found") }
        let level: Double? =
            switch repository.access(with: token, at: .gitLab) {
            case .none: nil
            case .read: token.map { repository.readers.contains($0.login) ? 20 : nil } ?? nil
            case .write: 30
            }
        var fields: Fields = [
            "id": .number(7), "path_with_namespace": .text("\(repository.owner)/\(repository.name)"),
            "default_branch": "main", "visibility": repository.isPrivate ? "private" : "public",
            "archived": .flag(repository.isArchived),
        ]
        if token != nil {
            let access = level.map {
                Fields.Value.object(["access_level": .number($0), "notification_level": .number(3)])
            }
            fields.append("permissions", .object(["project_access": access ?? .null, "group_access": .null]))
        }
        return .json(fields)
    }

    func insufficientScope(_ scopes: String) -> Answer {
        .json(
            [
                "error": "insufficient_scope",
                "error_description": "The request requires higher privileges than provided by the access token.",
                "scope": .text(scopes),
            ], status: 403)
    }

    /// Answers `POST /oauth/revoke` (RFC 7009): an unknown client is refused, an unknown token is not.
    func answerGitLabRevocation(_ request: Request) -> Answer {
        let form = request.form
        return withState { state in
            guard let app = form["client_id"].flatMap({ state.server.apps[$0] }), form["client_secret"] == nil else {
                let reply = OAuthReply.error(
                    "unauthorized_client", "You are not authorized to revoke this token", status: 403)
                return .json(reply.fields, status: reply.status)
            }
            state.server.revokePair(of: form["token"] ?? "", clientID: app.clientID)
            return .json([:])
        }
    }
}

extension Repository {
    /// The text of `Gitlab::GitAccess` for a token that sees the project but may not do this; `nil` if it may.
    func gitLabRefusal(of token: IssuedToken, isPush: Bool, host: String) -> String? {
        if isPush, !token.mayPush { return "You are not allowed to upload code." }
        if !token.mayFetch, isPrivate { return "You are not allowed to download code." }
        if withoutSingleSignOn.contains(token.login) {
            let group = owner.prefix { $0 != "/" }
            return "Cannot find valid SSO session. Please login via your group's SSO at "
                + "https://\(host)/groups/\(group)/-/saml/sso?token=kzSw6pzZ"
        }
        guard isPush, isArchived || access(with: token, at: .gitLab) < .write else { return nil }
        return "You are not allowed to push code to this project."
    }
}

extension IssuedToken {
    fileprivate var mayFetch: Bool { has("api", "read_api", "read_repository", "write_repository") }
    fileprivate var mayPush: Bool { has("api", "write_repository") }
    /// Whether the scopes open the API beyond `/user`.
    var opensAPI: Bool { has("api", "read_api") }
    var opensUser: Bool { has("api", "read_api", "read_user") }
    func has(_ names: String...) -> Bool { !Set(names).isDisjoint(with: scopes) }
}

extension OAuthReply {
    /// A refusal in Doorkeeper's words; status 401 if the client is wrong, 400 otherwise.
    static func gitLab(_ refusal: OAuthRefusal) -> OAuthReply {
        switch refusal {
        case .unknownClient, .incorrectClient:
            error(
                "invalid_client",
                "Client authentication failed due to unknown client, no client authentication included, "
                    + "or unsupported authentication method.", status: 401)
        case .deviceFlowDisabled: error("unauthorized_client", "The client is not authorized.")
        case .pending: error("authorization_pending", "The authorization request is still pending.")
        case .slowDown: error("slow_down", "The authorization request is still pending.")
        case .expired: error("expired_token", "The device_code has expired.")
        case .denied: error("access_denied", "The resource owner denied the request.")
        case .incorrectDeviceCode, .incorrectCode, .badRefreshToken:
            error(
                "invalid_grant",
                "The provided authorization grant is invalid, expired, revoked, does not match the "
                    + "redirection URI used in the authorization request, or was issued to another client.")
        case .unsupportedGrantType: error("unsupported_grant_type", "The authorization grant type is not supported.")
        }
    }
}
