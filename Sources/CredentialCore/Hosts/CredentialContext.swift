/// ② Which credentials a request is about, and how they are filed: the credential context of gitcredentials(7).
///
/// It needs no configuration, and a hit needs nothing else. After a miss, `SignInContext` in the module Helper says
/// whether and how we sign in there.
package struct CredentialContext: Equatable {
    package let `protocol`: [UInt8]
    package let host: HostName
    package let path: [UInt8]?
    /// Other sign-in hosts are known only after the configuration has been read.
    package let builtIn: SignInHost?

    package enum Refusal: Error {
        /// It contains bytes of another part of a URL, or an invalid port.
        case malformedHost
        /// A built-in host over another protocol or port: this would be a downgrade, not another host.
        case downgrade
    }

    /// The account is not part of it.
    package init(of request: Request) throws(Refusal) {
        guard let host = HostName(request.host) else { throw .malformedHost }
        try self.init(protocol: request.protocol, host: host, path: request.path)
    }

    package init(protocol: [UInt8], host: HostName, path: [UInt8]? = nil) throws(Refusal) {
        let withoutPort = HostName(name: String(decoding: host.canonicalForHTTPS.name, as: UTF8.self))
        guard SignInHost(builtIn: withoutPort) != nil else {
            self.init(protocol: `protocol`, host: host, path: path, builtIn: nil)
            return
        }
        guard ASCII.equalsIgnoringCase(`protocol`, "https"), let builtIn = SignInHost(builtIn: host) else {
            throw .downgrade
        }
        self.init(protocol: Self.https, host: builtIn.name, path: path, builtIn: builtIn)
    }

    package init(_ host: SignInHost, path: [UInt8]?) {
        self.init(protocol: Self.https, host: host.name, path: path, builtIn: host.isBuiltIn ? host : nil)
    }

    private init(protocol: [UInt8], host: HostName, path: [UInt8]?, builtIn: SignInHost?) {
        self.protocol = `protocol`
        self.host = host
        self.path = path?.isEmpty == true ? nil : path
        self.builtIn = builtIn
    }

    /// For the whole host, unless `object` names a path.
    package func attributes(user: [UInt8], object: [UInt8]? = nil) -> ItemAttributes {
        ItemAttributes(protocol: self.protocol, host: host, user: user, object: object)
    }

    /// For a `get` or `store`.
    package func query(user: [UInt8]?) -> ItemQuery {
        ItemQuery(
            protocol: self.protocol, host: host, user: user, path: path,
            paths: builtIn == nil ? .exact : .wholeHostServesPath)
    }

    /// Whatever its path.
    package func everything(user: [UInt8]?) -> ItemQuery {
        ItemQuery(protocol: self.protocol, host: host, user: user, path: nil, paths: .wildcard)
    }

    package static let https = Array("https".utf8)
}
