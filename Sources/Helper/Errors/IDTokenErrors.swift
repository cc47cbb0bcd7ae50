internal import CredentialCore
internal import Providers

extension IDTokenError {
    /// The error as the end of a sentence.
    var what: Message {
        switch self {
        case .signature(let error): error.what
        case .wrongType(let type): Message("the ID token is of another type (%1$s)", type)
        case .malformedClaims: Message("the ID token is malformed")
        case .missing(let claim): Message("the ID token lacks %1$s", DisplayText(trusted: claim.rawValue))
        case .malformed(let claim): Message("the ID token has an invalid %1$s", DisplayText(trusted: claim.rawValue))
        case .wrongIssuer(let name): Message("the ID token is from another issuer (%1$s)", name)
        case .foreignAudience, .foreignAuthorizedParty: Message("the ID token is for another client")
        case .expired, .stale: Message("the ID token has expired")
        case .fromTheFuture: Message("the ID token is not valid yet")
        case .wrongNonce, .wrongAccessToken: Message("the ID token belongs to another sign-in")
        case .unusableAccount: Message("the account's name cannot be used")
        case .noIssuer: Message("the ID token cannot be verified without an issuer")
        case .keysUnavailable: Message("the server's keys could not be fetched")
        case .unusableKeys: Message("the server publishes no keys that can be used")
        }
    }

    func hints(host: DisplayText) -> [Message] {
        switch self {
        case .expired, .stale, .fromTheFuture: [Message("check this machine's clock:"), .command("timedatectl")]
        case .keysUnavailable: [Message("try again:"), .login(host)]
        case .noIssuer:
            [Message("name the server that issues the tokens:"), .setting(.oauthIssuer, of: host, to: "<issuer>")]
        case .signature(.refusedAlgorithm):
            [
                Message(
                    "at the server, set the algorithm of the client's ID tokens (id_token_signed_response_alg) to %1$s",
                    DisplayText(trusted: "RS256, PS256, ES256 or EdDSA"))
            ]
        default: []
        }
    }
}

extension JSONWebSignatureError {
    fileprivate var what: Message {
        switch self {
        case .tooLong, .notCompact, .notBase64URL, .malformedHeader, .criticalExtension, .malformedSignature:
            Message("the ID token is malformed")
        case .refusedAlgorithm(let name?): Message("the ID token is signed by %1$s, which is not accepted", name)
        case .refusedAlgorithm(nil): Message("the ID token is not signed")
        case .unknownKey, .ambiguousKey, .unsuitableKey, .invalidKey:
            Message("the ID token is signed by a key that the server does not publish")
        case .wrongSignature: Message("the signature of the ID token is wrong")
        }
    }
}
