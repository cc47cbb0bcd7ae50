package import CredentialCore
package import OAuth
package import Providers

/// A failure that a person has to know about: a fact, for which the module Messages has the text.
///
/// It contains no secret, and no text from a server or a request unescaped.
package enum UserFacingError: Error, Equatable {
    case requestRefused(RequestError)
    case malformedHostArgument(DisplayText, verb: DisplayText)
    case plainHTTPArgument(DisplayText, verb: DisplayText)
    case downgrade
    case keyring(KeyringError)
    case notSaved(KeyringError)
    case notErased(KeyringError)
    case notAllErased(accounts: [DisplayText], host: DisplayText, KeyringError)
    case nobodyHere(host: DisplayText, as: DisplayText? = nil, because: DisplayText?)
    case noClientID(host: DisplayText)
    case offline(host: DisplayText, TransportError)
    case serverInTrouble(host: DisplayText, status: Int)
    case refreshRefused(host: DisplayText, OAuthErrorCode, SignInAgain? = nil)
    case clientRefused(host: DisplayText, clientID: DisplayText, OAuthErrorCode)
    case otherNotFinished(host: DisplayText)
    case shortlyRefused(host: DisplayText)
    case signIn(DeviceFlowError, host: DisplayText, clientID: DisplayText)
    case wrongAccount(asked: DisplayText, got: DisplayText?, host: DisplayText, AccountRequest)
    case installation(InstallationFailure, host: DisplayText)
    case discovery(DiscoveryError, issuer: DisplayText, host: DisplayText)
    case signingKey(SigningKeyError, name: DisplayText)
    case lockImpossible
    case notForSignIn(host: DisplayText)
    case notSignedIn(host: DisplayText)
    case keyringAbsent(KeyringError, host: DisplayText)
    case nothingToRemove(host: DisplayText, KeyringError?)
    case notRenewable(host: DisplayText, SignInAgain? = nil, neverExpires: Bool = false)
    case severalAccounts(host: DisplayText, [DisplayText], verb: DisplayText = "logout")
    case accountNotStored(DisplayText, host: DisplayText, stored: [DisplayText], verb: DisplayText? = nil)
    case noAccountNamed(host: DisplayText, [DisplayText])
    case notRevoked(account: DisplayText, host: DisplayText, RevocationFailure, page: HTTPSAddress?)
    case revokedNotErased(account: DisplayText, KeyringError)
    case nothingToRevokeAt(host: DisplayText)
    case noSuchVerb(DisplayText, nearest: DisplayText?)
    case notARepository
    case wrongKeyringPassword
    case noKeyringPassword
    case passwordsDiffer
    case unlockElsewhere(KeyringProgram)
    case noRepositoryHere
    case configurationUnreadable(ConfigurationError)
    case configuration(ConfigurationFileError, verb: DisplayText)
    case nobodyToAsk(host: DisplayText, because: DisplayText?)
    case malformedClientID
    case malformedToken
    case noToken(host: DisplayText, page: HTTPSAddress?, verb: DisplayText, isTyped: Bool)
    case tokenRefused(host: DisplayText, page: HTTPSAddress?)
    case tokenNotVerified(host: DisplayText)
    case tokenOfAnother(asked: DisplayText, owner: DisplayText)
    case tokenOwnerUnknown(host: DisplayText, permissions: DisplayText?)
    case tokenNeeded(host: DisplayText, page: HTTPSAddress?)
    case tokenNeedsAccount(host: DisplayText)
    case hostRecognized(RecognizedHost, host: DisplayText)
    case gitLacksAuthtype(host: DisplayText)
    case registration(DeviceFlowError, host: DisplayText, clientID: DisplayText, form: Registration.Form?)
    case noRegistrationPage(host: DisplayText)
    case setupNeedsPerson(host: DisplayText, because: DisplayText?)
    case setupNeedsAnswer(host: DisplayText)
    case proactiveNeedsSignIn(host: DisplayText)
    case share(ShareFailure)
    case clientIDNotKept(ConfigurationFileError, key: DisplayText, clientID: DisplayText)

    /// The error for a request that has no credential context.
    package init(_ refusal: CredentialContext.Refusal) {
        switch refusal {
        case .malformedHost: self = .requestRefused(.malformedHost)
        case .downgrade: self = .downgrade
        }
    }

    /// The error for whatever failed while sign-ins were looked up, which asks the request, the configuration and the
    /// keyring.
    package init(whileLookingUp error: any Error) {
        switch error {
        case let refusal as CredentialContext.Refusal: self.init(refusal)
        case let error as ConfigurationError: self = .configurationUnreadable(error)
        case let error as KeyringError: self = .keyring(error)
        default: self = .keyring(.other("\(error)"))
        }
    }
}

extension UserFacingError {
    /// Whether it is the keyring that failed.
    package var concernsKeyring: Bool {
        switch self {
        case .keyring, .notSaved, .notErased, .notAllErased, .revokedNotErased: true
        default: false
        }
    }
}
