package import CredentialCore
package import Providers

extension HTTPResponse {
    package static func json(_ text: String, status: Int = 200, headers: [(String, String)] = []) -> HTTPResponse {
        HTTPResponse(
            status: status, body: Secret(text.utf8),
            headers: [("content-type", Array("application/json; charset=utf-8".utf8))]
                + headers.map { ($0.0, Array($0.1.utf8)) })
    }

    /// Returns a web page, as proxies and load balancers send it.
    package static func page(status: Int, headers: [(String, String)] = []) -> HTTPResponse {
        HTTPResponse(
            status: status, body: Secret("<!DOCTYPE html><title>Unicorn!</title>".utf8),
            headers: [("content-type", Array("text/html".utf8))] + headers.map { ($0.0, Array($0.1.utf8)) })
    }
}

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

/// GitLab's documented responses (docs.gitlab.com, "OAuth 2.0 identity provider API", "Users API").
package enum GitLabAnswers {
    package static func device(host: String = "gitlab.com") -> HTTPResponse {
        .json(
            """
            {"device_code":"GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS","user_code":"0A44L90H",\
            "verification_uri":"https://\(host)/oauth/device",\
            "verification_uri_complete":"https://\(host)/oauth/device?user_code=0A44L90H",\
            "expires_in":300,"interval":5}
            """)
    }

    package static var pending: HTTPResponse { error("authorization_pending", status: 400) }
    /// The error for a poll that came too early, in which GitLab names no interval.
    package static var slowDown: HTTPResponse { error("slow_down", status: 400) }

    /// A token for two hours, with the next refresh token.
    package static var token: HTTPResponse {
        .json(
            """
            {"access_token":"de6780bc506a0446309bd9362820ba8aed28aa506c71eedbe1c5c4f9dd350e54","token_type":"Bearer",\
            "expires_in":7200,"refresh_token":"8257e65c97202ed1726cf9571600918f3bffb2544b26e00a61df9897668c33a1",\
            "scope":"read_repository write_repository read_user","created_at":1607635748}
            """)
    }

    /// The error for a refresh token that is spent or withdrawn.
    package static var invalidGrant: HTTPResponse { error("invalid_grant", status: 400) }
    package static func user(_ name: String) -> HTTPResponse { .json("{\"id\":1,\"username\":\"\(name)\"}") }

    /// The error for a valid token without the necessary scope.
    package static var insufficientScope: HTTPResponse {
        .json(
            """
            {"error":"insufficient_scope","error_description":"The request requires higher privileges than provided by \
            the access token.","scope":"api read_api"}
            """, status: 403)
    }

    /// Returns an OAuth error with the status of RFC 6749, 5.2.
    package static func error(_ code: String, status: Int) -> HTTPResponse {
        .json("{\"error\":\"\(code)\",\"error_description\":\"Words for people.\"}", status: status)
    }
}

/// Responses of Gitea and Forgejo (`oauth2_provider.go`, docs.gitea.com, "API").
package enum GiteaAnswers {
    /// Returns the metadata; the issuer of older releases ends with a slash.
    package static func discovery(
        issuer: String = "https://codeberg.org", token: String = "https://codeberg.org/login/oauth/access_token"
    ) -> HTTPResponse {
        .json(
            """
            {"issuer":"\(issuer)","authorization_endpoint":"https://codeberg.org/login/oauth/authorize",\
            "token_endpoint":"\(token)","jwks_uri":"https://codeberg.org/login/oauth/keys",\
            "userinfo_endpoint":"https://codeberg.org/login/oauth/userinfo",\
            "scopes_supported":["openid","profile","email","groups"],\
            "code_challenge_methods_supported":["plain","S256"]}
            """)
    }

    /// A token for an hour, with the next refresh token and without scopes.
    package static var token: HTTPResponse {
        .json(
            """
            {"access_token":"eyJhbGciOiJSUzI1NiJ9.YQ.YQ","token_type":"bearer","expires_in":3600,\
            "refresh_token":"eyJhbGciOiJSUzI1NiJ9.Yg.Yg"}
            """)
    }

    /// Returns an OAuth error, always with the same status.
    package static func error(_ code: String) -> HTTPResponse {
        .json("{\"error\":\"\(code)\",\"error_description\":\"\"}", status: 400)
    }

    package static func user(_ name: String) -> HTTPResponse { .json("{\"id\":1,\"login\":\"\(name)\"}") }

    package static func repository(push: Bool = true, archived: Bool = false) -> HTTPResponse {
        .json(
            """
            {"id":7,"full_name":"acme/widgets","private":true,"archived":\(archived),\
            "permissions":{"admin":false,"push":\(push),"pull":true}}
            """)
    }
}
