package import CredentialCore
internal import Helper

/// A look at the keyring's service, a step at a time: nothing is unlocked, nobody is asked, nothing is changed.
///
/// Each call ends within the keyring's deadline, and after one that did not, the others fail at once.
package protocol KeyringInspection: AnyObject {
    /// Makes sure that there is a session bus that answers.
    func checkBus() throws(KeyringError)

    /// Finds the service, which the bus may have to start.
    ///
    /// - Returns: the name of the program that offers it, letters and the like only; nil if nobody tells.
    func provider() throws(KeyringError) -> String?

    /// The same program, told by the bus alone, so that it is known of a keyring that hangs as well.
    var offeringProgram: KeyringProgram { get }

    /// Whether the collection that new items go to is locked.
    ///
    /// - Throws: `.noCollection` if there is none.
    func isCollectionLocked() throws(KeyringError) -> Bool
}
