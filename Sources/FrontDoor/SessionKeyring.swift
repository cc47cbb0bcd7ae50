package import CredentialCore
package import System

/// A quick look into the keyring, for the front door and the target of a share.
package enum SessionKeyring {
    /// Milliseconds for everything together; a slower keyring is left to libsecret.
    ///
    /// If processes compete for the processor, the time is granted again (`Crowd`), since the full program would add to
    /// the load.
    private static let patience: Int64 = 250

    /// Returns `nil` to step aside, with the reason in the trace.
    package static func items(having attributes: ItemAttributes, _ trace: Trace) -> [Item]? {
        do throws(FallbackReason) {
            guard !GitConfiguration.mayNameStore else { throw .configuration }
            return try items(having: attributes, by: Deadline(in: patience, crowd: { Crowd.now }))
        } catch {
            trace { "the keyring cannot be read in passing: \(error)" }
            return nil
        }
    }

    private static func items(having attributes: ItemAttributes, by deadline: Deadline) throws(FallbackReason) -> [Item]
    {
        let environment = { (name: String) in Environment[name] }
        let read = { (address: SessionBusAddress) throws(FallbackReason) in
            guard address.sockets.count == 1 else { throw .address }
            return try SecretServiceReader.items(having: attributes, on: address.sockets[0], by: deadline)
        }
        let address = try rethrowing(as: FallbackReason.foreignBus, try SessionBusAddress(environment: environment))
        guard let address else { throw .noBus }
        do {
            return try read(address)
        } catch {
            guard error == .noBus, let usual = address.replacement(environment: environment) else { throw error }
            return try read(usual)
        }
    }
}
