package import CredentialCore

/// Why an ID token is not believed.
package enum IDTokenError: Error, Equatable {
    /// It is no signed token, or not signed by whom it should be.
    case signature(JSONWebSignatureError)
    /// It says that it is another kind of token (`typ`), such as an access token.
    case wrongType(DisplayText)
    /// What was signed is no JSON object, or names a claim twice.
    case malformedClaims
    /// A claim that every ID token has is absent.
    case missing(Claim)
    /// A claim is of the wrong type or out of every range.
    case malformed(Claim)
    /// Somebody else issued it; who.
    case wrongIssuer(DisplayText)
    /// It is meant for other clients.
    case foreignAudience
    /// It is meant for this client among others, but was not issued to it (`azp`).
    case foreignAuthorizedParty
    /// It has expired.
    case expired
    /// It was issued in the future, or is not valid yet (`nbf`): one of the two clocks is wrong.
    case fromTheFuture
    /// It was issued so long ago that it cannot be the answer to what was asked just now.
    case stale
    /// It answers somebody else's sign-in.
    case wrongNonce
    /// It belongs to another access token than the one beside it (`at_hash`).
    case wrongAccessToken
    /// Neither the name nor the subject can be the name of an account: git's protocol or a terminal would act on it.
    case unusableAccount
    /// No issuer is known whose keys could be asked for: the person has configured the endpoints alone.
    case noIssuer
    /// The issuer's keys could not be fetched.
    case keysUnavailable
    /// What the issuer publishes is no set of keys, or too large a one; or it publishes none.
    case unusableKeys

    /// A claim by its name in the token.
    package enum Claim: String {
        case issuer = "iss"
        case subject = "sub"
        case audience = "aud"
        case expiry = "exp"
        case issuedAt = "iat"
        case notBefore = "nbf"
        case authorizedParty = "azp"
        case nonce
        case accessTokenHash = "at_hash"
        case preferredUsername = "preferred_username"
    }
}
