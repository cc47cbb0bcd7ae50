package import CredentialCore
internal import SessionBus
package import System

/// The keyring of this session, as the front door asks it.
package enum SessionKeyring {
    /// Everything together, in milliseconds; a keyring that needs longer is the full program's.
    private static let patience: Int64 = 250

    /// Looks up items; nil where there is a reason to step aside, whichever it is: only the trace says that.
    package static func items(having attributes: ItemAttributes, _ trace: Trace) -> [Item]? {
        let clock = SystemClock()
        let end = clock.uptimeMilliseconds + patience
        do {
            guard let socket = SessionBusAddress(environment: { Environment[$0] })?.socket else {
                throw FallbackReason.address
            }
            return try SecretServiceReader(on: socket, timeLeft: { end - clock.uptimeMilliseconds })
                .items(having: attributes)
        } catch {
            trace { "front door: the keyring cannot be read in passing: \(error)" }
            return nil
        }
    }
}
