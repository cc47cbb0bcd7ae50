/// What an OAuth endpoint says, before it is written as JSON or as a form.
struct OAuthReply {
    var status = 200
    var fields: Fields

    private static let documentation = "https://docs.github.com"

    /// GitHub's answer to a client ID that it does not know, at the device code endpoint.
    static let notFound = OAuthReply(status: 404, fields: ["error": "Not Found"])

    static let deviceFlowDisabled = error(
        "device_flow_disabled", "Device Flow must be explicitly enabled for this App", status: 400)

    static let pending = error(
        "authorization_pending", "The authorization request is still pending.",
        uri: "\(documentation)/developers/apps/authorizing-oauth-apps#error-codes-for-the-device-flow")

    static let expired = error("expired_token", "This 'device_code' has expired.")

    static let denied = error("access_denied", "The authorization request was denied.")

    static let incorrectDeviceCode = error("incorrect_device_code", "The device_code provided is not valid.")

    static let incorrectClient = error(
        "incorrect_client_credentials", "The client_id and/or client_secret passed are incorrect.")

    static let unverifiedEmail = error("unverified_user_email", "The user must have a verified primary email.")

    static let unsupportedGrantType = error("unsupported_grant_type", "The grant_type is not supported.")

    static let badRefreshToken = error(
        "bad_refresh_token", "The refresh token passed is incorrect or expired.",
        uri: "\(documentation)/apps/managing-oauth-apps/troubleshooting-oauth-app-access-token-request-errors/"
            + "#bad-verification-code")

    /// The poll came too early; `interval` is the new one in seconds.
    static func slowDown(interval: Double) -> OAuthReply {
        var reply = error(
            "slow_down", "Too many requests have been made in the same timeframe.", uri: documentation)
        reply.fields.append("interval", .number(interval))
        return reply
    }

    /// The members of a successful answer, in the order of GitHub's samples.
    static func token(_ token: IssuedToken, lifetime: App.TokenLifetime?) -> OAuthReply {
        var fields: Fields = ["access_token": .text(token.accessToken)]
        if let lifetime, let refreshToken = token.refreshToken {
            fields.append("expires_in", .number(lifetime.access))
            fields.append("refresh_token", .text(refreshToken))
            fields.append("refresh_token_expires_in", .number(lifetime.refresh))
        }
        // Comma-separated, unlike the request's.
        fields.append("scope", .text(token.scopes.joined(separator: ",")))
        fields.append("token_type", "bearer")
        return OAuthReply(fields: fields)
    }

    /// GitHub sends errors with status 200, but for the few that say otherwise.
    private static func error(
        _ code: String, _ description: String, uri: String? = nil, status: Int = 200
    ) -> OAuthReply {
        var fields: Fields = ["error": .text(code), "error_description": .text(description)]
        if let uri { fields.append("error_uri", .text(uri)) }
        return OAuthReply(status: status, fields: fields)
    }
}
