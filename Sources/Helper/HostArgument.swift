package import CredentialCore

/// A host as people type or paste it: `github.com`, `ghe.example:8443`, a URL from a browser or from `git remote -v`.
package struct HostArgument: Equatable {
    /// The host, with `:port` if there is one, but without ssh's port.
    ///
    /// It is not checked yet; `Request` does that.
    package let host: String
    /// The account in the URL; `git@` in an ssh URL is not an account.
    package let username: String?
    /// The path of the URL, without a leading slash, which says for whose repositories an app signs in; nil if there is none.
    package let path: String?

    /// Parses what was typed.
    ///
    /// A password in it is ignored. Text that is not a URL is kept, so that the error can show it.
    package init(_ text: String) {
        let scheme = Self.schemes.first { ASCII.equalsIgnoringCase(text.utf8.prefix($0.name.utf8.count), $0.name) }
        let rest = text.dropFirst(scheme?.name.utf8.count ?? 0)
        var authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        var isSSH = scheme?.isSSH ?? false
        let rawPath = rest.dropFirst(authority.count).prefix { $0 != "?" && $0 != "#" }.drop { $0 == "/" }
        path = rawPath.isEmpty ? nil : String(rawPath)
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
        // ssh's port is not that of the web server.
        let name = named.prefix { $0 != ":" }
        host = SignInHost.webName(ofSSH: String(name))
        username = nil
    }

    /// Whether it is a URL of the scheme over which no credential is sent.
    package static func isPlainHTTP(_ text: String) -> Bool {
        let scheme = "http://"
        return ASCII.equalsIgnoringCase(text.utf8.prefix(scheme.utf8.count), scheme)
    }

    private static let schemes: [(name: String, isSSH: Bool)] = [
        ("https://", false), ("ssh://", true), ("git+ssh://", true),
    ]

    /// The request that git would send for the host.
    ///
    /// - Parameters:
    ///   - username: the account from an option, which takes precedence over the one in the URL.
    ///   - withPath: whether the request is for the URL's path.
    /// - Returns: a request over https.
    /// - Throws: why git could not send such a request.
    package func request(username: String?, withPath: Bool = false) throws(RequestError) -> Request {
        let account = (username ?? self.username).map { "username=\($0)\n" } ?? ""
        let path = withPath ? self.path.map { "path=\($0)\n" } ?? "" : ""
        return try Request(parsing: Array("protocol=https\nhost=\(host)\n\(account)\(path)".utf8))
    }
}
