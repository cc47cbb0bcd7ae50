/// The URL in `credential.<url>.KEY` and `http.<url>.KEY`, matched as git-config(1) describes under `http.<url>.*`.
///
/// gitcredentials(7) also allows parts of URLs: `example.com`, or `https://` for every host.
package struct URLPattern {
    private let scheme: [UInt8]?
    private let hostLabels: [ArraySlice<UInt8>]?
    private let port: UInt16?
    private let path: [UInt8]

    /// The specificity of a match: the longer host wins, then the longer path.
    package typealias Closeness = (hostBytes: Int, pathBytes: Int)

    /// Returns `nil` if the pattern can match nothing.
    package init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        if let schemeEnd = Self.endOfScheme(rest) {
            scheme = rest[..<schemeEnd].map(ASCII.folded)
            rest = rest[(schemeEnd + 3)...]
        } else {
            scheme = nil
        }
        let authorityEnd = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        // A username in a pattern selects an account for git; it never selects a host or a client for us.
        let hostStart = rest[..<authorityEnd].lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? rest.startIndex
        let authority = rest[hostStart..<authorityEnd]
        path = Array(rest[authorityEnd...].drop { $0 == UInt8(ascii: "/") })
        if authority.isEmpty {
            hostLabels = nil
            port = nil
        } else {
            guard let host = HostName(Array(authority))?.canonicalForHTTPS else { return nil }
            hostLabels = host.name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            port = host.port
        }
    }

    package var hasConcreteHost: Bool {
        guard let hostLabels else { return false }
        return !hostLabels.contains { $0.elementsEqual("*".utf8) }
    }

    private static func endOfScheme(_ text: ArraySlice<UInt8>) -> Int? {
        text.indices.first { text[$0...].starts(with: "://".utf8) }
    }

    /// The specificity for a host, or `nil` if the pattern does not match; `path` has no leading slash.
    package func closeness(
        to host: HostName, over asked: [UInt8] = CredentialContext.https, path: [UInt8]
    ) -> Closeness? {
        if let scheme, scheme != asked { return nil }
        guard let hostBytes = hostBytes(host.canonicalForHTTPS), let pathBytes = pathBytes(path) else { return nil }
        return (hostBytes, pathBytes)
    }

    /// The pattern's bytes of the host; `*` stands for one whole label, and the port must be equal.
    private func hostBytes(_ host: HostName) -> Int? {
        guard let hostLabels else { return 0 }
        let askedLabels = host.name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard port == host.port, hostLabels.count == askedLabels.count else { return nil }
        let isMatch = zip(hostLabels, askedLabels).allSatisfy { $0.elementsEqual("*".utf8) || $0.elementsEqual($1) }
        // git counts the asterisk as well.
        return isMatch ? hostLabels.reduce(0) { $0 + $1.count + 1 } : nil
    }

    /// The matched bytes of the path, a prefix that ends at a slash.
    private func pathBytes(_ asked: [UInt8]) -> Int? {
        let wanted = path.last == UInt8(ascii: "/") ? path.dropLast() : path[...]
        guard !wanted.isEmpty else { return 0 }
        guard asked.starts(with: wanted) else { return nil }
        let boundary = asked.dropFirst(wanted.count).first
        return boundary == nil || boundary == UInt8(ascii: "/") ? wanted.count : nil
    }
}
