/// ② The credentials that a request is about, and their attributes: the credential context of gitcredentials(7).
///
/// A hit needs no configuration. After a miss, `SignInContext` in the module Helper decides whether and how to sign in.
package struct CredentialContext: Equatable {
    package let `protocol`: [UInt8]
    package let host: HostName
    package let path: [UInt8]?
    /// The host for signing in, or `nil` for a plain store.
    ///
    /// A host that is not built in has none before the configuration is read.
    package let signInHost: SignInHost?

    package init(of request: Request) throws(RequestError) {
        guard let host = HostName(request.host) else { throw .malformedHost }
        try self.init(protocol: request.protocol, host: host, path: request.path)
    }

    package init(protocol: [UInt8], host: HostName, path: [UInt8]? = nil) throws(RequestError) {
        let withoutPort = HostName(name: String(decoding: host.canonicalForHTTPS.name, as: UTF8.self))
        guard SignInHost(builtIn: withoutPort) != nil else {
            self.init(protocol: `protocol`, host: host, path: path, signInHost: nil)
            return
        }
        guard ASCII.equalsIgnoringCase(`protocol`, "https"), let builtIn = SignInHost(builtIn: host) else {
            throw .downgrade
        }
        self.init(builtIn, path: path)
    }

    package init(_ host: SignInHost, path: [UInt8]?) {
        self.init(protocol: Self.https, host: host.name, path: path, signInHost: host)
    }

    private init(protocol: [UInt8], host: HostName, path: [UInt8]?, signInHost: SignInHost?) {
        self.protocol = `protocol`
        self.host = host
        self.path = path?.isEmpty == true ? nil : path
        self.signInHost = signInHost
    }

    package func attributes(user: [UInt8], object: [UInt8]? = nil) -> ItemAttributes {
        ItemAttributes(protocol: self.protocol, host: host, user: user, object: object)
    }

    /// The query of a `get` or `store`; without a path, for the host as a whole.
    package func query(user: [UInt8]?) -> ItemQuery {
        query(user: user, path: path, signInHost == nil ? .exact : .wholeHostServesPath)
    }

    /// The query for all items of the host, whatever their paths.
    package func everything(user: [UInt8]?) -> ItemQuery { query(user: user, path: nil, .wildcard) }

    package func query(user: [UInt8]?, path: [UInt8]?, _ paths: ItemQuery.Paths) -> ItemQuery {
        ItemQuery(
            protocol: self.protocol, host: host, user: user, path: path, paths: paths, ignoresCase: signInHost != nil)
    }

    /// Whether two names are one account's: hosts where we sign in ignore the case of ASCII letters.
    package func isSameAccount(_ name: [UInt8], _ other: [UInt8]) -> Bool {
        name == other || signInHost != nil && ASCII.equalsIgnoringCase(name, other)
    }

    package static let https = Array("https".utf8)
}
