package import CredentialCore

/// A host as people type or paste it: `github.com`, `ghe.example:8443`, an address from a browser, from `git remote -v`.
package struct HostArgument: Equatable {
    /// The host, with `:port` if one was named, without ssh's; not checked yet, as `Request` does that.
    package let host: String
    /// The account that the address names; `git` over ssh names nobody.
    package let username: String?

    /// Reads what was typed.
    ///
    /// A password in it is dropped unread. What is no address stays as it is, to be refused by its own name.
    package init(_ text: String) {
        let scheme = Self.schemes.first { ASCII.equalsIgnoringCase(text.utf8.prefix($0.name.utf8.count), $0.name) }
        let rest = text.dropFirst(scheme?.name.utf8.count ?? 0)
        var authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        var isSSH = scheme?.isSSH ?? false
        let at = authority.lastIndex(of: "@")
        if scheme == nil, let at, let colon = authority[at...].firstIndex(of: ":"),
            !authority[authority.index(after: colon)...].allSatisfy(\.isWholeNumber) || rest.count > authority.count
        {
            // git-clone(1): `user@host:path` is ssh.
            isSSH = true
            authority = authority[..<colon]
        }
        let user = at.map { authority[..<$0].prefix { $0 != ":" } }
        let named = at.map { authority[authority.index(after: $0)...] } ?? authority
        guard isSSH else {
            host = String(named)
            username = user.flatMap { $0.isEmpty ? nil : String($0) }
            return
        }
        // ssh's port says nothing of the web server's.
        let name = named.prefix { $0 != ":" }
        host = SignInHost.webName(ofSSH: String(name))
        username = nil
    }

    private static let schemes: [(name: String, isSSH: Bool)] = [
        ("https://", false), ("ssh://", true), ("git+ssh://", true),
    ]

    /// The request for it: what git would ask.
    ///
    /// - Parameter username: the account that an option names, which counts before the one in the address.
    /// - Returns: a request over https.
    /// - Throws: why git could not ask so.
    package func request(username: String?) throws(RequestError) -> Request {
        let account = (username ?? self.username).map { "username=\($0)\n" } ?? ""
        return try Request(parsing: Array("protocol=https\nhost=\(host)\n\(account)".utf8))
    }
}
