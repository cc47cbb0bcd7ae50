package import CredentialCore
internal import Helper

/// Examines the keyring's service step by step, without unlocking, prompting or changing anything.
///
/// Each call ends within the keyring's time limit; after one that times out, the others fail at once.
package protocol KeyringInspection: AnyObject {
    /// Makes sure that there is a session bus that answers.
    func checkBus() throws(KeyringError)

    /// Finds the service, which the bus may have to start.
    ///
    /// - Returns: the name of the program that offers it, letters and the like only; nil if unknown.
    func provider() throws(KeyringError) -> String?

    /// The same program, asked from the bus alone, so that it is known even if the keyring hangs.
    var offeringProgram: KeyringProgram { get }

    /// Whether the collection that new items go to is locked.
    ///
    /// - Throws: `.noCollection` if there is none.
    func isCollectionLocked() throws(KeyringError) -> Bool
}
