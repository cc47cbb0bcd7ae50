internal import GLibSupport
package import System

/// The lock of the screen.
///
/// Each query opens its own connections, since a share runs for hours, and a bus may be replaced meanwhile.
package struct ScreenLock {
    let address: SessionBusAddress?
    let systemBus: SessionBusAddress
    /// Milliseconds for each service.
    let patience: Int64
    let isInterrupted: () -> Bool

    /// The desktop's screen savers, whose interfaces have the names of their services.
    ///
    /// GNOME offers the shared name without `GetActive`.
    private static let savers = [
        (name: "org.freedesktop.ScreenSaver", path: "/org/freedesktop/ScreenSaver"),
        (name: "org.gnome.ScreenSaver", path: "/org/gnome/ScreenSaver"),
    ]

    package static let systemBus = SessionBusAddress(.path(Array("/run/dbus/system_bus_socket".utf8)))

    /// Whether any service reports a lock, or `nil` if none answers.
    ///
    /// A compositor without a screen saver service reports its lock only to logind, or to none.
    package var isLocked: Bool? {
        let answers = (Self.savers.map { saverIsActive($0.name, $0.path) } + [sessionIsLocked]).compactMap(\.self)
        return answers.isEmpty ? nil : answers.contains(true)
    }

    private func saverIsActive(_ name: String, _ path: String) -> Bool? {
        address.flatMap { address in
            BusService(name, at: path, on: address, within: patience, unless: isInterrupted)?
                .call("GetActive", answer: "(b)", within: patience, startsService: false, unless: isInterrupted)?
                .member(0)?.boolean
        }
    }

    /// logind's hint, which the desktop sets (org.freedesktop.login1(5), "LockedHint").
    ///
    /// A user service belongs to no session; `auto` then means the one with the display.
    private var sessionIsLocked: Bool? {
        BusService(
            "org.freedesktop.login1", at: "/org/freedesktop/login1/session/auto",
            interface: "org.freedesktop.DBus.Properties", on: systemBus, within: patience, unless: isInterrupted)?.call(
                "Get", [.string("org.freedesktop.login1.Session"), .string("LockedHint")], answer: "(v)",
                within: patience, startsService: false, unless: isInterrupted)?.member(0)?.member(0)?.boolean
    }
}
