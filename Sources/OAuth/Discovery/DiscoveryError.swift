package import CredentialCore

/// Why nobody knows where a server's endpoints are.
package enum DiscoveryError: Error, Equatable {
    /// What is configured as the issuer is no https URL, or has a query or a fragment.
    case malformedIssuer(DisplayText)
    /// No answer.
    case transport(TransportError)
    /// The server has trouble of its own; its status.
    case unavailable(status: Int)
    /// Neither of the two well-known addresses has a document; whoever redirects has none either.
    case absent
    /// The document is another issuer's; whose.
    case wrongIssuer(DisplayText)
    /// What stands there as an endpoint is no https URL; the member's name.
    case insecure(Member)
    /// The endpoint is on a host that is neither the issuer's nor configured.
    case foreign(Member, host: DisplayText)
    /// The document lacks an endpoint without which there is no device flow.
    case missing(Member)

    /// A member of the document, by its name (RFC 8414, 2; RFC 8628, 4; OpenID Connect Discovery 1.0, 3).
    package enum Member: String, CaseIterable {
        case deviceAuthorization = "device_authorization_endpoint"
        case token = "token_endpoint"
        case revocation = "revocation_endpoint"
        case userinfo = "userinfo_endpoint"
        case keys = "jwks_uri"
    }
}
