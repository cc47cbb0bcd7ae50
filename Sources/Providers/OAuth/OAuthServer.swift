package import CredentialCore

/// An authorization server (RFC 6749, 1.1): its endpoints, its metadata, and the meaning of its answers.
package struct OAuthServer {
    /// The device endpoint (RFC 8628, 3.1), or `nil` if there is no device flow.
    package var deviceAuthorization: HTTPSAddress?
    /// The page's endpoint (RFC 6749, 3.1), or `nil` if there is no code flow, or none without a secret.
    package var authorization: HTTPSAddress?
    /// The token endpoint (RFC 6749, 3.2).
    package var token: HTTPSAddress
    /// The revocation endpoint (RFC 7009, 2), or `nil` if there is none.
    package var revocation: HTTPSAddress?
    /// The userinfo endpoint (OpenID Connect Core 1.0, 5.3), or `nil` if there is none, or it is on a foreign host.
    package var userinfo: HTTPSAddress?
    /// The address of the keys, or `nil` if unknown.
    ///
    /// The keys may be on any host: the issuer chooses them, and the request contains nothing of ours.
    package var keys: HTTPSAddress?
    /// The default scopes, separated by spaces.
    package var scopes = ""

    // MARK: Metadata (RFC 8414, 2)

    /// The issuer, or `nil` if the endpoints are known without its metadata.
    package var issuer: Issuer?
    package var knownScopes: [String]?
    /// The ways to send a secret, in the order of attempts; both for a server without metadata.
    package var secretMethods = SecretMethod.allCases
    /// The challenge methods (RFC 7636, 4.3), or `nil` if unknown.
    package var challengeMethods: [String]?
    /// The prompts of OpenID Connect (Initiating User Registration 1.0, 4), or `nil` if unknown.
    package var prompts: [String]?
    /// Whether each authorization response has an `iss` (RFC 9207, 3).
    package var namesIssuer = false

    // MARK: Peculiarities

    /// Further hosts of the server's owner that may have its sign-in page.
    package var verificationHosts: [String] = []
    /// The host of redirect addresses (RFC 8252, 7.3 and 8.3).
    package var redirectHost = RedirectHost.loopbackAddress
    /// Error codes that are in no RFC.
    package var errorCodes: [String: OAuthErrorCode] = [:]
    /// The status for an unknown client, if the device endpoint's response has no known `error`.
    package var unknownClientStatus: Int?
    /// A separator of scopes besides RFC 6749's space.
    package var scopeSeparator: UInt8?
    /// Whether new clients are confidential by default, so that `invalid_client` probably means a missing secret.
    package var hasConfidentialClients = false
    /// Whether `unauthorized_client` means an invalid refresh token, or a code without a confidential client's secret.
    package var blamesClient = false

    package func with(_ configured: SignInSettings?) -> OAuthServer {
        var server = self
        server.deviceAuthorization = configured?.deviceAuthorizationEndpoint ?? deviceAuthorization
        server.authorization = configured?.authorizationEndpoint ?? authorization
        server.token = configured?.tokenEndpoint ?? token
        return server
    }

    /// Whether the server checks the proof of RFC 7636; assumed of a server without metadata.
    package var checksChallenge: Bool { issuer == nil || challengeMethods != nil }

    /// Whether a page is on the origin of the device endpoint or issuer, or on a known host of the server's owner;
    /// another page could be anybody's.
    func mayVerify(at page: HTTPSAddress) -> Bool {
        [deviceAuthorization, issuer?.address].contains { $0?.isSameOrigin(as: page) == true }
            || page.port == nil && verificationHosts.contains(page.host)
    }

    func code(_ text: [UInt8]) -> OAuthErrorCode {
        OAuthErrorCode.standard.first { text.elementsEqual($0.name.text.utf8) }
            ?? errorCodes[String(decoding: text, as: UTF8.self)] ?? .other(DisplayText(untrusted: text))
    }
}

