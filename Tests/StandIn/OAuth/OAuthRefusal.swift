/// Why an OAuth endpoint says no; each service has its own words and statuses for it.
enum OAuthRefusal {
    /// Nobody has registered that client; asked for a code.
    case unknownClient
    /// Nobody has registered that client, or it brings a secret; asked for a token.
    case incorrectClient
    /// The app's owner has not allowed the device flow.
    case deviceFlowDisabled
    /// The person has not decided.
    case pending
    /// The poll came too early; the new interval in seconds.
    case slowDown(interval: Double)
    case expired
    case denied
    case incorrectDeviceCode
    /// An authorization code that is unknown, used, expired, or not of this request.
    case incorrectCode
    case unsupportedGrantType
    case badRefreshToken
}
