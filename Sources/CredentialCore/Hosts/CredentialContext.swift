/// ② Which credentials a request is about, and how they are filed: the credential context of gitcredentials(7).
///
/// It needs no configuration, and a hit needs nothing else. After a miss, `SignInContext` in the module Helper says
/// whether and how we sign in there.
package struct CredentialContext: Equatable {
    /// The protocol under which the credentials are filed.
    package let `protocol`: [UInt8]
    /// The host under which the credentials are filed.
    package let host: HostName
    /// The path that git sent, if any.
    package let path: [UInt8]?
    /// The sign-in host, if it is built in.
    ///
    /// Other sign-in hosts are known only after the configuration has been read.
    package let builtIn: SignInHost?

    /// Why there is no context.
    package enum Refusal: Error {
        /// The host contains bytes of another part of a URL, or an invalid port.
        case malformedHost
        /// A built-in host over another protocol or port: this would be a downgrade, not another host.
        case downgrade
    }

    /// The context of what git asks for; the account is not part of it.
    package init(of request: Request) throws(Refusal) {
        guard let host = HostName(request.host) else { throw .malformedHost }
        try self.init(protocol: request.protocol, host: host, path: request.path)
    }

    /// The context of a protocol, a host and perhaps a path on it, as git names them.
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

    /// The context of a host for which the person has configured a sign-in.
    package init(_ host: SignInHost, path: [UInt8]?) {
        self.init(protocol: Self.https, host: host.name, path: path, builtIn: host.isBuiltIn ? host : nil)
    }

    private init(protocol: [UInt8], host: HostName, path: [UInt8]?, builtIn: SignInHost?) {
        self.protocol = `protocol`
        self.host = host
        self.path = path?.isEmpty == true ? nil : path
        self.builtIn = builtIn
    }

    /// The attributes under which an account's credential is filed: for the whole host, unless `object` names a path.
    package func attributes(user: [UInt8], object: [UInt8]? = nil) -> ItemAttributes {
        ItemAttributes(protocol: self.protocol, host: host, user: user, object: object)
    }

    /// Which items can answer a `get` or `store`.
    package func query(user: [UInt8]?) -> ItemQuery {
        ItemQuery(
            protocol: self.protocol, host: host, user: user, path: path,
            paths: builtIn == nil ? .exact : .wholeHostServesPath)
    }

    /// Every item of the host, or of one account on it, whatever its path.
    package func everything(user: [UInt8]?) -> ItemQuery {
        ItemQuery(protocol: self.protocol, host: host, user: user, path: nil, paths: .wildcard)
    }

    /// The protocol of every host where we sign in.
    package static let https = Array("https".utf8)
}
