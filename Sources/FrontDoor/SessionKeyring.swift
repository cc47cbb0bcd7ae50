package import CredentialCore
internal import SessionBus
package import System

package enum SessionKeyring {
    /// For everything together, in milliseconds; a slower keyring is left to the full program.
    ///
    /// Where many want to run, that program would only add to them: the time is given again (`Crowd`).
    private static let patience: Int64 = 250

    /// Nil is a reason to step aside, which only the trace shows.
    package static func items(having attributes: ItemAttributes, _ trace: Trace) -> [Item]? {
        guard !GitConfiguration.mayNameStore else {
            trace { "front door: git's configuration may choose where credentials are" }
            return nil
        }
        let deadline = Deadline(in: patience, crowd: { Crowd.now })
        let read = { (address: SessionBusAddress) throws(FallbackReason) in
            guard address.sockets.count == 1 else { throw .address }
            return try SecretServiceReader(on: address.sockets[0], by: deadline).items(having: attributes)
        }
        do throws(FallbackReason) {
            guard let address = try Self.address else { throw .noBus }
            do throws(FallbackReason) {
                return try read(address)
            } catch {
                guard error == .noBus, let usual = address.replacement(environment: { Environment[$0] }) else {
                    throw error
                }
                return try read(usual)
            }
        } catch {
            trace { "front door: the keyring cannot be read in passing: \(error)" }
            return nil
        }
    }

    private static var address: SessionBusAddress? {
        get throws(FallbackReason) {
            do throws(BusRefusal) {
                return try SessionBusAddress(environment: { Environment[$0] })
            } catch {
                throw .foreignBus
            }
        }
    }
}
