internal import CGLib
internal import Glibc
internal import System

/// What must be done before GLib's first call, because of its effects on the whole process.
package enum GLibProcess {
    /// Prepares the process, once.
    ///
    /// Must first be used while the process has one thread: it changes the environment.
    ///
    /// - stdout belongs to git and stderr to people: neither warnings (libsecret's CRITICALs among them) nor
    ///   `G_DBUS_DEBUG`, which prints whole messages, may write there. The error that is thrown describes the failure.
    /// - `SECRET_BACKEND` moves libsecret's password functions to another store. We use none, but remove it anyway.
    /// - GLib takes an empty `DBUS_SESSION_BUS_ADDRESS` for an address, and without `XDG_RUNTIME_DIR` it starts another
    ///   bus instead of looking for the session's. So the variable is set to what `SessionBusAddress` has found.
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

    /// The current time of GLib's monotonic clock, in milliseconds.
    package static var now: Int64 { Int64(g_get_monotonic_time()) / 1000 }
}
