package import CredentialCore
internal import Providers

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
        let address = TypedAddress(text)
        let isUnderstood = [nil, "https", "ssh", "git+ssh"].contains(address.scheme)
        host = isUnderstood ? address.host : text
        username = address.username
        path = address.path.isEmpty ? nil : address.path
    }

    /// Whether it is a URL of the scheme over which no credential is sent.
    package static func isPlainHTTP(_ text: String) -> Bool { TypedAddress(text).scheme == "http" }

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
