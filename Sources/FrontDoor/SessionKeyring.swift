package import CredentialCore
internal import SessionBus
package import System

/// The keyring of this session, as the front door asks it.
package enum SessionKeyring {
    /// Everything together, in milliseconds; a keyring that needs longer is the full program's.
    private static let patience: Int64 = 250

    /// Looks up items; why there is a reason to step aside, only the trace says.
    package static func items(having attributes: ItemAttributes, _ trace: Trace) -> FrontDoor.SearchResult {
        let clock = SystemClock()
        let end = clock.uptimeMilliseconds + patience
        do throws(FallbackReason) {
            guard let address = SessionBusAddress(environment: { Environment[$0] }) else {
                throw .noBus
            }
            guard let socket = address.socket else { throw .address }
            return .items(
                try SecretServiceReader(on: socket, timeLeft: { end - clock.uptimeMilliseconds })
                    .items(having: attributes))
        } catch {
            trace { "front door: the keyring cannot be read in passing: \(error)" }
            return error == .noBus || error == .noService ? .absent : .unclear
        }
    }
}
