internal import Glibc

/// Whether there is a session bus that GIO can find without starting one.
///
/// With no address at hand GIO runs `dbus-launch --autolaunch` if DISPLAY is set. That would put a second, empty bus
/// beside the person's own, on which no keyring is ever unlocked, and it outlives us. So GIO is asked only where it has
/// an address: the one in the environment, else the socket of the systemd user session.
enum SessionBusAddress {
    /// True if GIO would connect, false if it would launch or fail.
    static var isKnown: Bool {
        if let address = getenv("DBUS_SESSION_BUS_ADDRESS") {
            return !String(cString: address).split(separator: ";").contains { $0.hasPrefix("autolaunch:") }
        }
        guard let directory = getenv("XDG_RUNTIME_DIR"), directory.pointee != 0 else { return false }
        var status = stat()
        // GIO's own conditions; were one not met, it would go on to launch.
        return stat(String(cString: directory) + "/bus", &status) == 0
            && status.st_mode & S_IFMT == S_IFSOCK && status.st_uid == geteuid()
    }
}
