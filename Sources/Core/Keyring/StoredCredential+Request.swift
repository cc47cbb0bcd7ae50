internal import Bytes
package import CredentialProtocol

extension StoredCredential {
    /// ⑦ The credential as git gets it.
    package var answer: Answer {
        .credential(
            Answer.Credential(
                username: username, password: password, passwordExpiryUTC: passwordExpiryUTC,
                // git hands whatever we print to every helper in the chain; a grant of ours stays with us.
                oauthRefreshToken: grant == nil ? oauthRefreshToken : nil))
    }

    /// Whether a `store` brings nothing that this credential does not hold already.
    ///
    /// git before 2.41 brings the password alone: what is known beyond that stays. And a token that was renewed while git
    /// worked with the old one must not be replaced by it.
    package func makesNeedless(_ request: Request) -> Bool {
        guard let stored = request.password else { return true }
        guard stored == password else { return supersedes(stored) }
        return (request.passwordExpiryUTC == nil || request.passwordExpiryUTC == passwordExpiryUTC)
            && (request.oauthRefreshToken == nil || request.oauthRefreshToken == oauthRefreshToken)
    }
}
