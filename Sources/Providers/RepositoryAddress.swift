package import CredentialCore

/// Where a repository is, understood as people paste it: from a browser, from `git remote -v`, or `OWNER/NAME`.
package struct RepositoryAddress: Equatable {
    /// The host, without ssh's port and under the name that it has on the web.
    package let host: HostName
    /// The account that the address names; `git` over ssh names nobody.
    package let username: String?
    /// The parts of the path, without `.git`: letters, digits, `-`, `_` and `.` only, at least two of them.
    package let segments: [String]

    /// The longest text that is looked at, in bytes.
    private static let longest = 2_048

    /// Reads an address: `https://HOST/OWNER/NAME`, `HOST/OWNER/NAME`, `OWNER/NAME` on github.com,
    /// `ssh://git@HOST/OWNER/NAME` or `git@HOST:OWNER/NAME`, each with or without `.git`.
    ///
    /// A password in it is dropped unread. The result is nil for anything else.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.longest else { return nil }
        guard let schemeEnd = text.firstRange(of: "://") else {
            self.init(withoutScheme: text[...])
            return
        }
        let rest = text[schemeEnd.upperBound...]
        let authorityEnd = rest.firstIndex(of: "/") ?? rest.endIndex
        let (authority, path) = (rest[..<authorityEnd], rest[authorityEnd...])
        switch text[..<schemeEnd.lowerBound].lowercased() {
        case "https", "http": self.init(authority: authority, path: path, isSSH: false)
        case "ssh", "git+ssh": self.init(authority: authority, path: path, isSSH: true)
        default: return nil
        }
    }

    /// Without a scheme it is `user@host:path` (git-clone(1)), else a path whose first part may be a host.
    private init?(withoutScheme text: Substring) {
        if let colon = text.firstIndex(of: ":"), !text[..<colon].contains("/") {
            self.init(authority: text[..<colon], path: text[text.index(after: colon)...], isSSH: true)
            return
        }
        let first = text.prefix { $0 != "/" }
        // No account's name has a dot, and no host that matters is without.
        if first.contains(".") || text.split(separator: "/").count > 2 {
            self.init(authority: first, path: text.dropFirst(first.count), isSSH: false)
        } else {
            self.init(authority: "github.com", path: text, isSSH: false)
        }
    }

    private init?(authority: Substring, path: Substring, isSSH: Bool) {
        let at = authority.lastIndex(of: "@")
        let hostText = at.map { authority[authority.index(after: $0)...] } ?? authority
        guard let named = HostName(Array(hostText.utf8)), !named.name.isEmpty else { return nil }
        let user = at.map { authority[..<$0].prefix { $0 != ":" } }
        username = isSSH ? nil : user.flatMap { Self.isPlain($0) ? String($0) : nil }
        let name = String(decoding: named.canonicalForHTTPS.name, as: UTF8.self)
        // ssh's port says nothing about the port of the web server.
        host =
            isSSH
            ? HostName(name: SignInHost.webName(ofSSH: name))
            : HostName(
                name: name.hasPrefix("www.") ? String(name.dropFirst(4)) : name, port: named.canonicalForHTTPS.port)
        var parts = path.prefix { $0 != "?" && $0 != "#" }.split(separator: "/")
        if let last = parts.last, last.hasSuffix(".git") { parts[parts.count - 1] = last.dropLast(4) }
        guard parts.count >= 2, parts.allSatisfy(Self.isPlain) else { return nil }
        segments = parts.map(String.init)
    }

    /// What the hosts that we know allow in names; it needs no escaping in an address and does nothing on a terminal.
    private static func isPlain(_ part: Substring) -> Bool {
        !part.isEmpty && part != "." && part != ".." && part.utf8.count <= 100
            && part.utf8.allSatisfy { ASCII.isLetterOrDigit($0) || "-_.".utf8.contains($0) }
    }
}
