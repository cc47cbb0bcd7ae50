internal import CGLib
internal import Glibc
internal import System

/// What GLib does to the whole process, and what is done about it before its first call.
package enum GLibProcess {
    /// Prepares the process, once.
    ///
    /// Must first be touched while the process has one thread: it changes the environment.
    ///
    /// - stdout belongs to git and stderr to people: neither warnings (libsecret's CRITICALs among them) nor
    ///   `G_DBUS_DEBUG`, which prints whole messages, may write there. What went wrong is in the error that is thrown.
    /// - `SECRET_BACKEND` moves libsecret's password functions to another store. We use none of them; it goes all the same.
    /// - GLib takes an empty `DBUS_SESSION_BUS_ADDRESS` for an address, and without `XDG_RUNTIME_DIR` it starts a bus of
    ///   its own instead of looking where the session's is. So it is told what `SessionBusAddress` has found.
    package static let isPrepared: Bool = {
        unsetenv("SECRET_BACKEND")
        if Environment["DBUS_SESSION_BUS_ADDRESS"]?.isEmpty ?? true {
            unsetenv("DBUS_SESSION_BUS_ADDRESS")
            if let address = SessionBusAddress(environment: { Environment[$0] }) {
                setenv("DBUS_SESSION_BUS_ADDRESS", address.text, 1)
            }
        }
        g_log_set_writer_func({ _, _, _, _ in G_LOG_WRITER_HANDLED }, nil, nil)
        g_set_print_handler { _ in }
        g_set_printerr_handler { _ in }
        return true
    }()

    /// Now, in milliseconds on GLib's clock, the monotonic one.
    package static var now: Int64 { Int64(g_get_monotonic_time()) / 1000 }
}
