import CredentialCore
import FrontDoor
import Testing

/// A front door with a keyring and a configuration defined by a test, which counts the uses of both.
final class Door {
    var items: [Item]? = []
    var entries: [ConfigurationEntry]? = []
    var variables: [String: String] = [:]
    var hasRefusedTokens = false
    var hasMemory = false
    private(set) var searches: [ItemAttributes] = []
    private(set) var configurationReads = 0

    /// The time of all tests, in seconds since 1970.
    static let now: Int64 = 1_000_000

    /// The answer to a request; `nil` if the front door hands over to the full program.
    func answer(_ operation: Operation, _ lines: String...) -> String? {
        let door = FrontDoor(
            environment: { self.variables[$0] }, now: Self.now,
            search: { attributes in
                self.searches.append(attributes)
                // The user name is matched byte for byte, as the service does.
                return self.items?.filter { attributes.user == nil || $0.attributes.user == attributes.user }
            }, hasRefusedTokens: { self.hasRefusedTokens }, hasMemory: { self.hasMemory },
            configuration: {
                self.configurationReads += 1
                return self.entries
            })
        let answer = door.answer(operation, Secret(lines.flatMap { Array($0.utf8) + [0x0a] }))
        return answer?.reveal { String(decoding: $0, as: UTF8.self) }
    }

    /// An item for https://host, with an account's name.
    static func item(
        _ secret: String?, user: String = "octocat", host: String = "github.com", path: String? = nil,
        schema: String? = "org.git.Password", created: UInt64 = 0
    ) throws -> Item {
        let name = try #require(HostName(Array(host.utf8)))
        return Item(
            path: "/item/\(user)",
            attributes: ItemAttributes(
                protocol: Array("https".utf8), host: name, user: Array(user.utf8), object: path.map { Array($0.utf8) }),
            schemaName: schema, created: created, secret: secret.map { Secret(Array($0.utf8)) })
    }
}
