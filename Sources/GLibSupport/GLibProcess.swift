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

/// Opens an address through GIO: in the default browser, or through a sandbox's portal.
///
/// A process that talks to git must not do this: GIO starts programs with our standard streams, and may wait for the
/// bus.
package enum DefaultBrowser {
    /// The time limit for a portal or the bus, in seconds.
    private static let patience: UInt32 = 60

    /// Returns the exit status, which is 1 if the desktop has no browser.
    ///
    /// Unlike xdg-open(1), GIO then starts nothing, not even a browser in the terminal.
    package static func open(_ page: HTTPSAddress) -> Int32 {
        _ = GLibProcess.bus
        alarm(patience)
        // Without a bus, GIO would start one. GIO reuses the connection whose other end is checked here, since it stays
        // open.
        if GLibProcess.sessionBus == nil { GLibProcess.forbidBus() }
        if let bus = g_bus_get_sync(G_BUS_TYPE_SESSION, nil, nil), GLibProcess.refusal(of: bus) != nil { return 1 }
        let outcome = Outcome()
        // The call is asynchronous, because a browser that is started over the bus starts only if this process runs
        // until the message has been sent (see the function's documentation).
        g_app_info_launch_default_for_uri_async(
            page.text, nil, nil,
            { _, result, data in
                guard let data else { return }
                let outcome = Unmanaged<Outcome>.fromOpaque(data).takeUnretainedValue()
                outcome.status = g_app_info_launch_default_for_uri_finish(result, nil) != 0 ? 0 : 1
            }, Unmanaged.passUnretained(outcome).toOpaque())
        while outcome.status == nil { g_main_context_iteration(nil, 1) }
        return outcome.status ?? 1
    }

    private final class Outcome {
        var status: Int32?
    }
}
