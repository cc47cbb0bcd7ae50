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

    /// The fields of a successful answer, which omits the scopes.
    static func gitea(_ token: IssuedToken, lifetime: App.TokenLifetime?) -> OAuthReply {
        OAuthReply(fields: [
            "access_token": .text(token.accessToken), "token_type": "bearer",
            "expires_in": .number(lifetime?.access ?? 3_600), "refresh_token": .text(token.refreshToken ?? ""),
        ])
    }
}
