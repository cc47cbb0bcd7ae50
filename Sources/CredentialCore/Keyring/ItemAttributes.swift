/// ③ The attributes by which an item in the keyring is found: exactly those of git's own `git-credential-libsecret`.
///
/// Attributes are not secret: they can be read while the keyring is locked. On the bus all of them are strings.
package struct ItemAttributes: Hashable {
    /// The account's name; may be empty.
    package var user: [UInt8]?
    /// The path on the host, if the credential is for that path alone.
    package var object: [UInt8]?
    /// The protocol.
    package var `protocol`: [UInt8]?
    /// The port in decimal; absent if the host named none.
    package var port: [UInt8]?
    /// The host without its port.
    package var server: [UInt8]?

    /// The attributes of an item that git's helper would find for the same request.
    package init(protocol: [UInt8], host: HostName, user: [UInt8]? = nil, object: [UInt8]? = nil) {
        self.protocol = `protocol`
        server = host.name
        port = host.port.map { Array(String($0).utf8) }
        self.user = user
        self.object = object
    }

    /// The attributes as the service returns them.
    ///
    /// Unknown ones are ignored, because some services add their own.
    package init(named attributes: [(name: String, value: [UInt8])]) {
        for (name, value) in attributes {
            switch name {
            case Name.user: user = value
            case Name.object: object = value
            case Name.protocol: self.protocol = value
            case Name.port: port = value
            case Name.server: server = value
            default: break
            }
        }
    }

    /// The attributes that have a value, by the names of the schema.
    package var named: [(name: String, value: [UInt8])] {
        [
            (Name.user, user), (Name.object, object), (Name.protocol, self.protocol), (Name.port, port),
            (Name.server, server),
        ].compactMap { name, value in value.map { (name, $0) } }
    }

    /// The host that the item is for; nil if it names none, or one that no request can contain.
    package var hostName: HostName? { server.flatMap { HostName($0 + portSuffix) } }

    private var portSuffix: [UInt8] { port.map { Array(":".utf8) + $0 } ?? [] }

    /// The label that git's helper gives an item, so that both look the same in a keyring viewer.
    package var label: [UInt8] {
        let origin = (self.protocol ?? []) + Array("://".utf8) + (server ?? []) + portSuffix
        return Array("Git: ".utf8) + origin + Array("/".utf8) + (object ?? [])
    }

    /// The names in the schema `org.git.Password`.
    package enum Name {
        /// The account.
        package static let user = "user"
        /// The path on the host, without the slash before it.
        package static let object = "object"
        /// As git names it: `https`, `http`, `smtp`.
        package static let `protocol` = "protocol"
        /// In decimal.
        package static let port = "port"
        /// The host, without the port.
        package static let server = "server"
        /// The attribute in which libsecret stores the name of the schema.
        package static let schema = "xdg:schema"
    }
}
