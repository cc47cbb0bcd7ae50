/// The answer of an OAuth endpoint, before it is written as JSON or as a form.
struct OAuthReply {
    var status = 200
    var fields: Fields

    /// An error with a code of RFC 6749, RFC 8628 or the service itself.
    static func error(_ code: String, _ description: String, uri: String? = nil, status: Int = 400) -> OAuthReply {
        var fields: Fields = ["error": .text(code), "error_description": .text(description)]
        if let uri { fields.append("error_uri", .text(uri)) }
        return OAuthReply(status: status, fields: fields)
    }
}

extension Service {
    /// A refusal in the service's words.
    func reply(_ refusal: OAuthRefusal) -> OAuthReply {
        switch self {
        case .gitHub: .gitHub(refusal)
        case .gitLab: .gitLab(refusal)
        case .gitea: .gitea(refusal)
        }
    }

    /// A token in the service's form.
    func reply(_ token: IssuedToken, lifetime: App.TokenLifetime?, now: Double) -> OAuthReply {
        switch self {
        case .gitHub: .gitHub(token, lifetime: lifetime)
        case .gitLab: .gitLab(token, lifetime: lifetime, now: now)
        case .gitea: .gitea(token, lifetime: lifetime)
        }
    }
}

/// The reasons of a refusal; each service has its own words and statuses for them.
enum OAuthRefusal {
    /// The device code request names an unregistered client.
    case unknownClient
    /// The token request names an unregistered client, or contains a secret.
    case incorrectClient
    /// The app does not allow the device flow.
    case deviceFlowDisabled
    /// The person has not decided yet.
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
