/// ② Where a request leads: whose host it is, and how the credentials of that place are filed in the keyring.
package struct Place {
    /// The protocol under which credentials are filed.
    package let `protocol`: [UInt8]
    /// The host under which credentials are filed.
    package let host: HostName
    /// The path that git sent, if it sent one.
    package let path: [UInt8]?
    /// The host as somewhere to sign in, if it is built in; others are known only once the configuration has been read.
    package let builtIn: KnownHost?

    /// Why a request leads nowhere.
    package enum Refusal: Error {
        /// The host holds bytes of another part of an address, or a port that is none.
        case malformedHost
        /// A known name over another protocol or port.
        case downgrade
    }

    /// The place of a request.
    package init(of request: Request) throws(Refusal) {
        guard let name = HostName(request.host) else { throw .malformedHost }
        path = request.path?.isEmpty == true ? nil : request.path
        switch Whose(protocol: request.protocol, host: name) {
        case .known(let known):
            builtIn = known
            host = known.name
            self.protocol = Self.https
        case .foreign(let name):
            builtIn = nil
            host = name
            self.protocol = request.protocol
        case .downgrade: throw .downgrade
        }
    }

    /// The place of a host where the person has configured a sign-in.
    package init(_ host: KnownHost, path: [UInt8]?) {
        self.protocol = Self.https
        self.host = host.name
        self.path = path
        builtIn = nil
    }

    /// Where the credential of an account is filed: for a whole host unless `object` says otherwise.
    package func attributes(user: [UInt8], object: [UInt8]?) -> ItemAttributes {
        ItemAttributes(protocol: self.protocol, host: host, user: user, object: object)
    }

    /// Which items serve a `get` or `store`.
    package func query(user: [UInt8]?) -> ItemQuery {
        ItemQuery(
            protocol: self.protocol, host: host, user: user, path: path,
            paths: builtIn == nil ? .exact : .wholeHostServesPath)
    }

    /// The protocol of every host where we sign in.
    package static let https = Array("https".utf8)
}
