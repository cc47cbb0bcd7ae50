internal import CredentialCore
internal import Helper
internal import TestSupport

/// The keyring of a run, or git's credential cache for a keyring without a collection: the cache never fails.
final class PlayedKeyring: Keyring {
    let storage: CredentialStorage
    private let outside: Outside
    private let items: InMemoryKeyring
    private var simulation: Simulation { outside.simulation }
    private var isCache: Bool { storage == .memory }

    init(_ outside: Outside, _ storage: CredentialStorage) {
        self.outside = outside
        self.storage = storage
        items = storage == .memory ? outside.simulation.memory : outside.simulation.keyring
    }

    func items(having attributes: ItemAttributes) throws(KeyringError) -> [Item] {
        try begin("items", .unresponsive(seconds: 5), changes: false)
        return try items.items(having: attributes)
    }

    func unlock(_ items: [Item]) throws(KeyringError) -> [Item] {
        if isCache { return items }
        try begin("unlock", .dismissed)
        return try self.items.unlock(items)
    }

    func checkWritable(mayPrompt: Bool) throws(KeyringError) {
        try begin("checkWritable", .denied, changes: false)
        try items.checkWritable(mayPrompt: mayPrompt)
        outside.faultsWhenWritable = simulation.keyringFaults
    }

    func replace(_ item: Item, with secret: Secret) throws(KeyringError) -> Bool {
        try begin("replace", .disconnected)
        let isReplaced = try simulation.watching(item.attributes, in: items, by: outside) { () throws(KeyringError) in
            try items.replace(item, with: secret)
        }
        if isReplaced {
            outside.faultsWhenWritable = simulation.keyringFaults
            outside.step("replaced")
        }
        return isReplaced
    }

    func save(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError) {
        do throws(KeyringError) {
            try begin("save", .denied)
            try simulation.watching(attributes, in: items, by: outside) { () throws(KeyringError) in
                try items.save(secret, under: attributes)
            }
        } catch {
            // A credential that is in git's cache is stored there, not in the keyring.
            let isElsewhere = isCache || simulation.memory.items.contains { $0.attributes == attributes }
            if outside.isAlive, error != .noCollection, !isElsewhere { simulation.rules.couldNotSave(outside) }
            throw error
        }
        outside.step("\(storage) saved")
        // The item is saved, but the keyring may still report a failure.
        if !isCache { try fail(.unresponsive(seconds: 10)) }
    }

    func remove(_ item: Item) throws(KeyringError) {
        try begin("remove", .denied)
        if !isCache, simulation.outage == .locked { throw .locked }
        try simulation.watching(item.attributes, in: items, by: outside) { () throws(KeyringError) in
            try items.remove(item)
        }
        if !isCache { outside.step("keyring removed") }
    }

    private func begin(_ call: String, _ error: KeyringError, changes: Bool = true) throws(KeyringError) {
        outside.step("\(storage) \(call)")
        if !isCache { try fail(error) } else if changes, !outside.isAlive { throw .interrupted }
    }

    private func fail(_ error: KeyringError) throws(KeyringError) {
        if outside.isInterrupted { throw .interrupted }
        guard simulation.keyringFails() else { return }
        simulation.log { "\(self.outside.name): keyring fails: \(error)" }
        throw error
    }
}
