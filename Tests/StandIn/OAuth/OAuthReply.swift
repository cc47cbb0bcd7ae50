/// The answer of an OAuth endpoint, before it is written as JSON or as a form.
struct OAuthReply {
    var status = 200
    var fields: Fields

    /// An error with a code of RFC 6749, RFC 8628 or the service itself.
    static func error(_ code: String, _ description: String, status: Int = 400) -> OAuthReply {
        OAuthReply(status: status, fields: ["error": .text(code), "error_description": .text(description)])
    }
}

extension Service {
    func reply(_ refusal: OAuthRefusal) -> OAuthReply {
        switch self {
        case .gitHub: .gitHub(refusal)
        case .gitLab: .gitLab(refusal)
        case .gitea: .gitea(refusal)
        }
    }

    func reply(_ token: IssuedToken, lifetime: App.TokenLifetime?, now: Double) -> OAuthReply {
        var fields: Fields = [
            "access_token": .text(token.accessToken), "token_type": self == .gitLab ? "Bearer" : "bearer",
        ]
        if let lifetime { fields.append("expires_in", .number(lifetime.access)) }
        if let refreshToken = token.refreshToken { fields.append("refresh_token", .text(refreshToken)) }
        switch self {
        case .gitHub:
            if let lifetime { fields.append("refresh_token_expires_in", .number(lifetime.refresh)) }
            // Comma-separated, unlike the scopes of the request.
            fields.append("scope", .text(token.scopes.joined(separator: ",")))
        case .gitLab:
            fields.append("scope", .text(token.scopes.joined(separator: " ")))
            fields.append("created_at", .number(now.rounded(.down)))
        case .gitea: break
        }
        return OAuthReply(fields: fields)
    }
}

/// The reasons of a refusal; each service has its own words and statuses for them.
enum OAuthRefusal {
    /// The device code request names an unregistered client.
    case unknownClient
    /// The token request names an unregistered client, or contains a secret.
    case incorrectClient
    case deviceFlowDisabled
    case pending
    /// The poll came too early; the new interval is in seconds.
    case slowDown(interval: Double)
    case expired
    case denied
    case incorrectDeviceCode
    /// The authorization code is unknown, used, expired, or belongs to another request.
    case incorrectCode
    case unsupportedGrantType
    case badRefreshToken
}
