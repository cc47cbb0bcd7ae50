package import CredentialCore

/// A keyring in memory that behaves as the Secret Service does, and fails where a test wants it to.
///
/// Like the service, a search returns every item that has the attributes asked for, whatever else it has.
package final class InMemoryKeyring: Keyring {
    /// What can be asked of a keyring.
    package enum Call: String {
        case items
        case unlock
        case checkWritable
        case replace
        case save
        case remove
    }

    /// What is in it, in the order in which it was put there.
    package private(set) var items: [Item] = []
    /// Every call, in order.
    package private(set) var calls: [Call] = []
    /// Whether the secrets are out of reach until `unlock` has been called.
    package var isLocked = false
    /// The users whose items are in a collection that is open all the same.
    package var unlocked: [[UInt8]] = []
    /// Whether it shows nothing while it is locked, as KeePassXC does; `checkWritable` can open it.
    package var hidesLocked = false
    /// Whether what is locked is in an open collection, and a person has to allow each access.
    package var asksForEach = false
    /// The names of locked collections.
    package var lockedCollections: [DisplayText] = []
    /// Why unlocking fails, if it does.
    package var unlocking: KeyringError?
    /// Why nothing can be asked: absent, unresponsive, ….
    package var fault: KeyringError?
    /// Why nothing can be saved, and `checkWritable` says so.
    package var writeFault: KeyringError?
    /// Why a save fails although `checkWritable` said nothing.
    package var saveFault: KeyringError?
    /// The number of one call, counted from 1 over all kinds, that fails, and why.
    package var faultAtCall: (number: Int, error: KeyringError)?
    /// Lets a sibling process do its work just before a call is answered.
    package var beforeCall: (Call) -> Void = { _ in }

    package let storage: CredentialStorage
    package var absence: KeyringError?
    private let journal: Journal
    private let name: String
    private var serial = 0

    /// An empty keyring.
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
            modified: item.modified, secret: nil, storage: item.storage,
            needsConfirmation: asksForEach)
    }

    /// Puts an item there without a call, as another program would, in place of the one with these attributes.
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
}
