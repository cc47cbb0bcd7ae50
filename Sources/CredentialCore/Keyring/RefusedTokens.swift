/// Tokens that a server rejected although the keyring could not be changed.
///
/// They are not returned again.
///
/// Only a digest is remembered. It is forgotten after a day, or when another token is stored for the account.
package protocol RefusedTokens {
    /// When a token was rejected.
    ///
    /// - Parameters:
    ///   - token: the one that is stored for the account.
    ///   - account: the name of its lock.
    /// - Returns: seconds since 1970; nil if no rejection is remembered.
    func refusal(of token: Secret, for account: LockName) -> Int64?

    /// Remembers that a token was just rejected.
    func remember(_ token: Secret, for account: LockName)
}
