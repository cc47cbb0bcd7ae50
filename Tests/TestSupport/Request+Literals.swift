package import CredentialCore

extension Request {
    /// Creates a request from lines as git writes them, and adds the last line end.
    package init(_ lines: String) throws(RequestError) { try self.init(parsing: Secret((lines + "\n").utf8)) }
}
