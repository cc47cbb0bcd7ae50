package import CredentialCore

/// A name in a proxy's address without a password, which git has its helpers look up: git-config(1), `http.proxy`.
package struct ProxyLogin: Equatable {
    /// As git is told: `http://mona@proxy.example:3128`.
    package let url: DisplayText
    /// The same without the name.
    package let address: String
    package let username: String
    private let scheme: String
    private let host: String

    /// Nil for an address that names nobody, or has a password.
    package init?(_ proxy: String) {
        let url = proxy.utf8.firstRange(of: "://".utf8) == nil ? "http://" + proxy : proxy
        let parts = TypedAddress(url)
        guard let scheme = parts.scheme, let username = parts.username, !parts.host.isEmpty,
            // git, too, refuses a name that would be two lines.
            !username.utf8.contains(where: ASCII.isControl), !Self.hasPassword(url)
        else { return nil }
        self.scheme = scheme
        self.username = username
        host = parts.host
        address = "\(scheme)://\(parts.host)"
        self.url = DisplayText(untrusted: url.utf8)
    }

    /// git's own, for the password.
    package var request: Request? {
        try? Request(parsing: Secret("protocol=\(scheme)\nhost=\(host)\nusername=\(username)\n".utf8))
    }

    private static func hasPassword(_ url: String) -> Bool {
        let rest = url.utf8[(url.utf8.firstRange(of: "://".utf8)?.upperBound ?? url.startIndex)...]
        return rest.prefix { $0 != UInt8(ascii: "@") }.contains(UInt8(ascii: ":"))
    }
}
