package import CredentialCore

/// The meaning of the `error` in a response.
package enum OAuthErrorCode: Equatable, Sendable {
    /// The person has not finished yet (`authorization_pending`).
    case authorizationPending
    /// The person has not finished yet, and we poll too often (`slow_down`).
    case slowDown
    /// The person declined.
    case accessDenied
    /// The code has expired.
    case expiredToken
    /// The server does not know the client, or its secret is wrong.
    case invalidClient
    /// The client's secret is wrong, or the token belongs to another client; a provider's own code.
    case incorrectClientCredentials
    /// The refresh token was used, revoked or has expired, or the device code is invalid.
    case invalidGrant
    /// The client is not allowed to do this.
    case unauthorizedClient
    /// A requested scope is unknown, or not allowed for the client.
    case invalidScope
    /// The owner of the app has not enabled the device flow; a provider's own code.
    case deviceFlowDisabled
    /// The device code is invalid; a provider's own code.
    case incorrectDeviceCode
    /// The account's e-mail address has to be verified first; a provider's own code.
    case unverifiedUserEmail
    /// Any other code, escaped for display.
    case other(DisplayText)

    /// A code of RFC 6749, 5.2, or RFC 8628, 3.5, that makes a difference here.
    init?(_ text: [UInt8]) {
        switch String(decoding: text, as: UTF8.self) {
        case "authorization_pending": self = .authorizationPending
        case "slow_down": self = .slowDown
        case "access_denied": self = .accessDenied
        case "expired_token": self = .expiredToken
        case "invalid_client": self = .invalidClient
        case "invalid_grant": self = .invalidGrant
        case "unauthorized_client": self = .unauthorizedClient
        case "invalid_scope": self = .invalidScope
        default: return nil
        }
    }
}

extension OAuthErrorCode {
    /// Whether the server rejected the client, so that no request of this client can succeed.
    package var isAboutClient: Bool {
        switch self {
        case .invalidClient, .unauthorizedClient, .incorrectClientCredentials: true
        default: false
        }
    }

    /// The code as it is named in the RFCs, or as the server sent it, so that people can look it up.
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
