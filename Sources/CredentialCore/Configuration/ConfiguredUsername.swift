/// The account that git uses for a URL without a username: `credential.username` and `credential.<url>.username`.
///
/// git uses the last line that matches the URL, however general it is (`select_all` in its credential.c). Unlike in
/// `http.<url>.*`, the most specific URL has no precedence.
package struct ConfiguredUsername {
    /// The line that applies to the host as a whole; nil if there is none.
    package let line: OriginatedEntry?
    /// Lines for a part of the host, such as the repositories of one owner, which apply there instead.
    package let exceptions: [OriginatedEntry]
    /// Lines for a part of the host that have no effect, because the line for the whole host follows them.
    package let overridden: [OriginatedEntry]

    /// Reads what is configured for a host.
    ///
    /// - Parameters:
    ///   - entries: what git printed, in its order, including a repository's own files, which git uses as well.
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
        // A username in the URL restricts the line to requests with that username.
        guard !url.utf8.contains(UInt8(ascii: "@")) else { return false }
        return URLPattern(url)?.closeness(toHTTPS: host, path: []) != nil
    }

    private static func isOfPart(of host: HostName, _ url: String?) -> Bool {
        guard let url, !covers(host, url), !url.utf8.contains(UInt8(ascii: "@")),
            // Not `contains` with a text: that would link all of regular expressions into the front door.
            let address = HTTPSAddress(parsing: url) ?? HTTPSAddress(parsing: "https://" + url)
        else { return false }
        return address.path != "/" && HostName(name: address.host, port: address.port) == host.canonicalForHTTPS
    }
}
