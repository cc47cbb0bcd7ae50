/// The address of the session bus (D-Bus specification, "Server Addresses").
///
/// If there is no address and DISPLAY is set, GLib runs `dbus-launch --autolaunch`. That would start a second, empty
/// bus, on which no keyring is unlocked and nobody shows notifications, and which outlives this process. So no address
/// is returned for which GLib would do that, and the full program gives GLib the one that is returned (`GLibProcess`).
package struct SessionBusAddress: Equatable, Sendable {
    /// One or more addresses, in the form that libraries accept.
    package let text: String

    /// Wraps a known address.
    package init(_ text: String) { self.text = text }

    /// The address from the environment or, if there is none, that of the systemd user session's socket.
    ///
    /// The result is nil if there is no bus, or if it would have to be started. cron(8), a timer of the system's and
    /// `env -i` name neither the bus nor the runtime directory, and yet a person who is signed in, or lingers, has both.
    ///
    /// - Parameters:
    ///   - environment: looks up a variable.
    ///   - isOwnSocket: whether a path is a socket that belongs to this user; for tests.
    package init?(environment: (String) -> String?, isOwnSocket: (String) -> Bool = Self.isOwnSocket) {
        if let text = environment("DBUS_SESSION_BUS_ADDRESS"), !text.isEmpty {
            // Not with `split`: that took a fortieth of all that the front door does for a hit.
            var rest = text.utf8[...]
            while !rest.isEmpty {
                if rest.starts(with: "autolaunch:".utf8) { return nil }
                rest = rest.drop { $0 != UInt8(ascii: ";") }.dropFirst()
            }
            self.text = text
            return
        }
        guard let directory = RuntimeDirectory.path(environment: environment) else { return nil }
        let path = directory + "/bus"
        guard isOwnSocket(path) else { return nil }
        text = "unix:path=" + Self.escaped(path)
    }

    /// If one of these conditions of GLib's were not met, GLib would launch a bus.
    package static func isOwnSocket(_ path: String) -> Bool {
        guard let status = FileStatus(path) else { return false }
        return status.kind == .socket && status.isOwn
    }

    /// The escaped form of a value in an address: only these bytes may be unescaped.
    private static func escaped(_ path: String) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let bytes = path.utf8.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "/"),
                UInt8(ascii: "."), UInt8(ascii: "*"), UInt8(ascii: "\\"):
                [byte]
            default: [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xf)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension SessionBusAddress {
    /// A Unix socket.
    package typealias Socket = UnixSocket.Address

    /// The socket, for connecting without a library; nil for several addresses, escapes, other transports, and paths
    /// that do not fit into a `sockaddr_un`.
    package var socket: Socket? {
        let text = Array(text.utf8)
        guard !text.contains(UInt8(ascii: ";")), !text.contains(UInt8(ascii: "%")) else { return nil }
        // After the first comma follows the identity of the server, which is not checked; libdbus does not check it by
        // default either.
        let first = text.prefix { $0 != UInt8(ascii: ",") }
        if let path = Self.value(of: first, after: "unix:path=") { return .path(path) }
        return Self.value(of: first, after: "unix:abstract=").map { .abstract($0) }
    }

    private static func value(of text: ArraySlice<UInt8>, after prefix: String) -> [UInt8]? {
        guard text.starts(with: prefix.utf8) else { return nil }
        let value = text.dropFirst(prefix.utf8.count)
        return (1...UnixSocket.longestName).contains(value.count) ? Array(value) : nil
    }
}
