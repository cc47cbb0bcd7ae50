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

    /// The fields of a successful answer, in the order of GitLab's samples.
    static func gitLab(_ token: IssuedToken, lifetime: App.TokenLifetime?, now: Double) -> OAuthReply {
        var fields: Fields = ["access_token": .text(token.accessToken), "token_type": "Bearer"]
        if let lifetime { fields.append("expires_in", .number(lifetime.access)) }
        if let refreshToken = token.refreshToken { fields.append("refresh_token", .text(refreshToken)) }
        fields.append("scope", .text(token.scopes.joined(separator: " ")))
        fields.append("created_at", .number(now.rounded(.down)))
        return OAuthReply(fields: fields)
    }
}
