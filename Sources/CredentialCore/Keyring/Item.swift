package struct Item {
    /// An object path on the bus.
    package let path: String
    package let attributes: ItemAttributes
    /// As the item carries it; nil if it carries none.
    package let schemaName: String?
    /// Seconds since 1970; 0 if the keyring does not say, or was not asked.
    package var created: UInt64
    /// Likewise.
    package let modified: UInt64
    /// Nil while the item is locked.
    package let secret: Secret?
    package let storage: CredentialStorage
    /// Locked by itself in a keyring that is open: a person has to allow each access (KeePassXC).
    package let needsConfirmation: Bool

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

    /// Stands for a value that the keyring hides while it is locked: no account, port or path that git would send.
    package static let hiddenValue = Array("?".utf8)

    /// Whether that value of an attribute stands for one that is not known before the keyring is unlocked.
    func hides(_ value: [UInt8]) -> Bool { isLocked && value == Self.hiddenValue }

    /// The account, if the keyring tells it.
    package var shownUser: [UInt8]? { attributes.user == Self.hiddenValue ? nil : attributes.user }

    package var isLocked: Bool { secret == nil }

    /// That of git 2.43 or newer, and ours; another is that of an older git, or of a program such as `secret-tool`.
    var isOfGitsSchema: Bool { schemaName == Schema.gitPassword.rawValue }
}

/// ③ The attributes by which an item in the keyring is found: exactly those of git's own `git-credential-libsecret`.
///
/// Attributes are not secret: they can be read while the keyring is locked. On the bus all of them are strings.
package struct ItemAttributes: Hashable {
    /// May be empty.
    package var user: [UInt8]?
    /// Only if the credential is for that path alone.
    package var object: [UInt8]?
    package var `protocol`: [UInt8]?
    /// In decimal; absent if the host named none.
    package var port: [UInt8]?
    /// Without its port.
    package var server: [UInt8]?

    /// Of an item that git's helper would find for the same request.
    package init(protocol: [UInt8], host: HostName, user: [UInt8]? = nil, object: [UInt8]? = nil) {
        self.protocol = `protocol`
        server = host.name
        port = host.port.map { Array(String($0).utf8) }
        self.user = user
        self.object = object
    }

    /// As the service returns them; unknown ones are ignored, because some services add their own.
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

    /// Only those that have a value.
    package var named: [(name: String, value: [UInt8])] {
        [
            (Name.user, user), (Name.object, object), (Name.protocol, self.protocol), (Name.port, port),
            (Name.server, server),
        ].compactMap { name, value in value.map { (name, $0) } }
    }

    /// Nil if the item names none, or one that no request can contain.
    package var hostName: HostName? { server.flatMap { HostName($0 + portSuffix) } }

    private var portSuffix: [UInt8] { port.map { Array(":".utf8) + $0 } ?? [] }

    /// As git's helper labels it, so that both look the same in a keyring viewer.
    package var label: [UInt8] {
        let origin = (self.protocol ?? []) + Array("://".utf8) + (server ?? []) + portSuffix
        return Array("Git: ".utf8) + origin + Array("/".utf8) + (object ?? [])
    }

    /// The name of an attribute in the schema `org.git.Password`.
    package enum Name {
        package static let user = "user"
        /// Without the slash before it.
        package static let object = "object"
        /// As git names it: `https`, `http`, `smtp`.
        package static let `protocol` = "protocol"
        /// In decimal.
        package static let port = "port"
        package static let server = "server"
        /// libsecret's.
        package static let schema = "xdg:schema"
    }
}

/// A schema that git's helper has used.
package enum Schema: String {
    /// Since git 2.43; the one that is written.
    case gitPassword = "org.git.Password"
    /// From git 2.11 to 2.42; read, and removed after its successor is written.
    case networkPassword = "org.gnome.keyring.NetworkPassword"
}

/// The part of a host that a token is for: `acme`, or `acme/private`.
enum PathScope {
    private static let slash = UInt8(ascii: "/")
    private static let git = Array(".git".utf8)

    /// Its first parts are the scope's, with or without `.git`.
    ///
    /// Hosts compare the names of owners and repositories without regard to case.
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
