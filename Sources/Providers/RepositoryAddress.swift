package import CredentialCore

/// A repository's address as people paste it: from a browser, from `git remote -v`, or `OWNER/NAME`.
package struct RepositoryAddress: Equatable {
    /// The host under its web name, without ssh's port.
    package let host: HostName
    /// Whether the address is ssh's, for which git asks no helper.
    package let isSSH: Bool
    /// The account in the address, or `nil` for ssh and for a name with special characters.
    package let username: String?
    /// The account as git sends it.
    package let rawUsername: String?
    /// The parts of the path, without `.git`, in the spelling of `RepositoryPath`; at least two on the built-in hosts.
    package let segments: [String]
    /// The whole path, with `.git` if the address has it.
    package let path: String
    private static let longest = 2_048

    /// Reads an address: `https://HOST/OWNER/NAME`, `HOST/OWNER/NAME`, `OWNER/NAME` on github.com,
    /// `ssh://git@HOST/OWNER/NAME` or `git@HOST:OWNER/NAME`, each with or without `.git`.
    ///
    /// A path may have a single part unless the host is built in. A password is dropped unread. Returns `nil` for any
    /// other text.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.longest else { return nil }
        var address = TypedAddress(text)
        guard [nil, "https", "http", "ssh", "git+ssh"].contains(address.scheme) else { return nil }
        // Account names have no dot, and relevant hosts have one.
        if address.scheme == nil, !address.isSSH, !address.host.contains("."),
            address.path.split(separator: "/").count < 2
        {
            address = TypedAddress("https://github.com/" + text)
        }
        // git decodes the path of a URL, but not that of `user@host:path`.
        guard address.scheme != nil || !address.isSSH || !address.path.contains("%") else { return nil }
        guard let named = HostName(Array(address.host.utf8))?.canonicalForHTTPS else { return nil }
        let prefix = Array("www.".utf8)
        let bare = named.text.dropFirst(prefix.count)
        // `www.` is dropped once: `www.www.HOST` is no other name of HOST.
        let isWeb = named.name.starts(with: prefix) && !bare.starts(with: prefix)
        guard let host = isWeb ? HostName(Array(bare)) : named, !host.name.isEmpty else { return nil }
        self.host = host
        isSSH = address.isSSH
        rawUsername = address.username
        username = address.username.flatMap { Self.isPlain($0[...]) ? $0 : nil }
        let parts = address.path.utf8.split(separator: UInt8(ascii: "/"))
        guard let whole = RepositoryPath.segments(of: parts), let segments = RepositoryPath.withoutSuffix(whole),
            segments.count >= 2 || SignInHost(builtIn: host) == nil
        else { return nil }
        self.segments = segments
        path = whole.joined(separator: "/")
    }

    /// Reads `OWNER/NAME` as a repository on `host`; an address may name another host.
    package init?(_ text: String, on host: HostName) {
        let typed = TypedAddress(text)
        let isAddress = { (other: HostName) in
            typed.scheme != nil || typed.isSSH || other == host.canonicalForHTTPS
                || typed.host.contains(".") && SignInHost(builtIn: other) != nil
        }
        if let address = Self(text), isAddress(address.host) {
            self = address
        } else {
            self.init("https://\(String(decoding: host.text, as: UTF8.self))/\(text)")
        }
    }

    package var requestPath: [UInt8] { PercentEncoding.decoded(path.utf8) ?? [] }
    package var url: String { "https://\(String(decoding: host.text, as: UTF8.self))/\(path)" }

    /// Whether a user name needs no escaping, and does nothing on a terminal.
    private static func isPlain(_ name: Substring) -> Bool {
        !name.isEmpty && name != "." && name != ".." && name.utf8.count <= 100 && ASCII.isPlain(name.utf8, with: "-_.")
    }
}

