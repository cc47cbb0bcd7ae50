/// Where the session bus listens (D-Bus specification, "Server Addresses").
///
/// GLib, asked for the session bus without an address at hand, runs `dbus-launch --autolaunch` if DISPLAY is set. That
/// would put a second, empty bus beside the person's own, on which no keyring is ever unlocked and nobody shows
/// notifications, and it outlives us. So there is an address only where GLib would find one as well.
package struct SessionBusAddress: Equatable {
    /// One address or several, as libraries take them.
    package let text: String

    /// An address that is known.
    package init(_ text: String) { self.text = text }

    /// The address in the environment, else that of the systemd user session's socket.
    ///
    /// The result is nil where there is no bus, or none before somebody starts it.
    ///
    /// - Parameters:
    ///   - environment: looks up a variable.
    ///   - isOwnSocket: whether a path is that of a socket of ours; for tests.
    package init?(environment: (String) -> String?, isOwnSocket: (String) -> Bool = Self.isOwnSocket) {
        if let text = environment("DBUS_SESSION_BUS_ADDRESS"), !text.isEmpty {
            // Not by splitting: that was a fortieth of all that the front door does for a hit.
            var rest = text.utf8[...]
            while !rest.isEmpty {
                if rest.starts(with: "autolaunch:".utf8) { return nil }
                rest = rest.drop { $0 != UInt8(ascii: ";") }.dropFirst()
            }
            self.text = text
            return
        }
        guard let directory = environment("XDG_RUNTIME_DIR"), directory.utf8.first == UInt8(ascii: "/") else {
            return nil
        }
        let path = directory + "/bus"
        guard isOwnSocket(path) else { return nil }
        text = "unix:path=" + Self.escaped(path)
    }

    /// Were one of these conditions of GLib's not met, it would go on to launch a bus.
    package static func isOwnSocket(_ path: String) -> Bool {
        guard let status = FileStatus(path) else { return false }
        return status.kind == .socket && status.isOwn
    }

    /// A value as it stands in an address: only these bytes may be themselves.
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
    /// A plain Unix socket.
    package enum Socket: Equatable {
        /// In the file system.
        case path([UInt8])
        /// In Linux's abstract namespace.
        case abstract([UInt8])
    }

    /// The socket, for whoever speaks to the bus without a library; nil for several addresses, escapes, other
    /// transports, and what has no room in a `sockaddr_un`.
    package var socket: Socket? {
        let text = Array(text.utf8)
        guard !text.contains(UInt8(ascii: ";")), !text.contains(UInt8(ascii: "%")) else { return nil }
        // Behind the first comma stands the server's identity, which we do not check: neither does libdbus by default.
        let first = text.prefix { $0 != UInt8(ascii: ",") }
        if let path = Self.value(of: first, after: "unix:path=") { return .path(path) }
        return Self.value(of: first, after: "unix:abstract=").map { .abstract($0) }
    }

    /// `sockaddr_un` has room for 108 bytes, one of which ends the path, or begins the abstract name.
    private static let longest = 107

    private static func value(of text: ArraySlice<UInt8>, after prefix: String) -> [UInt8]? {
        guard text.starts(with: prefix.utf8) else { return nil }
        let value = text.dropFirst(prefix.utf8.count)
        return (1...longest).contains(value.count) ? Array(value) : nil
    }
}
