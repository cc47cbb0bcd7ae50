internal import CGLib
package import CredentialCore
internal import Glibc
package import System

package enum GLibProcess {
    /// Why the bus was refused, and whether another one was taken, since the environment named one that has ended.
    ///
    /// The first access prepares the process for GLib's first call. It must happen while the process has one thread,
    /// since it changes the environment.
    ///
    /// - stdout belongs to git and stderr to people, so neither warnings (such as libsecret's CRITICALs) nor
    ///   `G_DBUS_DEBUG`, which prints whole messages, may write there.
    /// - GLib takes an empty `DBUS_SESSION_BUS_ADDRESS` for an address, and without `XDG_RUNTIME_DIR` starts another
    ///   bus. So the variable is set to the address of `SessionBusAddress`, or to its replacement if no process listens
    ///   there. If the bus is another user's, the variable is set to a text that no library takes for a bus, since
    ///   child processes inherit it.
    package static let bus: (refusal: BusRefusal?, isAddressStale: Bool) = {
        let bus = takeBusAddress()
        if bus.refusal != nil { forbidBus() }
        g_log_set_writer_func({ _, _, _, _ in G_LOG_WRITER_HANDLED }, nil, nil)
        g_set_print_handler { _ in }
        g_set_printerr_handler { _ in }
        return bus
    }()

    /// The bus for this process, or `nil` if there is none, or it was refused.
    ///
    /// Without an address in the environment, the usual socket may still appear later.
    package static var sessionBus: SessionBusAddress? {
        bus.refusal == nil ? try? SessionBusAddress(environment: { Environment[$0] }) : nil
    }

    private static func takeBusAddress() -> (refusal: BusRefusal?, isAddressStale: Bool) {
        do throws(BusRefusal) {
            guard var address = try SessionBusAddress(environment: { Environment[$0] }) else {
                // Without the variable, GLib would find the bus of the runtime directory.
                if SessionBusAddress.isSwitchedOff(by: Environment[SessionBusAddress.variable] ?? "") {
                    forbidBus()
                } else {
                    unsetenv(SessionBusAddress.variable)
                }
                return (nil, false)
            }
            var listener = address.listener
            var isStale = false
            if listener == .nobody, let usual = address.replacement(environment: { Environment[$0] }) {
                (address, listener) = (usual, usual.listener)
                isStale = listener != .nobody
            }
            setenv(SessionBusAddress.variable, address.text, 1)
            guard case .refused(var refusal) = listener else { return (nil, isStale) }
            if case .user(let user, _) = refusal, Environment["SUDO_UID"] == String(user) {
                refusal = .user(user, bySudo: true)
            }
            return (refusal, isStale)
        } catch {
            return (error, false)
        }
    }

    /// Keeps GLib, and programs started from now on, from every session bus.
    static func forbidBus() { setenv(SessionBusAddress.variable, "disabled:", 1) }

    /// Checks the user at the other end of a connection; returns `nil` for us and root.
    ///
    /// `g_dbus_connection_get_peer_credentials` is not used, since it returns null for a client of a bus.
    package static func refusal(of connection: OpaquePointer) -> BusRefusal? {
        guard let stream = g_dbus_connection_get_stream(connection),
            g_type_check_instance_is_a(
                UnsafeMutableRawPointer(stream).assumingMemoryBound(to: GTypeInstance.self),
                g_socket_connection_get_type()) != 0,
            let socket = g_socket_connection_get_socket(
                UnsafeMutableRawPointer(stream).assumingMemoryBound(to: GSocketConnection.self))
        else { return .address("") }
        return UnixSocket.stranger(at: g_socket_get_fd(socket)).map { .user($0) }
    }

    /// The time of GLib's monotonic clock in milliseconds.
    package static var now: Int64 { Int64(g_get_monotonic_time()) / 1000 }
}
