extension OAuthReply {
    private static let documentation = "https://docs.github.com"

    /// A refusal in GitHub's words; the status is 200, with a few exceptions.
    static func gitHub(_ refusal: OAuthRefusal) -> OAuthReply {
        switch refusal {
        case .unknownClient: return OAuthReply(status: 404, fields: ["error": "Not Found"])
        case .incorrectClient:
            return error(
                "incorrect_client_credentials", "The client_id and/or client_secret passed are incorrect.", status: 200)
        case .deviceFlowDisabled:
            return error("device_flow_disabled", "Device Flow must be explicitly enabled for this App", status: 400)
        case .pending:
            return error(
                "authorization_pending", "The authorization request is still pending.",
                uri: "\(documentation)/developers/apps/authorizing-oauth-apps#error-codes-for-the-device-flow",
                status: 200)
        case .slowDown(let interval):
            var reply = error(
                "slow_down", "Too many requests have been made in the same timeframe.", uri: documentation, status: 200)
            reply.fields.append("interval", .number(interval))
            return reply
        case .expired: return error("expired_token", "This 'device_code' has expired.", status: 200)
        case .denied: return error("access_denied", "The authorization request was denied.", status: 200)
        case .incorrectDeviceCode:
            return error("incorrect_device_code", "The device_code provided is not valid.", status: 200)
        case .incorrectCode:
            return error("bad_verification_code", "The code passed is incorrect or expired.", status: 200)
        case .unsupportedGrantType:
            return error("unsupported_grant_type", "The grant_type is not supported.", status: 200)
        case .badRefreshToken:
            return error(
                "bad_refresh_token", "The refresh token passed is incorrect or expired.",
                uri: "\(documentation)/apps/managing-oauth-apps/"
                    + "troubleshooting-oauth-app-access-token-request-errors/#bad-verification-code", status: 200)
        }
    }

    /// The fields of a successful answer, in the order of GitHub's samples.
    static func gitHub(_ token: IssuedToken, lifetime: App.TokenLifetime?) -> OAuthReply {
        var fields: Fields = ["access_token": .text(token.accessToken)]
        if let lifetime, let refreshToken = token.refreshToken {
            fields.append("expires_in", .number(lifetime.access))
            fields.append("refresh_token", .text(refreshToken))
            fields.append("refresh_token_expires_in", .number(lifetime.refresh))
        }
        // Comma-separated, unlike the scopes of the request.
        fields.append("scope", .text(token.scopes.joined(separator: ",")))
        fields.append("token_type", "bearer")
        return OAuthReply(fields: fields)
    }
}
