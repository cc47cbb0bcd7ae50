package import CredentialCore

/// The `error` of an answer: RFC 6749, 5.2, RFC 8628, 3.5, and GitHub's own.
package enum OAuthErrorCode: Equatable {
    /// The person has not finished yet.
    case authorizationPending
    /// As before, and we ask too often.
    case slowDown
    /// The person said no.
    case accessDenied
    /// The code has ended; GitHub's documentation has two names for it.
    case expiredToken
    /// The app may not use the device flow.
    case deviceFlowDisabled
    /// The server does not know the client, or its secret is wrong.
    case invalidClient
    /// The device code is none.
    case incorrectDeviceCode
    /// GitHub wants a verified e-mail address first.
    case unverifiedUserEmail
    /// The refresh token is spent, withdrawn or ended.
    case invalidGrant
    /// The client may not do this.
    case unauthorizedClient
    /// Anything else, fit to be shown.
    case other(DisplayText)

    /// The code that stands in an answer.
    init(_ text: [UInt8]) {
        switch String(decoding: text, as: UTF8.self) {
        case "authorization_pending": self = .authorizationPending
        case "slow_down": self = .slowDown
        case "access_denied", "authorization_declined": self = .accessDenied
        case "expired_token", "token_expired": self = .expiredToken
        case "device_flow_disabled": self = .deviceFlowDisabled
        case "invalid_client", "incorrect_client_credentials": self = .invalidClient
        case "incorrect_device_code", "bad_verification_code": self = .incorrectDeviceCode
        case "unverified_user_email": self = .unverifiedUserEmail
        case "invalid_grant", "bad_refresh_token": self = .invalidGrant
        case "unauthorized_client": self = .unauthorizedClient
        default: self = .other(DisplayText(text))
        }
    }
}
