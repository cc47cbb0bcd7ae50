package struct Item {
    package let path: String
    package let attributes: ItemAttributes
    package let schemaName: String?
    /// Seconds since 1970; 0 if unknown.
    package var created: UInt64
    /// Seconds since 1970; 0 if unknown.
    package let modified: UInt64
    /// The secret, or `nil` while the item is locked.
    package var secret: Secret?
    package let storage: CredentialStorage
    /// Whether a person has to allow each access, although the keyring is open (KeePassXC).
    package var needsConfirmation: Bool

    package init(
        path: String, attributes: ItemAttributes, schemaName: String?, created: UInt64 = 0, modified: UInt64 = 0,
        secret: Secret?, storage: CredentialStorage = .keyring, needsConfirmation: Bool = false
    ) {
        self.storage = storage
        self.needsConfirmation = needsConfirmation
        self.path = path
        self.attributes = attributes
        self.schemaName = schemaName
        self.created = created
        self.modified = modified
        self.secret = secret
    }

    /// The placeholder for a value that a locked keyring hides; git would send no such account, port or path.
    package static let hiddenValue = Array("?".utf8)
    func hides(_ value: [UInt8]) -> Bool { isLocked && value == Self.hiddenValue }
    package var shownUser: [UInt8]? { attributes.user == Self.hiddenValue ? nil : attributes.user }
    package var isLocked: Bool { secret == nil }

    /// Whether git since 2.43 or this program wrote the item, instead of an older git or `secret-tool`.
    package var isOfGitsSchema: Bool { schemaName == Schema.gitPassword.rawValue }
}

/// ③ The attributes by which an item is found, exactly those of git's own `git-credential-libsecret`.
///
/// They are not secret: a locked keyring shows them. On the bus, all are strings.
package struct ItemAttributes: Hashable {
    package var user: [UInt8]?
    /// The path, if the credential is for that path alone.
    package var object: [UInt8]?
    package var `protocol`: [UInt8]?
    /// The port in decimal, absent if the host named none.
    package var port: [UInt8]?
    package var server: [UInt8]?

    /// Makes the attributes by which git's helper would find the item for the same request.
    package init(protocol: [UInt8], host: HostName, user: [UInt8]? = nil, object: [UInt8]? = nil) {
        self.protocol = `protocol`
        server = host.name
        port = host.port.map { Array(String($0).utf8) }
        self.user = user
        self.object = object
    }

    /// Ignores unknown attributes, because some services add their own.
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

    package var named: [(name: String, value: [UInt8])] {
        [
            (Name.user, user), (Name.object, object), (Name.protocol, self.protocol), (Name.port, port),
            (Name.server, server),
        ].compactMap { name, value in value.map { (name, $0) } }
    }

    /// The host with its port, or `nil` if the item has none, or one that no request can contain.
    package var hostName: HostName? { server.flatMap { HostName($0 + portSuffix) } }
    private var portSuffix: [UInt8] { port.map { Array(":".utf8) + $0 } ?? [] }

    /// The label that git's helper gives, so that both look alike in a keyring viewer.
    package var label: [UInt8] {
        let origin = (self.protocol ?? []) + Array("://".utf8) + (server ?? []) + portSuffix
        return Array("Git: ".utf8) + origin + Array("/".utf8) + (object ?? [])
    }

    /// The names of the attributes in the schema `org.git.Password`.
    package enum Name {
        package static let user = "user"
        /// The path, without the slash before it.
        package static let object = "object"
        /// The protocol in git's spelling: `https`, `http`, `smtp`.
        package static let `protocol` = "protocol"
        package static let port = "port"
        package static let server = "server"
        package static let schema = "xdg:schema"
    }
}

package enum Schema: String {
    /// The schema since git 2.43, the only one that is written.
    case gitPassword = "org.git.Password"
    /// The schema of git 2.11 to 2.42: its items are read, and removed once a newer one is saved.
    case networkPassword = "org.gnome.keyring.NetworkPassword"

    /// The name of any schema among an item's attributes.
    package static func name(among attributes: [(name: String, value: [UInt8])]) -> String? {
        attributes.first { $0.name == ItemAttributes.Name.schema }.map { String(decoding: $0.value, as: UTF8.self) }
    }
}

/// A part of a host that a token is for: `acme`, or `acme/private`.
enum PathScope {
    private static let slash = UInt8(ascii: "/")
    private static let git = Array(".git".utf8)

    /// Whether the path begins with the scope's parts, with or without `.git`; letter case is ignored, as by the hosts.
    static func contains(_ path: [UInt8], in scope: [UInt8]) -> Bool {
        let wanted = scope.split(separator: slash)
        let asked = path.split(separator: slash)
        guard !wanted.isEmpty, wanted.count <= asked.count else { return false }
        return wanted.indices.allSatisfy { ASCII.equalsIgnoringCase(name(asked[$0]), name(wanted[$0])) }
    }

    private static func name(_ part: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        part.count > git.count && part.suffix(git.count).elementsEqual(git) ? part.dropLast(git.count) : part
    }
}
