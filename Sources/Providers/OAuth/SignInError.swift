package import CredentialCore

package enum SignInError: Error, Equatable {
    case transport(TransportError)
    /// The server has a fault, with its own words if any; another status comes with a page for people.
    case unavailable(status: Int, saying: DisplayText? = nil)
    /// The server wants no request for that many seconds.
    case busy(seconds: Int64)
    case unknownClient
    /// The client is confidential, or unknown: the server does not say which.
    case clientConfidential
    /// The client is unknown, or has to authenticate (RFC 6749, 5.2): the server does not say which.
    case clientUnknownOrUnproven
    /// The client, or its secret or key, is unknown: the server does not say which.
    case clientOrProofUnknown
    /// The client is known, but its secret or assertion is rejected.
    case clientSecretRejected
    case deviceFlowDisabled
    /// The requested scopes are invalid, all named here.
    case invalidScope(DisplayText)
    /// The host has issued a code to the app, and wants the app's secret for the token.
    case clientSecretWanted
    case deviceFlowUnsupported
    /// The server names no device endpoint.
    case noDeviceFlow
    /// There is no code flow, or none for a client without a secret.
    case codeFlowUnsupported
    /// The loopback interface cannot be listened on.
    case noRedirect
    /// Another program listens at the redirect address; its name if it is the person's.
    case redirectTaken(port: Int, by: DisplayText?)
    /// The configured redirect is no http address of the loopback.
    case malformedRedirect(DisplayText)
    /// Another server answered in the browser (RFC 9207), or an unknown one if `nil`.
    case foreignIssuer(DisplayText?)
    /// The person declined in the browser.
    case declined
    case expired
    /// The code or refresh token was used, revoked or has expired, or is another client's.
    case invalidGrant
    /// The account's e-mail address has to be verified first.
    case unverifiedUserEmail
    /// The server's code, escaped for display.
    case refused(DisplayText)
    case malformedAnswer
    /// The page is not on the host that was asked.
    case foreignAddress
    /// The ID token fails a check.
    case untrustedIdentity(IDTokenError)
    /// The token was rejected right after it was issued.
    case tokenRejected
    /// The server has sent no ID token, and does not name the account otherwise.
    case noIDToken
    /// Another account approved; `nil` if unknown.
    case wrongAccount(asked: DisplayText?, got: DisplayText?)
    /// The person cancelled here.
    case cancelled
    /// git ended during the wait.
    case abandoned
    /// The person did not answer the notification.
    case unanswered
    case unreachable
}

extension OAuthClient {
    /// The meaning of a server's error at each stage.
    ///
    /// For a refresh token, only `.invalidGrant` is final. Other errors are about the request: a client ID or secret
    /// may be mistyped today and correct tomorrow.
    func meaning(of code: OAuthErrorCode, at stage: OAuthStage) -> SignInError {
        let isProven = authentication.isPresent
        return switch (code, stage) {
        case (.accessDenied, .page), (.accessDenied, .code), (.accessDenied, .deviceCode): .declined
        case (.expiredToken, .deviceCode): .expired
        case (.invalidGrant, .code), (.expiredToken, .code), (.incorrectDeviceCode, .code),
            (.invalidGrant, .deviceCode), (.incorrectDeviceCode, .deviceCode),
            (.invalidGrant, .refresh), (.expiredToken, .refresh):
            .invalidGrant
        // Without a secret, the secret cannot be wrong: GitHub sends this code for another client's token.
        case (.incorrectClientCredentials, .refresh) where !isProven: .invalidGrant
        case (.unauthorizedClient, .refresh) where server.blamesClient: .invalidGrant
        case (.invalidClient, .refresh), (.incorrectClientCredentials, .refresh):
            isProven ? .clientSecretRejected : .clientConfidential
        case (.invalidClient, .deviceAuthorization) where server.hasConfidentialClients && !isProven,
            (.invalidClient, .code) where server.hasConfidentialClients && !isProven,
            (.unauthorizedClient, .code) where server.blamesClient && !isProven:
            .clientConfidential
        case (.invalidClient, .deviceAuthorization): isProven ? .clientOrProofUnknown : .clientUnknownOrUnproven
        case (.incorrectClientCredentials, .deviceAuthorization), (.incorrectClientCredentials, .deviceCode):
            isProven ? .clientSecretRejected : .unknownClient
        // A client with a code is known, so it has to authenticate (RFC 6749, 5.2).
        case (.invalidClient, .code), (.incorrectClientCredentials, .code), (.invalidClient, .deviceCode):
            isProven ? .clientSecretRejected : .clientSecretWanted
        case (.unauthorizedClient, .page), (.unauthorizedClient, .code): .codeFlowUnsupported
        case (.unauthorizedClient, .deviceAuthorization), (.unauthorizedClient, .deviceCode): .deviceFlowUnsupported
        case (.deviceFlowDisabled, .deviceAuthorization), (.deviceFlowDisabled, .deviceCode): .deviceFlowDisabled
        case (.invalidScope, _): .invalidScope(DisplayText(untrusted: scopes.utf8))
        case (.unverifiedUserEmail, _): .unverifiedUserEmail
        case (.other(let text), _): .refused(text)
        case (_, .page), (_, .deviceAuthorization), (_, .refresh), (_, .revocation): .refused(code.name)
        // The error makes no sense there.
        case (_, .code), (_, .deviceCode): .malformedAnswer
        }
    }
}

extension SignInError {
    /// The error with the server's description, if it is one without words of ours (RFC 6749, 4.1.2.1 and 5.2).
    func with(description: [UInt8]?) -> SignInError {
        guard case .refused(let code) = self else { return self }
        return .refused(code.with(description: description))
    }
}

extension DisplayText {
    func with(description: [UInt8]?) -> DisplayText {
        description.map { "\(self) (\(DisplayText(untrusted: $0)))" } ?? self
    }
}

package enum OAuthErrorCode: Equatable, Sendable {
    case authorizationPending
    /// Polls are too frequent (`slow_down`).
    case slowDown
    case accessDenied
    case expiredToken
    /// The client is unknown, or its secret is wrong.
    case invalidClient
    /// The secret is wrong, or the token is another client's; a provider's own code.
    case incorrectClientCredentials
    /// The refresh token was used, revoked or has expired, or the device code is invalid.
    case invalidGrant
    case unauthorizedClient
    /// The scope is unknown, or not allowed for the client.
    case invalidScope
    /// The app's owner disabled the device flow; a provider's own code.
    case deviceFlowDisabled
    /// A provider's own code.
    case incorrectDeviceCode
    /// A provider's own code.
    case unverifiedUserEmail
    /// Another code, escaped for display.
    case other(DisplayText)

    private static let standard: [OAuthErrorCode] = [
        .authorizationPending, .slowDown, .accessDenied, .expiredToken, .invalidClient, .invalidGrant,
        .unauthorizedClient, .invalidScope,
    ]

    /// Finds a code of RFC 6749, 5.2, or RFC 8628, 3.5.
    init?(_ text: [UInt8]) {
        guard let code = Self.standard.first(where: { text.elementsEqual($0.name.text.utf8) }) else { return nil }
        self = code
    }
}

extension OAuthErrorCode {
    /// Whether every request of this client would fail.
    package var isAboutClient: Bool {
        switch self {
        case .invalidClient, .unauthorizedClient, .incorrectClientCredentials: true
        default: false
        }
    }

    /// The code as in the RFCs or as sent, so that people can look it up.
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
