import TestSupport

/// A keyring with several collections that have passwords; the first one takes new items.
final class LockedKeyring: KeyringUnlocking {
    var program = "gnome-keyring-daemon"
    var locked = ["login"]
    var passwords = ["login": "open sesame ", "work": "Ali Baba"]
    /// The error for new items.
    var fault: KeyringError?
    var mayPrompt = false
    var promptFault: KeyringError?
    private(set) var created: [String] = []
    private(set) var prompts = 0
    func checkBus() throws(KeyringError) {}
    func provider() throws(KeyringError) -> String? { program }
    var offeringProgram: KeyringProgram { KeyringProgram(program) }
    var namesOfLocked: [DisplayText] { [] }

    /// The object path of a collection, as gnome-keyring names it.
    static func path(_ name: String) -> String { "/org/freedesktop/secrets/collection/" + name }

    func locked(_ selection: CollectionSelection) throws(KeyringError) -> [LockedCollection] {
        let meant: [String]
        switch selection {
        case .forNewItems:
            if let fault { throw fault }
            meant = locked.filter { $0 == "login" }
        case .holding(let items): meant = locked.filter { name in items.contains { $0.path == Self.path(name) + "/1" } }
        case .all: meant = locked
        }
        return meant.map { LockedCollection(path: Self.path($0), name: DisplayText(untrusted: $0.utf8)) }
    }

    private func open(_ collection: LockedCollection) { locked.removeAll { Self.path($0) == collection.path } }

    func unlock(_ collection: LockedCollection, with password: Secret) throws(KeyringError) -> Bool {
        guard passwords.contains(where: { Self.path($0) == collection.path && $1 == password.text }) else {
            return false
        }
        open(collection)
        return true
    }

    func unlock(_ collection: LockedCollection) throws(KeyringError) {
        guard mayPrompt else { throw .locked }
        prompts += 1
        if let promptFault { throw promptFault }
        open(collection)
    }

    func readUnlocked(_ items: [Item]) throws(KeyringError) -> [Item] {
        guard try locked(.holding(items)).isEmpty else { throw .locked }
        return items.map {
            Item(path: $0.path, attributes: $0.attributes, schemaName: $0.schemaName, secret: Secret("p"))
        }
    }

    func createCollection(with password: Secret) throws(KeyringError) {
        created.append(password.text)
        fault = nil
    }

    func createCollection() throws(KeyringError) {
        guard mayPrompt else { throw .noCollection }
        prompts += 1
        if let promptFault { throw promptFault }
        created.append("by its own prompt")
        fault = nil
    }
}

/// A keyring with one item in the collection `place`, for git's operations; no prompt unlocks anything, and `help` is
/// asked as `LibsecretKeyring` asks it.
final class LockedItemKeyring: Keyring {
    var help: (KeyringError, CollectionSelection) throws(KeyringError) -> Void = { failure, _ throws(KeyringError) in
        throw failure
    }
    let keyrings: LockedKeyring
    let place: String
    private(set) var saved: [String] = []
    var storage: CredentialStorage { .keyring }

    init(_ keyrings: LockedKeyring, place: String = "login") {
        self.keyrings = keyrings
        self.place = place
    }

    private var isItemLocked: Bool { keyrings.locked.contains(place) }

    private func checkPlace() throws(KeyringError) {
        if let fault = keyrings.fault { throw fault }
        if keyrings.locked.contains("login") { throw .locked }
    }

    func items(having attributes: ItemAttributes) throws(KeyringError) -> [Item] {
        [
            Item(
                path: LockedKeyring.path(place) + "/1", attributes: attributes, schemaName: "org.git.Password",
                secret: isItemLocked ? nil : Secret("p"))
        ]
    }

    func unlock(_ items: [Item]) throws(KeyringError) -> [Item] {
        guard isItemLocked else { return items }
        try help(.locked, .holding(items))
        return try keyrings.readUnlocked(items)
    }

    func checkWritable(mayPrompt: Bool) throws(KeyringError) {
        do { try checkPlace() } catch {
            guard mayPrompt else { throw error }
            try help(error, .forNewItems)
            try checkPlace()
        }
    }

    func replace(_ item: Item, with secret: Secret) throws(KeyringError) -> Bool { true }

    func save(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError) {
        if let fault = keyrings.fault { try help(fault, .forNewItems) }
        if isItemLocked { try help(.locked, .holding(try items(having: attributes))) }
        saved.append(secret.text)
    }

    func remove(_ item: Item) throws(KeyringError) {}
}
