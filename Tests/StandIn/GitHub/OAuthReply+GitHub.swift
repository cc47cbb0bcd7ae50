extension OAuthReply {
    private static let documentation = "https://docs.github.com"

    /// An error as GitHub usually sends it: with status 200.
    private static func usual(_ code: String, _ description: String, uri: String? = nil) -> OAuthReply {
        error(code, description, uri: uri, status: 200)
    }

    /// A refusal in GitHub's words; the status is 200, with a few exceptions.
    static func gitHub(_ refusal: OAuthRefusal) -> OAuthReply {
        switch refusal {
        case .unknownClient: return OAuthReply(status: 404, fields: ["error": "Not Found"])
        case .incorrectClient:
            return usual("incorrect_client_credentials", "The client_id and/or client_secret passed are incorrect.")
        case .deviceFlowDisabled:
            return error("device_flow_disabled", "Device Flow must be explicitly enabled for this App")
        case .pending:
            return usual(
                "authorization_pending", "The authorization request is still pending.",
                uri: "\(documentation)/developers/apps/authorizing-oauth-apps#error-codes-for-the-device-flow")
        case .slowDown(let interval):
            var reply = usual(
                "slow_down", "Too many requests have been made in the same timeframe.", uri: documentation)
            reply.fields.append("interval", .number(interval))
            return reply
        case .expired: return usual("expired_token", "This 'device_code' has expired.")
        case .denied: return usual("access_denied", "The authorization request was denied.")
        case .incorrectDeviceCode: return usual("incorrect_device_code", "The device_code provided is not valid.")
        case .incorrectCode: return usual("bad_verification_code", "The code passed is incorrect or expired.")
        case .unsupportedGrantType: return usual("unsupported_grant_type", "The grant_type is not supported.")
        case .badRefreshToken:
            return usual(
                "bad_refresh_token", "The refresh token passed is incorrect or expired.",
                uri: "\(documentation)/apps/managing-oauth-apps/"
                    + "troubleshooting-oauth-app-access-token-request-errors/#bad-verification-code")
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
