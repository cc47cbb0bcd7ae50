package import CredentialCore
package import Providers

/// GitHub's documented responses (docs.github.com, "Authorizing OAuth apps", "Refreshing user access tokens").
package enum GitHubAnswers {
    package static let newToken = HTTPSAddress(
        host: "github.com", path: "/settings/tokens/new?description=git&scopes=repo,workflow,gist")

    package static var device: HTTPResponse { device() }

    /// Returns a code that expires in so many seconds.
    package static func device(at host: String = "github.com", expiresIn seconds: Int = 900, interval: Int = 5)
        -> HTTPResponse
    {
        .json(
            """
            {"device_code":"3584d83530557fdd1f46af8289938c8ef79f9dc5","user_code":"WDJB-MJHT",\
            "verification_uri":"https://\(host)/login/device","expires_in":\(seconds),"interval":\(interval)}
            """)
    }

    package static var pending: HTTPResponse {
        error("authorization_pending", "The authorization request is still pending.")
    }

    /// Returns the error for a poll that came too early, with the new minimum in seconds if the server sends one.
    package static func slowDown(interval: Int?) -> HTTPResponse {
        let member = interval.map { ",\"interval\":\($0)" } ?? ""
        return .json("{\"error\":\"slow_down\",\"error_description\":\"Too many requests.\"\(member)}")
    }

    package static var expired: HTTPResponse { error("expired_token", "This 'device_code' has expired.") }
    package static var denied: HTTPResponse { error("access_denied", "The authorization request was denied.") }

    /// The token of an OAuth App, without expiry and refresh token.
    package static var oauthAppToken: HTTPResponse {
        .json(
            """
            {"access_token":"gho_16C7e42F292c6912E7710c838347Ae178B4a","token_type":"bearer","scope":"repo,gist,workflow"}
            """)
    }

    /// The token of a GitHub App for eight hours, with a refresh token for half a year.
    package static var gitHubAppToken: HTTPResponse {
        .json(
            """
            {"access_token":"ghu_16C7e42F292c6912E7710c838347Ae178B4a","expires_in":28800,\
            "refresh_token":"ghr_1B4a2e77838347a7E420ce178F2E7c6912E1692","refresh_token_expires_in":15897600,\
            "scope":"","token_type":"bearer"}
            """)
    }

    /// The error for a refresh token that is spent or withdrawn.
    package static var badRefreshToken: HTTPResponse {
        error("bad_refresh_token", "The refresh token passed is incorrect or expired.")
    }

    package static func user(_ login: String) -> HTTPResponse { .json("{\"login\":\"\(login)\",\"id\":1}") }

    /// Returns a repository as a reader sees it, with the scopes of the request's token, or `nil` for an app's token.
    package static func repository(push: Bool = true, scopes: String? = "repo, workflow", more: String = "")
        -> HTTPResponse
    {
        .json(
            "{\"full_name\":\"acme/widgets\",\"private\":true,\"permissions\":{\"push\":\(push)}\(more)}",
            headers: scopes.map { [("x-oauth-scopes", $0)] } ?? [])
    }

    package static var badCredentials: HTTPResponse { .json("{\"message\":\"Bad credentials\"}", status: 401) }

    /// Returns an OAuth error, which GitHub sends with status 200.
    package static func error(_ code: String, _ description: String) -> HTTPResponse {
        .json(
            "{\"error\":\"\(code)\",\"error_description\":\"\(description)\",\"error_uri\":\"https://docs.github.com\"}"
        )
    }
}
