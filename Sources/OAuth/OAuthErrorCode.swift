package import CredentialCore

/// What the `error` of an answer says.
package enum OAuthErrorCode: Equatable, Sendable {
    /// The person has not finished yet.
    case authorizationPending
    /// As before, and we ask too often.
    case slowDown
    /// The person said no.
    case accessDenied
    /// The code has ended.
    case expiredToken
    /// The server does not know the client, or its secret is wrong.
    case invalidClient
    /// The client's secret is wrong, or the token is another client's; a provider's own code.
    case incorrectClientCredentials
    /// The refresh token is spent, withdrawn or ended, or the device code is none.
    case invalidGrant
    /// The client may not do this.
    case unauthorizedClient
    /// The client may not have a scope that it asks for, or there is none of that name.
    case invalidScope
    /// The app's owner has not switched the device flow on; a provider's own code.
    case deviceFlowDisabled
    /// The device code is none; a provider's own code.
    case incorrectDeviceCode
    /// The account's e-mail address has to be verified first; a provider's own code.
    case unverifiedUserEmail
    /// Anything else, fit to be shown.
    case other(DisplayText)

    /// A code of RFC 6749, 5.2, or RFC 8628, 3.5, that changes what we do.
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
    /// Whether the server would not have the client, so that nothing can be had in its name.
    package var isAboutClient: Bool {
        switch self {
        case .invalidClient, .unauthorizedClient, .incorrectClientCredentials: true
        default: false
        }
    }

    /// The code by its name in the RFCs, or as the server sent it, so that it can be looked up.
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
