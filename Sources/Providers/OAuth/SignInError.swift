package import CredentialCore

package enum SignInError: Error, Equatable {
    case transport(TransportError)
    /// With the server's own words, if it has any; a status of neither a fault nor an excess is a page's for people.
    case unavailable(status: Int, saying: DisplayText? = nil)
    /// The server wants no request for so many seconds.
    case busy(seconds: Int64)
    case unknownClient
    /// Or unknown: the server does not tell.
    case clientConfidential
    /// The client is unknown, or has to prove who it is (RFC 6749, 5.2): the server does not tell.
    case clientUnknownOrUnproven
    /// The client, or the secret or key by which it proves who it is: the server does not tell.
    case clientOrProofUnknown
    /// The client is known, and its secret or assertion is not accepted.
    case clientSecretRejected
    case deviceFlowDisabled
    /// All requested scopes.
    case invalidScope(DisplayText)
    /// The host has issued a code to the app, and gives its token to nobody who does not prove to be the app.
    case clientSecretWanted
    case deviceFlowUnsupported
    /// The server does not say where it is.
    case noDeviceFlow
    /// Or none for a client without a secret.
    case codeFlowUnsupported
    /// The loopback interface cannot be listened on.
    case noRedirect
    /// Somebody else listens there: a program of the person's, if that can be seen.
    case redirectTaken(port: Int, by: DisplayText?)
    /// What is configured is no http address of the loopback.
    case malformedRedirect(DisplayText)
    /// Another server has answered in the browser (RFC 9207); nil if it does not say which.
    case foreignIssuer(DisplayText?)
    /// In the browser.
    case declined
    case expired
    /// The code or the refresh token: it was used, revoked or has expired, or is another client's.
    case invalidGrant
    /// The account's e-mail address has to be verified first.
    case unverifiedUserEmail
    /// The server's code, escaped for display.
    case refused(DisplayText)
    case malformedAnswer
    /// It is not on the host that was asked.
    case foreignAddress
    /// The ID token fails a check.
    case untrustedIdentity(IDTokenError)
    /// Immediately after it was issued.
    case tokenRejected
    /// The server has not sent the one that was asked for, and does not say otherwise whose account it is.
    case noIDToken
    /// Nil if the server does not say from which account the approval came.
    case wrongAccount(asked: DisplayText?, got: DisplayText?)
    /// Here, by the person.
    case cancelled
    /// git ended while we waited.
    case abandoned
    /// The notification.
    case unanswered
    /// The code could not be shown.
    case unreachable
}

extension OAuthClient {
    /// What a server's error means at each stage.
    ///
    /// Of a refresh token, only `.invalidGrant` is final. Every other error is about the request: a client ID or secret may
    /// be mistyped today and correct tomorrow.
    func meaning(of code: OAuthErrorCode, at stage: OAuthStage) -> SignInError {
        let isProven = authentication.isPresent
        return switch (code, stage) {
        case (.accessDenied, .page), (.accessDenied, .code), (.accessDenied, .deviceCode): .declined
        case (.expiredToken, .deviceCode): .expired
        case (.invalidGrant, .code), (.expiredToken, .code), (.incorrectDeviceCode, .code),
            (.invalidGrant, .deviceCode), (.incorrectDeviceCode, .deviceCode),
            (.invalidGrant, .refresh), (.expiredToken, .refresh):
            .invalidGrant
        // If we send no secret, the secret cannot be wrong: GitHub sends this code for another client's token.
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
        // The client is known, or there would be no code: it is one that has to authenticate (RFC 6749, 5.2).
        case (.invalidClient, .code), (.incorrectClientCredentials, .code), (.invalidClient, .deviceCode):
            isProven ? .clientSecretRejected : .clientSecretWanted
        case (.unauthorizedClient, .page), (.unauthorizedClient, .code): .codeFlowUnsupported
        case (.unauthorizedClient, .deviceAuthorization), (.unauthorizedClient, .deviceCode): .deviceFlowUnsupported
        case (.deviceFlowDisabled, .deviceAuthorization), (.deviceFlowDisabled, .deviceCode): .deviceFlowDisabled
        case (.invalidScope, _): .invalidScope(DisplayText(untrusted: scopes.utf8))
        case (.unverifiedUserEmail, _): .unverifiedUserEmail
        case (.other(let text), _): .refused(text)
        case (_, .page), (_, .deviceAuthorization), (_, .refresh), (_, .revocation): .refused(code.name)
        // It makes no sense there.
        case (_, .code), (_, .deviceCode): .malformedAnswer
        }
    }
}

extension SignInError {
    /// With what the server says of an error for which we have no words (RFC 6749, 4.1.2.1 and 5.2).
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
