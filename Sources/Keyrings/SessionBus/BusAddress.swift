/// Where the session bus listens (D-Bus specification, "Server Addresses").
package enum BusAddress: Equatable {
    /// A socket in the file system.
    case path([UInt8])
    /// A socket in Linux's abstract namespace.
    case abstract([UInt8])

    /// Reads the two variables that say where the bus is.
    ///
    /// - Parameters:
    ///   - variable: `DBUS_SESSION_BUS_ADDRESS`.
    ///   - runtimeDirectory: `XDG_RUNTIME_DIR`, where systemd's user session has its bus.
    /// - Throws: `.address` for several addresses, escapes, other transports, and where nothing is said.
    package init(_ variable: String?, runtimeDirectory: String?) throws(FallbackReason) {
        guard let variable, !variable.isEmpty else {
            guard let runtimeDirectory, runtimeDirectory.utf8.first == UInt8(ascii: "/") else { throw .address }
            self = try Self.path(bounded: Array(runtimeDirectory.utf8) + Array("/bus".utf8))
            return
        }
        let text = Array(variable.utf8)
        guard !text.contains(UInt8(ascii: ";")), !text.contains(UInt8(ascii: "%")) else { throw .address }
        // Behind the first comma stands the server's identity, which we do not check: neither does libdbus by default.
        let first = text.prefix { $0 != UInt8(ascii: ",") }
        if let path = Self.value(of: first, after: "unix:path=") {
            self = try Self.path(bounded: path)
        } else if let name = Self.value(of: first, after: "unix:abstract=") {
            guard name.count < Self.longestPath else { throw .address }
            self = .abstract(name)
        } else {
            throw .address
        }
    }

    /// `sockaddr_un` has room for 108 bytes, one of which ends the path.
    private static let longestPath = 108

    private static func path(bounded path: [UInt8]) throws(FallbackReason) -> BusAddress {
        guard path.count < longestPath else { throw .address }
        return .path(path)
    }

    private static func value(of text: ArraySlice<UInt8>, after prefix: String) -> [UInt8]? {
        guard text.starts(with: prefix.utf8), text.count > prefix.utf8.count else { return nil }
        return Array(text.dropFirst(prefix.utf8.count))
    }
}
