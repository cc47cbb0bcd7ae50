/// The account that git names where an address names none: `credential.username` and `credential.<url>.username`.
///
/// git takes the last line that covers the address, however general its URL is (`select_all` in its credential.c): here,
/// unlike in `http.<url>.*`, the closest URL has no precedence.
package struct ConfiguredUsername {
    /// The line that counts for the host as a whole; nil if none does.
    package let line: OriginatedEntry?
    /// Lines for a part of the host, such as an owner's repositories, that count there in place of it.
    package let exceptions: [OriginatedEntry]
    /// Lines for a part of the host that come to nothing, since the one for the whole host stands behind them.
    package let overridden: [OriginatedEntry]

    /// Reads what is configured for a host.
    ///
    /// - Parameters:
    ///   - entries: what git told, in its order, repositories' own files included: git heeds them, too.
    ///   - host: the host asked about.
    package init(_ entries: [OriginatedEntry], for host: HostName) {
        let lines = entries.filter {
            $0.entry.section == "credential" && $0.entry.key == "username" && $0.entry.value != nil
        }
        let last = lines.lastIndex { Self.covers(host, $0.entry.subsection) }
        let isForPart = { (line: OriginatedEntry) in Self.isOfPart(of: host, line.entry.subsection) }
        line = last.map { lines[$0] }
        exceptions = lines[(last.map { $0 + 1 } ?? 0)...].filter(isForPart)
        overridden = lines[..<(last ?? 0)].filter(isForPart)
    }

    /// Its value.
    package var name: String? { line?.entry.value }

    private static func covers(_ host: HostName, _ url: String?) -> Bool {
        guard let url else { return true }
        // A name in the URL makes it one for requests with that name.
        guard !url.utf8.contains(UInt8(ascii: "@")) else { return false }
        return URLPattern(url)?.closeness(toHTTPS: host, path: []) != nil
    }

    private static func isOfPart(of host: HostName, _ url: String?) -> Bool {
        guard let url, !covers(host, url), !url.utf8.contains(UInt8(ascii: "@")),
            // Not by `contains` of a text: that links the whole of regular expressions into the front door.
            let address = HTTPSAddress(parsing: url) ?? HTTPSAddress(parsing: "https://" + url)
        else { return false }
        return address.path != "/" && HostName(name: address.host, port: address.port) == host.canonicalForHTTPS
    }
}
