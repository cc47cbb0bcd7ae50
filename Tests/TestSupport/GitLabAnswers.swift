package import Providers

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
