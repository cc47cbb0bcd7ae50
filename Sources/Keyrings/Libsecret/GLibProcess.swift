internal import CLibsecret
internal import Glibc

/// What GLib does to the whole process, and what is done about it before its first call.
enum GLibProcess {
    /// Prepares the process once, however many keyrings there are.
    ///
    /// Must first be touched while the process has one thread: it changes the environment.
    ///
    /// - stdout belongs to git and stderr to people: neither warnings (libsecret's CRITICALs among them) nor
    ///   `G_DBUS_DEBUG`, which prints whole messages, may write there. What went wrong is in the error that is thrown.
    /// - `SECRET_BACKEND` moves libsecret's password functions to another store. We use none of them; it goes all the same.
    static let isPrepared: Bool = {
        unsetenv("SECRET_BACKEND")
        g_log_set_writer_func({ _, _, _, _ in G_LOG_WRITER_HANDLED }, nil, nil)
        g_set_print_handler { _ in }
        g_set_printerr_handler { _ in }
        return true
    }()

    /// Now, in milliseconds on the monotonic clock.
    static var now: Int64 { Int64(g_get_monotonic_time()) / 1000 }
}
