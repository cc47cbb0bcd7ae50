package import Providers

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
