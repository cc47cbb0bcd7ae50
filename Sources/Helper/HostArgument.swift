package import CredentialCore
internal import Providers

/// A host as people type or paste it: `github.com`, `ghe.example:8443`, a URL from a browser or from `git remote -v`.
package struct HostArgument: Equatable {
    /// With `:port` if there is one, but without ssh's port; not checked yet: `Request` does that.
    package let host: String
    /// Nil for `git@` in an ssh URL, which is not an account.
    package let username: String?
    /// Without a leading slash; it says for whose repositories an app signs in.
    package let path: String?

    /// A password in it is ignored.
    ///
    /// Text that is not a URL is kept, so that the error can show it.
    package init(_ text: String) {
        let address = TypedAddress(text)
        let isUnderstood = [nil, "https", "ssh", "git+ssh"].contains(address.scheme)
        host = isUnderstood ? address.host : text
        username = address.username
        path = address.path.isEmpty ? nil : address.path
    }

    /// The scheme over which no credential is sent.
    package static func isPlainHTTP(_ text: String) -> Bool { TypedAddress(text).scheme == "http" }

    /// Over https; the account from an option takes precedence over the one in the URL.
    package func request(username: String?, withPath: Bool = false) throws(RequestError) -> Request {
        let account = (username ?? self.username).map { "username=\($0)\n" } ?? ""
        let path = withPath ? self.path.map { "path=\($0)\n" } ?? "" : ""
        return try Request(parsing: Secret("protocol=https\nhost=\(host)\n\(account)\(path)".utf8))
    }
}
