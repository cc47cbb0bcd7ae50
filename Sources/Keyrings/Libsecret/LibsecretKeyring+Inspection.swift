package import CredentialCore

/// Checks the service step by step, without unlocking or changing anything.
extension LibsecretKeyring {
    /// Connects to the session bus, but to no service on it.
    package func checkBus() throws(KeyringError) {
        do {
            _ = try SecretServiceConnection.connectToBus(calls)
        } catch {
            throw error.keyringError
        }
    }

    /// Connects to the service, which the bus starts if it knows how.
    ///
    /// - Returns: the name of its program: letters, digits, `-`, `_` and `.` only; nil if it is unknown.
    package func provider() throws(KeyringError) -> String? {
        try retryingOnce { service throws(CallFailure) in try service.programName() }
    }

    /// The program that offers the keyring, even if it does not respond: only the bus is queried.
    package var offeringProgram: KeyringProgram {
        let usualBudget = calls.budget
        calls.budget = TimeBudget(milliseconds: limits.unaskedMilliseconds)
        defer { calls.budget = usualBudget }
        return (try? SecretServiceConnection.offeringProgram(calls)) ?? .other(nil)
    }

    /// Whether the collection that new items go to is locked.
    ///
    /// - Throws: `.noCollection` if there is none.
    package func isCollectionLocked() throws(KeyringError) -> Bool {
        let found = try retryingOnce { service throws(CallFailure) in try writeCollection(of: service) }
        guard let found else { throw .noCollection }
        return found.isLocked
    }
}
