/// An https address in normal form: the host in lower case, no default port.
package struct HTTPSAddress: Hashable {
    /// ASCII letters, digits, hyphens, dots and underscores, or an IPv6 address in brackets.
    package let host: String
    /// The port, or `nil` for the default of https.
    package let port: UInt16?
    /// The path with its slash, and the query if there is one.
    package let path: String

    /// Percent-encodes invalid characters in path and query (RFC 3986, 2.1), since URLs are displayed unchanged; `host`
    /// must be valid.
    package init(host: String, port: UInt16? = nil, path: String = "/") {
        self.host = host
        self.port = port
        self.path =
            path.utf8.allSatisfy(Self.isPlain)
            ? path : String(decoding: PercentEncoding.encoded(path.utf8, keeping: Self.isPlain), as: UTF8.self)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x22, 0x23, 0x3c, 0x3e, 0x5c, 0x5e, 0x60, 0x7b...0x7d: false
        default: (0x21...0x7e).contains(byte)
        }
    }

    /// Parses an https address of at most 2,048 bytes, or returns `nil`.
    ///
    /// User parts, fragments and everything outside printable ASCII are refused, as are forms that browsers tolerate
    /// (`\`, tabs, `https:/host`).
    package init?(parsing text: String) {
        let scheme = "https://"
        let bytes = Array(text.utf8)
        guard bytes.count <= 2_048, ASCII.equalsIgnoringCase(bytes.prefix(scheme.utf8.count), scheme) else {
            return nil
        }
        let rest = bytes[scheme.utf8.count...]
        guard rest.allSatisfy(Self.isPlain) else { return nil }
        let authorityEnd = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
        guard let name = HostName(Array(rest[..<authorityEnd])), !name.name.isEmpty,
            Self.isPlainHost(name.name)
        else { return nil }
        let canonical = name.canonicalForHTTPS
        host = String(decoding: canonical.name, as: UTF8.self)
        port = canonical.port
        let path = String(decoding: rest[authorityEnd...], as: UTF8.self)
        self.path = path.hasPrefix("/") ? path : "/" + path
    }

    private static func isPlainHost(_ name: [UInt8]) -> Bool {
        let isAddress = name.first == UInt8(ascii: "[")
        let inner = isAddress ? name.dropFirst().dropLast() : name[...]
        return !inner.isEmpty && ASCII.isPlain(inner, with: isAddress ? ":." : "-._")
    }

    package var text: String { "https://\(authority)\(path)" }
    package var authority: String { port.map { "\(host):\($0)" } ?? host }

    /// The origin (RFC 6454, 6.2).
    package var origin: String { "https://\(authority)" }
    package func isSameOrigin(as other: HTTPSAddress) -> Bool { host == other.host && port == other.port }

    package func appending(_ suffix: String) -> HTTPSAddress {
        HTTPSAddress(host: host, port: port, path: path.hasSuffix("/") ? path.dropLast() + suffix : path + suffix)
    }
}
