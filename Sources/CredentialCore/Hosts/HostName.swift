/// ② The host of a request, compared byte by byte.
///
/// git has already parsed the URL, and only its reading counts: in `https://github.com:443@evil.com/`, it is
/// `evil.com`.
package struct HostName: Hashable {
    /// The name as typed; an IPv6 address keeps its brackets; empty for client certificates.
    package private(set) var name: [UInt8]
    /// The port, never 0.
    package private(set) var port: UInt16?

    /// Returns `nil` if `host` contains a byte of another part of a URL, or if its port is neither empty nor a plain
    /// number from 1 to 65535.
    ///
    /// git's own libsecret helper reads `h:65979` as port 443.
    package init?(_ host: [UInt8]) {
        guard !host.contains(where: { $0 < 0x21 || $0 == 0x7f || "/?#@\\".utf8.contains($0) }) else { return nil }
        let nameEnd: Int
        if host.first == UInt8(ascii: "[") {
            guard let bracket = host.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            nameEnd = bracket + 1
        } else {
            nameEnd = host.firstIndex(of: UInt8(ascii: ":")) ?? host.count
        }
        name = Array(host[..<nameEnd])
        // A port needs a host: the empty name is only for client certificates.
        guard nameEnd == host.count || nameEnd > 0 && host[nameEnd] == UInt8(ascii: ":") else { return nil }
        let digits = host[nameEnd...].dropFirst()
        port = Self.port(digits)
        // An empty port is none (RFC 3986, 3.2.3).
        guard port != nil || digits.isEmpty else { return nil }
    }

    package init(name: String, port: UInt16? = nil) {
        self.name = Array(name.utf8)
        self.port = port
    }

    private static func port(_ digits: ArraySlice<UInt8>) -> UInt16? {
        guard digits.allSatisfy(ASCII.isDigit), digits.first != UInt8(ascii: "0") else { return nil }
        return UInt16(String(decoding: digits, as: UTF8.self))
    }

    package var text: [UInt8] { port.map { name + Array(":\($0)".utf8) } ?? name }

    /// The name with ASCII letters in lower case, without the default port of https.
    package var canonicalForHTTPS: HostName {
        var canonical = self
        canonical.name = name.map(ASCII.folded)
        if port == 443 { canonical.port = nil }
        return canonical
    }
}
