/// Tokens that a server has refused although the keyring could not be told: they are not handed out again.
///
/// What is remembered is a digest. It is forgotten after a day, or once another token is stored for the account.
package protocol RefusedTokens {
    /// When a token was refused.
    ///
    /// - Parameters:
    ///   - token: the one that is stored for the account.
    ///   - account: by the name of its lock.
    /// - Returns: seconds since 1970; nil if it is not known to be refused.
    func refusal(of token: Secret, for account: LockName) -> Int64?

    /// Remembers that a token was refused just now.
    func remember(_ token: Secret, for account: LockName)
}
