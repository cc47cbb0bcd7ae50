internal import CGLib
package import CredentialCore
internal import Glibc
internal import System

/// To be done before GLib's first call, because of its effects on the whole process.
package enum GLibProcess {
    /// Must first be used while the process has one thread: it changes the environment.
    ///
    /// - stdout belongs to git and stderr to people: neither warnings (libsecret's CRITICALs among them) nor
    ///   `G_DBUS_DEBUG`, which prints whole messages, may write there. The error that is thrown describes the failure.
    /// - `SECRET_BACKEND` moves libsecret's password functions to another store. We use none, but remove it anyway.
    /// - GLib takes an empty `DBUS_SESSION_BUS_ADDRESS` for an address, and without `XDG_RUNTIME_DIR` it starts another
    ///   bus instead of looking for the session's. So the variable is set to what `SessionBusAddress` has found; where
    ///   that is refused, to something that no library takes for a bus, since programs that we start inherit it.
    package static var isPrepared: Bool {
        _ = busRefusal
        return true
    }

    /// As it was when the process was prepared.
    package static let busRefusal: BusRefusal? = {
        unsetenv("SECRET_BACKEND")
        let refusal = takeBusAddress()
        if refusal != nil { forbidBus() }
        g_log_set_writer_func({ _, _, _, _ in G_LOG_WRITER_HANDLED }, nil, nil)
        g_set_print_handler { _ in }
        g_set_printerr_handler { _ in }
        return refusal
    }()

    private static func takeBusAddress() -> BusRefusal? {
        do throws(BusRefusal) {
            guard let address = try SessionBusAddress(environment: { Environment[$0] }) else {
                unsetenv(SessionBusAddress.variable)
                return nil
            }
            setenv(SessionBusAddress.variable, address.text, 1)
            return address.refusal
        } catch {
            return error
        }
    }

    /// Keeps GLib, and the programs that are started from now on, from any session bus.
    static func forbidBus() { setenv(SessionBusAddress.variable, "disabled:", 1) }

    /// Nil if it is us or root at the other end.
    ///
    /// From the socket itself: `g_dbus_connection_get_peer_credentials` is null for a client of a bus.
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

    /// GLib's monotonic clock, in milliseconds.
    package static var now: Int64 { Int64(g_get_monotonic_time()) / 1000 }
}
