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