package enum SignInError: Error, Equatable {
    case transport(TransportError)
    /// The server has a fault, or sent a page instead of an answer; `saying` has its own words.
    case unavailable(status: Int, saying: DisplayText? = nil)
    /// The server accepts no request for some seconds.
    case busy(seconds: Int64)
    case unknownClient
    /// The client is confidential or unknown; the server does not tell which.
    case clientConfidential
    /// The client is unknown or has to authenticate (RFC 6749, 5.2); the server does not tell which.
    case clientUnknownOrUnproven
    /// The client is unknown, or its secret or key is wrong; the server does not tell which.
    case clientOrProofUnknown
    /// The client is known, but its secret or assertion is wrong.
    case clientSecretRejected
    case deviceFlowDisabled
    /// A requested scope is invalid; all requested scopes.
    case invalidScope(DisplayText)
    /// The host has issued a code to the app, and requires the app's secret for the token.
    case clientSecretWanted
    case deviceFlowUnsupported
    /// The server's metadata names no device endpoint.
    case noDeviceFlow
    /// There is no code flow, or none without a secret.
    case codeFlowUnsupported
    /// No port of the loopback interface can be listened on.
    case noRedirect
    /// Another program listens at the redirect address; its name if it is the person's.
    case redirectTaken(port: Int, by: DisplayText?)
    /// The configured redirect is not an http address of the loopback interface.
    case malformedRedirect(DisplayText)
    /// Another server answered in the browser (RFC 9207), or an unknown one if `nil`.
    case foreignIssuer(DisplayText?)
    case declined
    case expired
    /// The code or refresh token was used, revoked, has expired, or is another client's.
    case invalidGrant
    case unverifiedUserEmail
    /// The server's error code.
    case refused(DisplayText)
    case malformedAnswer
    /// The page for the code is on a host that is not the server's.
    case foreignAddress
    case untrustedIdentity(IDTokenError)
    case tokenRejected
    /// The server has sent no ID token, and does not name the account otherwise.
    case noIDToken
    /// Another account approved; `nil` if unknown.
    case wrongAccount(asked: DisplayText?, got: DisplayText?)
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
    /// For a refresh token, only `.invalidGrant` is final: other errors are about the client, whose ID or secret may be
    /// mistyped today and correct tomorrow.
    ///
    /// An error without words of ours has the server's description (RFC 6749, 4.1.2.1 and 5.2).
    func meaning(of code: OAuthErrorCode, at stage: OAuthStage, described description: [UInt8]?) -> SignInError {
        let isProven = authentication.isPresent
        return switch (code, stage) {
        case (.accessDenied, .page), (.accessDenied, .code), (.accessDenied, .deviceCode): .declined
        case (.expiredToken, .deviceCode): .expired
        case (.invalidGrant, .code), (.expiredToken, .code), (.incorrectDeviceCode, .code),
            (.invalidGrant, .deviceCode), (.incorrectDeviceCode, .deviceCode),
            (.invalidGrant, .refresh), (.expiredToken, .refresh):
            .invalidGrant
        // GitHub sends this code for another client's token as well; without a secret, nothing else can be wrong.
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
        // A client with a code is known, so its authentication is missing (RFC 6749, 5.2).
        case (.invalidClient, .code), (.incorrectClientCredentials, .code), (.invalidClient, .deviceCode):
            isProven ? .clientSecretRejected : .clientSecretWanted
        case (.unauthorizedClient, .page), (.unauthorizedClient, .code): .codeFlowUnsupported
        case (.unauthorizedClient, .deviceAuthorization), (.unauthorizedClient, .deviceCode): .deviceFlowUnsupported
        case (.deviceFlowDisabled, .deviceAuthorization), (.deviceFlowDisabled, .deviceCode): .deviceFlowDisabled
        case (.invalidScope, _): .invalidScope(DisplayText(untrusted: scopes.utf8))
        case (.unverifiedUserEmail, _): .unverifiedUserEmail
        case (.other, _), (_, .page), (_, .deviceAuthorization), (_, .refresh), (_, .revocation):
            .refused(code.name.with(description: description))
        // These errors make no sense for a code.
        case (_, .code), (_, .deviceCode): .malformedAnswer
        }
    }
}

extension DisplayText {
    /// Adds a server's description.
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
    /// The secret is wrong, or the token is another client's; GitHub's own code.
    case incorrectClientCredentials
    /// The refresh token was used, revoked or has expired, or the device code is invalid.
    case invalidGrant
    case unauthorizedClient
    /// The scope is unknown, or not allowed for the client.
    case invalidScope
    /// The app's owner disabled the device flow; GitHub's own code.
    case deviceFlowDisabled
    case incorrectDeviceCode
    case unverifiedUserEmail
    case other(DisplayText)

    /// The codes of RFC 6749, 5.2, and RFC 8628, 3.5.
    fileprivate static let standard: [OAuthErrorCode] = [
        .authorizationPending, .slowDown, .accessDenied, .expiredToken, .invalidClient, .invalidGrant,
        .unauthorizedClient, .invalidScope,
    ]

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
