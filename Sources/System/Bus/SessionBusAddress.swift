package import CredentialCore

/// The addresses of the session bus (D-Bus specification, "Server Addresses"); only Unix sockets are accepted, since
/// the kernel identifies their owner.
///
/// Parsed here for both programs: GLib gets `text`, and never reads an address by itself. Other transports reach other
/// machines (`tcp:`), start programs (`unixexec:`), or start another bus, on which no keyring is unlocked
/// (`autolaunch:`); alone, `autolaunch:` switches the bus off, as `disabled:` and `/dev/null` do in containers.
package struct SessionBusAddress: Equatable, Sendable {
    package typealias Socket = UnixSocket.Address

    /// Tried in order; the first address that accepts a connection is the bus.
    package let sockets: [Socket]

    package init(_ socket: Socket) { sockets = [socket] }

    /// - Throws: `BusRefusal.address` if any entry is not the address of a Unix socket.
    package init(parsing text: String) throws(BusRefusal) {
        // `split` would take a fortieth of all that the front door does for a hit.
        var rest = Array(text.utf8)[...]
        var sockets: [Socket] = []
        repeat {
            let entry = rest.prefix { $0 != UInt8(ascii: ";") }
            guard let socket = Self.socket(entry) else { throw .address(Self.beginning(of: entry)) }
            sockets.append(socket)
            rest = rest.dropFirst(entry.count + 1)
        } while !rest.isEmpty
        self.sockets = sockets
    }

    /// Reads the environment or, if it names no bus, looks for the socket of the systemd user session.
    ///
    /// Returns `nil` if there is no bus, it is switched off, or it would have to be started. cron(8), a system timer
    /// and `env -i` name neither the bus nor the runtime directory, although the person may have both.
    ///
    /// - Throws: `BusRefusal.address` if the environment names a bus of another kind.
    package init?(
        environment: (String) -> String?, isOwnSocket: (String) -> Bool = Self.isOwnSocket
    ) throws(BusRefusal) {
        if let text = environment(Self.variable), !text.isEmpty {
            if Self.isSwitchedOff(by: text) { return nil }
            try self.init(parsing: text)
            return
        }
        guard let usual = Self.inRuntimeDirectory(environment, isOwnSocket) else { return nil }
        self = usual
    }

    private static func inRuntimeDirectory(
        _ environment: (String) -> String?, _ isOwnSocket: (String) -> Bool
    ) -> SessionBusAddress? {
        guard let directory = RuntimeDirectory.path(environment: environment) else { return nil }
        let path = directory + "/bus"
        return isOwnSocket(path) ? SessionBusAddress(.path(Array(path.utf8))) : nil
    }

    /// The address without the environment's, at which nothing listens, as in a tmux(1) that has outlived its desktop;
    /// `nil` if it is the same or is refused.
    package func replacement(
        environment: (String) -> String?, isOwnSocket: (String) -> Bool = Self.isOwnSocket
    ) -> SessionBusAddress? {
        let usual = Self.inRuntimeDirectory(environment, isOwnSocket)
        return usual == self ? nil : usual
    }

    package static let variable = "DBUS_SESSION_BUS_ADDRESS"

    /// Whether the person wants no bus; then no other address is tried.
    package static func isSwitchedOff(by text: String) -> Bool {
        ["/dev/null", "unix:path=/dev/null"].contains(text)
            || ["disabled:", "autolaunch:"].contains { text.utf8.starts(with: $0.utf8) }
                && !text.utf8.contains(UInt8(ascii: ";"))
    }

    /// Whether a socket is ours; GLib would use no other one either.
    package static func isOwnSocket(_ path: String) -> Bool {
        FileStatus(path).map { $0.kind == .socket && $0.isOwn } ?? false
    }

    package var text: String {
        sockets.map { socket in
            switch socket {
            case .path(let path): "unix:path=" + Self.escaped(path)
            case .abstract(let name): "unix:abstract=" + Self.escaped(name)
            }
        }.joined(separator: ";")
    }

    package enum Listener: Equatable {
        /// The listener is ours or root's.
        case ours
        case refused(BusRefusal)
        case nobody
        /// The listener is too busy, or out of our reach.
        case unknown
    }

    /// Connects, and checks the owner of the listening process.
    package var listener: Listener {
        var isGone = true
        for socket in sockets {
            do throws(Errno) {
                let connection = try UnixSocket.connected(to: socket, by: Deadline(in: 0))
                return connection.stranger.map { .refused(.user($0)) } ?? .ours
            } catch {
                if !UnixSocket.isGone(error) { isGone = false }
            }
        }
        return isGone ? .nobody : .unknown
    }

    package var refusal: BusRefusal? {
        guard case .refused(let refusal) = listener else { return nil }
        return refusal
    }

    /// `nil` for another transport, another key, or a name that does not fit into a `sockaddr_un`.
    private static func socket(_ entry: ArraySlice<UInt8>) -> Socket? {
        let path = "unix:path="
        let abstract = "unix:abstract="
        if entry.starts(with: path.utf8) { return name(entry.dropFirst(path.utf8.count)).map { .path($0) } }
        guard entry.starts(with: abstract.utf8) else { return nil }
        return name(entry.dropFirst(abstract.utf8.count)).map { .abstract($0) }
    }

    /// The value of the first key; the server's identity may follow it, and is ignored, since it proves nothing.
    private static func name(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let value = text.prefix { $0 != UInt8(ascii: ",") }
        let rest = text[value.endIndex...]
        guard rest.isEmpty || rest.starts(with: ",guid=".utf8), !rest.dropFirst().contains(UInt8(ascii: ",")),
            let name = value.contains(UInt8(ascii: "%")) ? PercentEncoding.decoded(value) : Array(value),
            (1...UnixSocket.longestName).contains(name.count), !name.contains(0)
        else { return nil }
        return name
    }

    /// The transport and, for a Unix address, the first key.
    private static func beginning(of entry: ArraySlice<UInt8>) -> String {
        let isUnix = entry.starts(with: "unix:".utf8)
        let end = entry.firstIndex(of: isUnix ? UInt8(ascii: "=") : UInt8(ascii: ":"))
        return String(decoding: end.map { entry[...$0] } ?? entry, as: UTF8.self)
    }

    /// The D-Bus specification allows only these bytes unescaped.
    private static func escaped(_ name: [UInt8]) -> String {
        let text = PercentEncoding.encoded(name) { ASCII.isLetterOrDigit($0, or: "-_/.*\\") }
        return String(decoding: text, as: UTF8.self)
    }
}
