package import CredentialCore

extension Request {
    /// A request as git writes it: lines without the last line end, which is added.
    package init(_ lines: String) throws(RequestError) { try self.init(parsing: Secret((lines + "\n").utf8)) }
}
