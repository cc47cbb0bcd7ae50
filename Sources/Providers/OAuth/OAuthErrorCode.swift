package import CredentialCore

package enum OAuthErrorCode: Equatable, Sendable {
    /// `authorization_pending`.
    case authorizationPending
    /// We poll too often (`slow_down`).
    case slowDown
    case accessDenied
    case expiredToken
    /// It is unknown, or its secret is wrong.
    case invalidClient
    /// Its secret is wrong, or the token belongs to another client; a provider's own code.
    case incorrectClientCredentials
    /// The refresh token was used, revoked or has expired, or the device code is invalid.
    case invalidGrant
    case unauthorizedClient
    /// It is unknown, or not allowed for the client.
    case invalidScope
    /// By the owner of the app; a provider's own code.
    case deviceFlowDisabled
    /// A provider's own code.
    case incorrectDeviceCode
    /// A provider's own code.
    case unverifiedUserEmail
    /// Escaped for display.
    case other(DisplayText)

    private static let standard: [OAuthErrorCode] = [
        .authorizationPending, .slowDown, .accessDenied, .expiredToken, .invalidClient, .invalidGrant,
        .unauthorizedClient, .invalidScope,
    ]

    /// Of RFC 6749, 5.2, or RFC 8628, 3.5.
    init?(_ text: [UInt8]) {
        guard let code = Self.standard.first(where: { text.elementsEqual($0.name.text.utf8) }) else { return nil }
        self = code
    }
}

extension OAuthErrorCode {
    /// No request of this client can then succeed.
    package var isAboutClient: Bool {
        switch self {
        case .invalidClient, .unauthorizedClient, .incorrectClientCredentials: true
        default: false
        }
    }

    /// As in the RFCs, or as the server sent it, so that people can look it up.
    package var name: DisplayText {
        switch self {
        case .authorizationPending: "authorization_pending"
        case .slowDown: "slow_down"
        case .accessDenied: "access_denied"
        case .expiredToken: "expired_token"
        case .invalidClient: "invalid_client"
        case .incorrectClientCredentials: "incorrect_client_credentials"
        case .invalidGrant: "invalid_grant"
        case .unauthorizedClient: "unauthorized_client"
        case .invalidScope: "invalid_scope"
        case .deviceFlowDisabled: "device_flow_disabled"
        case .incorrectDeviceCode: "incorrect_device_code"
        case .unverifiedUserEmail: "unverified_user_email"
        case .other(let text): text
        }
    }
}
