internal import CGio
internal import Glibc

/// Where the session bus listens; nowhere, if it would have to be started first.
///
/// GDBus, asked for the session bus without an address at hand, runs `dbus-launch --autolaunch` if DISPLAY is set: a bus
/// on which nobody shows notifications, and which outlives us. So we look for the address ourselves.
package enum NotificationBusAddress {
    /// The address in the environment, else that of the systemd user session's socket.
    ///
    /// - Parameter environment: looks up a variable.
    /// - Returns: an address as GDBus takes it; nil if there is no session bus.
    package static func find(environment: (String) -> String?) -> String? {
        if let address = environment("DBUS_SESSION_BUS_ADDRESS"), !address.isEmpty {
            return address.split(separator: ";").contains { $0.hasPrefix("autolaunch:") } ? nil : address
        }
        guard let directory = environment("XDG_RUNTIME_DIR"), directory.hasPrefix("/") else { return nil }
        let path = directory + "/bus"
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == geteuid(),
            let escaped = g_dbus_address_escape_value(path)
        else { return nil }
        defer { g_free(escaped) }
        return "unix:path=" + String(cString: escaped)
    }
}