/// The canonical spelling of a repository's path: equal paths have equal spellings, and no shell or terminal acts on
/// them.
package enum RepositoryPath {
    /// The parts, each decoded once and encoded again, or `nil` if a server could read one in two ways.
    ///
    /// Such parts are empty, `.` or `..`, or have an encoded slash or percent sign, or bytes that are not UTF-8.
    package static func segments(of parts: [some Collection<UInt8>]) -> [String]? {
        var segments: [String] = []
        for part in parts {
            // URLs encode a space, and other pasted addresses have none.
            guard !part.contains(UInt8(ascii: " ")), let bytes = PercentEncoding.decoded(part),
                let text = String(validating: bytes, as: UTF8.self), isName(text)
            else { return nil }
            let encoded = PercentEncoding.encoded(bytes) { ASCII.isPlain([$0], with: "-._~") }
            segments.append(String(decoding: encoded, as: UTF8.self))
        }
        return segments
    }

    /// The parts without `.git` at the end, or `nil` if the last is then no name.
    package static func withoutSuffix(_ segments: [String]) -> [String]? {
        segments.last.flatMap { name($0, without: suffix) }.map { segments.dropLast() + [$0] }
    }

    /// The name without `suffix` at its end, or `nil` if the rest is no name: `..git` would be the folder `.`.
    static func name(_ name: String, without suffix: String) -> String? {
        let rest = name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
        return ["", ".", ".."].contains(rest) ? nil : rest
    }

    /// The repository that a wiki belongs to; only git treats a wiki as a repository.
    static func withoutWiki(_ name: String) -> String { Self.name(name, without: ".wiki") ?? name }

    package static let suffix = ".git"

    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text != "." && text != ".." && text.utf8.count <= 255
            && text.unicodeScalars.allSatisfy { scalar in
                UInt8(exactly: scalar.value).flatMap { $0 < 0x80 ? ASCII.isLetterOrDigit($0, or: "-._~+@,=() ") : nil }
                    ?? (DisplayText.isVisible(scalar) && scalar != "\u{fffd}")
            }
    }
}

/// The unchecked parts of a typed or pasted address: a URL from a browser or from `git remote -v`, `user@host:path`
/// (git-clone(1)), or a host with or without a path.
package struct TypedAddress {
    /// The scheme in lower case, or `nil` if there is none.
    package let scheme: String?
    package let isSSH: Bool
    /// The host under its web name with its port; ssh's port is dropped, since the web server has another.
    package let host: String
    /// The account, or `nil` for ssh, where `git@` is none; a password is dropped.
    package let username: String?
    /// Whether there is a password, even an empty one, which git uses as well.
    package let hasPassword: Bool
    /// The path without a leading slash, query or fragment.
    package let path: String

    package init(_ text: String) {
        // Compares scalars, since a combining sign would make another character of a slash.
        let text = text.unicodeScalars
        let schemeEnd = text.firstRange(of: "://".unicodeScalars)
        let scheme = schemeEnd.map { String(text[..<$0.lowerBound]).lowercased() }
        let rest = text[(schemeEnd?.upperBound ?? text.startIndex)...]
        var authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        var pathStart = authority.endIndex
        var isSSH = scheme == "ssh" || scheme == "git+ssh"
        let at = authority.lastIndex(of: "@")
        // A web host may have a port after the colon; in `user@host:path`, a path follows.
        if scheme == nil, let colon = authority[(at ?? authority.startIndex)...].firstIndex(of: ":") {
            let after = authority[authority.index(after: colon)...]
            if !after.allSatisfy({ ("0"..."9").contains($0) }) || at != nil && rest.endIndex > authority.endIndex {
                isSSH = true
                pathStart = after.startIndex
                authority = authority[..<colon]
            }
        }
        let user = at.map { String(authority[..<$0].prefix { $0 != ":" }) } ?? ""
        let named = String(at.map { authority[authority.index(after: $0)...] } ?? authority)
        self.scheme = scheme
        self.isSSH = isSSH
        let sshName = named.utf8.prefix { $0 != UInt8(ascii: ":") }.map(ASCII.folded)
        host = isSSH ? SignInHost.webName(ofSSH: String(decoding: sshName, as: UTF8.self)) : named
        hasPassword = at.map { authority[..<$0].contains(":") } ?? false
        username = isSSH || user.isEmpty ? nil : scheme == nil ? user : Self.decoded(user)
        path = String(rest[pathStart...].prefix { $0 != "?" && $0 != "#" }.drop { $0 == "/" })
    }

    /// Decodes `%40` and the like as git does (url.c); everything else stays.
    private static func decoded(_ text: String) -> String {
        var rest = Array(text.utf8)[...]
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2, let high = Hexadecimal.number(rest[rest.startIndex]),
                let low = Hexadecimal.number(rest[rest.startIndex + 1]), high + low > 0
            {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
