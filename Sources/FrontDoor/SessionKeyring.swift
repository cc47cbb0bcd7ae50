package import CredentialCore
internal import SessionBus
package import System

/// The keyring of this session, for the front door.
package enum SessionKeyring {
    /// The time for everything together, in milliseconds; a slower keyring is left to the full program.
    private static let patience: Int64 = 250

    /// Looks up items; nil is a reason to step aside, which only the trace shows.
    package static func items(having attributes: ItemAttributes, _ trace: Trace) -> [Item]? {
        let clock = SystemClock()
        let end = clock.uptimeMilliseconds + patience
        do throws(FallbackReason) {
            guard let address = SessionBusAddress(environment: { Environment[$0] }) else {
                throw .noBus
            }
            guard let socket = address.socket else { throw .address }
            return try SecretServiceReader(on: socket, timeLeft: { end - clock.uptimeMilliseconds })
                .items(having: attributes)
        } catch {
            trace { "front door: the keyring cannot be read in passing: \(error)" }
            return nil
        }
    }
}
