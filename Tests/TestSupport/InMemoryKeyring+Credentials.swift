package import CredentialCore

extension InMemoryKeyring {
    /// Stores a credential for an https host, as an earlier run would have done.
    package func put(_ credential: StoredCredential, for host: String, path: String? = nil) {
        guard let name = HostName(Array(host.utf8)), let text = SecretText.encode(credential) else {
            preconditionFailure("a test stores what cannot be stored")
        }
        put(
            text,
            under: ItemAttributes(
                protocol: Array("https".utf8), host: name, user: credential.username,
                object: path.map { Array($0.utf8) }))
    }

    /// Returns a user's newest credential on any host, read back from the saved text.
    package func credential(of user: String) -> StoredCredential? {
        guard let item = items.last(where: { $0.attributes.user == Array(user.utf8) }), let secret = item.secret else {
            return nil
        }
        return SecretText.parse(secret, username: Array(user.utf8))
    }

    /// The secret text of the only item, or `nil` unless there is exactly one.
    package var onlyText: String? { items.count == 1 ? items.first?.secret?.text : nil }
}

extension Secret {
    /// The bytes as text, which only tests may make a `String`.
    package var text: String { reveal { String(decoding: $0, as: UTF8.self) } }

    package convenience init(_ text: String) { self.init(Array(text.utf8)) }
}
