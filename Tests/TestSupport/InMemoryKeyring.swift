package import CredentialCore

/// A keyring in memory that behaves as the Secret Service does, and fails if a test sets an error.
///
/// A search returns every item with the given attributes, whatever other attributes it has.
package final class InMemoryKeyring: Keyring {
    package enum Call: String { case items, unlock, checkWritable, replace, save, remove }

    /// The items, in the order in which they were added.
    package private(set) var items: [Item] = []
    package private(set) var calls: [Call] = []
    /// Whether the secrets cannot be read before `unlock`.
    package var isLocked = false
    /// The users whose items are in an open collection although the keyring is locked.
    package var unlocked: [[UInt8]] = []
    /// Whether the keyring lists nothing while locked, as KeePassXC does; `checkWritable` can open it.
    package var hidesLocked = false
    /// Whether locked items are in an open collection, and a person has to allow each access.
    package var asksForEach = false
    package var lockedCollections: [DisplayText] = []
    package var unlocking: KeyringError?
    /// The error of every call, such as an absent or unresponsive service.
    package var fault: KeyringError?
    /// The error of every save, which `checkWritable` reports too.
    package var writeFault: KeyringError?
    /// The error of every save, which `checkWritable` does not report.
    package var saveFault: KeyringError?
    /// The number of the one call that fails, counted from 1 over all kinds, and its error.
    package var faultAtCall: (number: Int, error: KeyringError)?
    /// The action of another process just before a call is answered.
    package var beforeCall: (Call) -> Void = { _ in }
    package let storage: CredentialStorage
    package var absence: KeyringError?
    private let journal: Journal
    private let name: String
    private var serial = 0

    package init(storage: CredentialStorage = .keyring, name: String = "keyring", journal: Journal = Journal()) {
        self.storage = storage
        self.name = name
        self.journal = journal
    }

    package func items(having attributes: ItemAttributes) throws(KeyringError) -> [Item] {
        try enter(.items)
        let wanted = attributes.named
        let found = items.filter { item in
            let found = item.attributes.named
            return wanted.allSatisfy { wanted in found.contains { $0.name == wanted.name && $0.value == wanted.value } }
        }.map { isLocked && !unlocked.contains($0.attributes.user ?? []) ? locked($0) : $0 }
        guard hidesLocked, isLocked else { return found }
        let shown = found.filter { !$0.isLocked }
        if shown.isEmpty { throw .locked }
        return shown
    }

    package func unlock(_ items: [Item]) throws(KeyringError) -> [Item] {
        try enter(.unlock)
        if let unlocking { throw unlocking }
        isLocked = false
        return self.items.filter { item in items.contains { $0.path == item.path } }
    }

    package func checkWritable(mayPrompt: Bool) throws(KeyringError) {
        try enter(.checkWritable)
        if let writeFault { throw writeFault }
        if hidesLocked, mayPrompt, unlocking == nil { isLocked = false }
        if isLocked, !asksForEach { throw .locked }
    }

    package func replace(_ item: Item, with secret: Secret) throws(KeyringError) -> Bool {
        try enter(.replace)
        if let writeFault { throw writeFault }
        if isLocked { throw .locked }
        guard items.contains(where: { $0.attributes == item.attributes && $0.secret == item.secret }) else {
            return false
        }
        if secret != item.secret { put(secret, under: item.attributes) }
        return true
    }

    package func save(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError) {
        try enter(.save)
        if let error = saveFault ?? writeFault { throw error }
        if isLocked { throw .locked }
        put(secret, under: attributes)
    }

    package func remove(_ item: Item) throws(KeyringError) {
        try enter(.remove)
        // git's memory has no paths.
        items.removeAll { storage == .memory ? $0.attributes == item.attributes : $0.path == item.path }
    }

    private func enter(_ call: Call) throws(KeyringError) {
        beforeCall(call)
        calls.append(call)
        journal.note("\(name) \(call.rawValue)")
        if let fault { throw fault }
        if let faultAtCall, faultAtCall.number == calls.count { throw faultAtCall.error }
    }

    private func locked(_ item: Item) -> Item {
        Item(
            path: item.path, attributes: item.attributes, schemaName: item.schemaName, created: item.created,
            modified: item.modified, secret: nil, storage: item.storage, needsConfirmation: asksForEach)
    }

    /// Adds an item without a call, as another program would, and replaces the one with these attributes.
    package func put(
        _ secret: Secret, under attributes: ItemAttributes, schemaName: String? = Schema.gitPassword.rawValue
    ) {
        serial += 1
        let created = items.first { $0.attributes == attributes && $0.schemaName == schemaName }?.created
        items.removeAll { $0.attributes == attributes && $0.schemaName == schemaName }
        items.append(
            Item(
                path: "/item/\(serial)", attributes: attributes, schemaName: schemaName,
                created: created ?? UInt64(serial), modified: UInt64(serial), secret: secret, storage: storage))
    }

    /// Stores a credential for an https host, as an earlier run would have done.
    package func put(_ credential: StoredCredential, for host: String, path: String? = nil) {
        guard let name = HostName(Array(host.utf8)), let text = SecretText.encode(credential) else {
            preconditionFailure("a test stores what cannot be stored")
        }
        let (https, object) = (Array("https".utf8), path.map { Array($0.utf8) })
        put(text, under: ItemAttributes(protocol: https, host: name, user: credential.username, object: object))
    }

    /// Returns a user's newest credential on any host, read back from the saved text.
    package func credential(of user: String) -> StoredCredential? {
        let item = items.last { $0.attributes.user == Array(user.utf8) }
        return item?.secret.flatMap { SecretText.parse($0, username: Array(user.utf8)) }
    }

    /// The secret text of the only item, or `nil` unless there is exactly one.
    package var onlyText: String? { items.count == 1 ? items.first?.secret?.text : nil }
}

extension Secret {
    /// The bytes as text, which only tests may make a `String`.
    package var text: String { reveal { String(decoding: $0, as: UTF8.self) } }
    package convenience init(_ text: String) { self.init(Array(text.utf8)) }
}
