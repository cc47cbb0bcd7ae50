package import CredentialCore

extension SignIn {
    package enum Outcome {
        /// The person was told so.
        case signedIn(StoredCredential)
        /// By another process, while we waited for it.
        case savedMeanwhile(StoredCredential)

        package var credential: StoredCredential {
            switch self {
            case .signedIn(let credential), .savedMeanwhile(let credential): credential
            }
        }
    }
}
