package import CredentialCore

extension SignIn {
    /// How there came to be a credential.
    package enum Outcome {
        /// Somebody has signed in, and was told so.
        case signedIn(StoredCredential)
        /// Another process has saved it while we waited for it.
        case savedMeanwhile(StoredCredential)

        /// The credential.
        package var credential: StoredCredential {
            switch self {
            case .signedIn(let credential), .savedMeanwhile(let credential): credential
            }
        }
    }
}
