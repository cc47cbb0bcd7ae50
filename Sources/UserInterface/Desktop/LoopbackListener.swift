internal import CredentialCore
internal import Glibc
package import Helper
internal import Language
package import Providers
internal import System

/// ⑤ A listener for one request of our user's browser on this machine (RFC 8252, 7.3), which answers others with 404.
package final class LoopbackListener: RedirectReceiver {
    package let redirectURI: String
    package let port: UInt16
    /// Whether the kernel reports who connects; otherwise every client is a stranger.
    package let hearsBrowser: Bool
    /// The redirect's origin, with 127.0.0.1 in place of `localhost`, which a browser may know by https alone.
    private let origin: DisplayText
    /// The expected hosts: a page elsewhere may map its own host name to this address, but never has a literal address.
    private let authorities: [[UInt8]]
    private let path: String
    private var sockets: [Handle]
    private var connections: [Connection] = []
    private var answered: Connection?
    private let uptime: () -> Int64

    /// The most simultaneous connections; a browser keeps a few that it does not use.
    private static let mostConnections = 16
    /// Milliseconds for a complete request.
    private static let patience: Int64 = 5_000

    /// Listens also on ::1 unless the address is a literal one; `uptime` is in milliseconds.
    ///
    /// - Throws: `.noRedirect` or `.redirectTaken`.
    package init(
        at address: RedirectAddress, uptime: @escaping () -> Int64 = { SystemClock().uptimeMilliseconds }
    ) throws(SignInError) {
        do throws(Errno) {
            (sockets, port) = try Self.sockets(at: address)
        } catch {
            guard let port = address.port, error.number == EADDRINUSE else { throw .noRedirect }
            throw .redirectTaken(
                port: Int(port), by: PeerUser.listening(at: port).map { DisplayText(untrusted: $0.utf8) })
        }
        self.uptime = uptime
        redirectURI = address.uri(port: port)
        let literal = RedirectAddress(address.host == .localhost ? .loopbackAddress : address.host, path: "")
        origin = DisplayText(trusted: literal.uri(port: port))
        path = address.path.isEmpty ? "/" : address.path
        authorities = [address.host, .loopbackAddress].map { [port] in Array("\($0.rawValue):\(port)".utf8) }
        hearsBrowser = sockets.allSatisfy { PeerUser.isKnown(at: $0.number) }
    }

    private static func sockets(at address: RedirectAddress) throws(Errno) -> ([Handle], UInt16) {
        guard address.host != .loopbackAddressIPv6 else {
            let (socket, port) = try socket(ipv6Port: address.port ?? 0)
            return ([socket], port)
        }
        var failure = Errno(number: EADDRINUSE)
        // If the system chooses the port, ::1 needs the same one, which may be taken.
        for _ in 0..<(address.port == nil ? 8 : 1) {
            let (socket, port) = try socket(ipv4Port: address.port ?? 0)
            guard address.host == .localhost else { return ([socket], port) }
            do throws(Errno) {
                return ([socket, try self.socket(ipv6Port: port).0], port)
            } catch {
                failure = error
            }
            // The machine may have no ::1.
            if failure.number != EADDRINUSE { return ([socket], port) }
        }
        throw failure
    }

    package var descriptors: [Int32] { sockets.map(\.number) + connections.map(\.number) }

    /// Returns the next event; a connection whose query `isExpected` accepts waits for `answer`, and all others end.
    package func next(_ isExpected: (FormFields) -> Bool) -> RedirectEvent? {
        guard answered == nil else { return nil }
        var event = accept()
        let now = uptime()
        for connection in connections {
            switch connection.read() {
            case .reading:
                if now - connection.arrival < Self.patience { continue }
            case .complete(let head):
                if let fields = head.reveal(query), isExpected(fields) {
                    answered = connection
                    sockets = []
                    connections = []
                    return .answer(fields)
                }
                connection.send(Self.response("404 Not Found", type: nil, []))
            case .tls: event = .https(origin: origin)
            case .invalid: break
            }
            connections.removeAll { $0 === connection }
        }
        return event
    }

    package func show(_ result: RedirectResult) { answer(Array(RedirectPage.html(result).utf8)) }

    package func answer(_ page: [UInt8]) {
        answered?.send(Self.response("200 OK", type: "text/html; charset=utf-8", page))
        answered = nil
    }

    /// Accepts as many connections as there is room for, so that each is read before it makes room for others.
    private func accept() -> RedirectEvent? {
        var event: RedirectEvent?
        for socket in sockets {
            for _ in 0..<(Self.mostConnections / sockets.count) {
                guard let descriptor = FileDescriptor.accepted(from: socket.number) else { break }
                guard PeerUser.isTrusted(atTCP: descriptor.number) else {
                    event = .stranger
                    continue
                }
                if connections.count == Self.mostConnections { connections.removeFirst() }
                connections.append(Connection(descriptor, arrival: uptime()))
            }
        }
        return event
    }

    private static func response(_ status: String, type: String?, _ body: [UInt8]) -> [UInt8] {
        let headers = [
            "HTTP/1.1 \(status)", type.map { "Content-Type: \($0)" }, "Content-Length: \(body.count)",
            "Cache-Control: no-store", "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff",
            "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
            "Connection: close",
        ]
        return Array((headers.compactMap(\.self).joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }

    private static func socket(ipv4Port port: UInt16) throws(Errno) -> (Handle, port: UInt16) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        return try listening(AF_INET, address)
    }

    private static func socket(ipv6Port port: UInt16) throws(Errno) -> (Handle, port: UInt16) {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_addr = in6addr_loopback
        return try listening(AF_INET6, address)
    }

    /// A TCP socket (ip(7), ipv6(7)), which is closed with its owner.
    private static func listening<Address>(
        _ family: Int32, _ address: Address
    ) throws(Errno) -> (Handle, port: UInt16) {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard let socket = Handle(FileDescriptor(Glibc.socket(family, kind, 0))) else { throw .last }
        // Closed connections of the last sign-in must not block a configured port.
        var isOn: Int32 = 1
        setsockopt(socket.number, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
        try withUnsafeBytes(of: address) { bytes throws(Errno) in
            let start = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
            try Errno.check(bind(socket.number, start, socklen_t(bytes.count)))
        }
        // Others could fill a short queue, and keep the browser out.
        try Errno.check(listen(socket.number, SOMAXCONN))
        guard let port = PeerUser.port(of: socket.number) else { throw .last }
        return (socket, port)
    }

    private final class Connection {
        enum State {
            case reading
            case complete(Secret)
            /// The beginning of a TLS handshake (RFC 8446, 5.1).
            case tls
            /// The head is too long, or the connection has ended.
            case invalid
        }

        /// Milliseconds of uptime.
        let arrival: Int64
        private let descriptor: FileDescriptor
        private var head = Secret.Builder()
        /// The length of the part of the blank line at the head's end that has just been read.
        private var endLength = 0

        /// The longest head in bytes: a code has a few thousand, and the person's cookies for this machine come too.
        private static let longest = 65_536

        init(_ descriptor: consuming FileDescriptor, arrival: Int64) {
            self.descriptor = descriptor
            self.arrival = arrival
        }

        var number: Int32 { descriptor.number }

        func read() -> State {
            while true {
                let isFirst = head.count == 0
                var (isTLS, isComplete) = (false, false)
                let count = head.append { buffer in
                    let count = descriptor.read(into: buffer)
                    guard count > 0 else { return count }
                    isTLS = isFirst && buffer[0] == 0x16
                    isComplete = endsHead(buffer[..<count])
                    return count
                }
                guard count != 0 else { return .invalid }
                guard count > 0 else { return errno == EAGAIN ? .reading : .invalid }
                if isTLS { return .tls }
                guard head.count <= Self.longest else { return .invalid }
                if isComplete { return .complete(head.take()) }
            }
        }

        private func endsHead(_ bytes: some Sequence<UInt8>) -> Bool {
            let end: [UInt8] = [0x0d, 0x0a, 0x0d, 0x0a]
            for byte in bytes {
                endLength = byte == end[endLength] ? endLength + 1 : byte == end[0] ? 1 : 0
                if endLength == end.count { return true }
            }
            return false
        }

        /// Sends the response, which fits into the socket's buffer if the browser reads at all.
        func send(_ response: [UInt8]) {
            _ = response.withUnsafeBytes {
                Glibc.send(descriptor.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            shutdown(descriptor.number, Int32(SHUT_WR))
        }
    }

    /// The query of a GET request of HTTP/1 for our path on exactly one of our hosts (RFC 9112, 2.1 and 3).
    private func query(in bytes: UnsafeRawBufferPointer) -> FormFields? {
        let carriageReturn = UInt8(ascii: "\r")
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .prefix { $0.first != carriageReturn }
        // A bare LF or CR is no line end: two parsers that disagree about that read two requests.
        guard lines.allSatisfy({ $0.firstIndex(of: carriageReturn) == $0.endIndex - 1 }),
            let words = lines.popFirst()?.dropLast().split(
                separator: UInt8(ascii: " "), omittingEmptySubsequences: false),
            words.count == 3, words[0].elementsEqual("GET".utf8), words[2].starts(with: "HTTP/1.".utf8)
        else { return nil }
        let name = "host:"
        let hosts = lines.filter { ASCII.equalsIgnoringCase($0.prefix(name.utf8.count), name) }
            .map { Array($0.dropLast().dropFirst(name.utf8.count).drop { $0 == UInt8(ascii: " ") }) }
        guard hosts.count == 1, authorities.contains(hosts[0]) else { return nil }
        return words[1].starts(with: (path + "?").utf8) ? FormFields(words[1].dropFirst(path.utf8.count + 1)) : nil
    }
}

/// The page at which the browser ends, without scripts and without anything to load.
enum RedirectPage {
    static func html(_ result: RedirectResult) -> String {
        let close = Message("You can close this window.")
        let (mark, heading, lines) =
            switch result {
            case .signedIn(let account, let host):
                (green, Message("Signed in to %1$s as %2$s", host, account), [close])
            case .failed(let host, let error):
                // Commands are left out, since the terminal shows them too.
                (red, Message("Not signed in to %1$s", host), [error?.text, close].compactMap(\.self))
            }
        let paragraphs = lines.map { "<p>\(escaped($0))</p>" }.joined(separator: "\n")
        return """
            <!DOCTYPE html>
            <html lang="\(escaped(Message("en")))">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <link rel="icon" href="data:,">
            <title>\(escaped(heading))</title>
            <style>
            :root { color-scheme: light dark; --text: #1f2328; --quiet: #59636e; --mark: \(mark.light); }
            @media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --quiet: #9198a1; --mark: \(mark.dark); } }
            body { margin: 20vh auto 0; max-width: 32rem; padding: 0 1.5rem; color: var(--text);
                   font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; word-break: keep-all; }
            h1 { font-size: 1.5rem; line-height: 1.25; border-left: .25rem solid var(--mark); padding-left: .75rem; }
            p { color: var(--quiet); padding-left: 1rem; }
            p::first-letter { text-transform: uppercase; }
            </style>
            </head>
            <body>
            <h1>\(escaped(heading))</h1>
            \(paragraphs)
            </body>
            </html>

            """
    }

    private static let green = (light: "#1a7f37", dark: "#3fb950")
    private static let red = (light: "#cf222e", dark: "#f85149")

    /// Escapes a message for HTML, also within quotes.
    private static func escaped(_ message: Message) -> String {
        NotificationText.escaped(Language.text(message)).unicodeScalars.map { $0 == "\"" ? "&quot;" : "\($0)" }.joined()
    }
}
