internal import CredentialCore
internal import Helper

extension Outside: Keyring {
    var storage: CredentialStorage { .keyring }

    func items(having attributes: ItemAttributes) throws(KeyringError) -> [Item] {
        step("keyring items")
        try fail(.unresponsive(seconds: 5))
        let found = simulation.items(having: attributes, in: .keyring)
        guard simulation.outage == .locked else { return found }
        return found.map {
            Item(path: $0.path, attributes: $0.attributes, schemaName: $0.schemaName, created: $0.created, secret: nil)
        }
    }

    func unlock(_ items: [Item]) throws(KeyringError) -> [Item] {
        step("keyring unlock")
        try fail(.dismissed)
        if simulation.outage == .locked { throw .locked }
        return simulation.keyring.map(\.item).filter { item in items.contains { $0.path == item.path } }
    }

    func checkWritable(mayPrompt: Bool) throws(KeyringError) {
        step("keyring checkWritable")
        try fail(.denied)
        if simulation.outage == .locked { throw .locked }
        guard simulation.hasCollection else { throw .noCollection }
        faultsWhenWritable = simulation.keyringFaults
    }

    func replace(_ item: Item, with secret: Secret) throws(KeyringError) -> Bool {
        step("keyring replace")
        try fail(.disconnected)
        if simulation.outage == .locked { throw .locked }
        return simulation.replace(item, with: secret, in: .keyring, self)
    }

    func save(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError) {
        step("keyring save")
        do throws(KeyringError) {
            try fail(.denied)
            if simulation.outage == .locked { throw .locked }
        } catch {
            // What is in memory is kept there.
            let isElsewhere = simulation.items(having: attributes, in: .memory).contains { $0.attributes == attributes }
            if isAlive, !isElsewhere { simulation.rules.couldNotSave(self) }
            throw error
        }
        guard simulation.hasCollection else { throw .noCollection }
        simulation.put(secret, under: attributes, in: .keyring, self)
        step("keyring saved")
        // It may still look as if it had failed.
        try fail(.unresponsive(seconds: 10))
    }

    func remove(_ item: Item) throws(KeyringError) {
        step("keyring remove")
        try fail(.denied)
        if simulation.outage == .locked { throw .locked }
        simulation.remove(item, in: .keyring, self)
        step("keyring removed")
    }

    private func fail(_ error: KeyringError) throws(KeyringError) {
        if isInterrupted { throw .interrupted }
        guard simulation.keyringFails() else { return }
        simulation.log { "\(self.client.number) \(self.action.name): keyring fails: \(error)" }
        throw error
    }
}

/// git's in-memory cache, for a keyring without a collection.
final class PlayedMemory: Keyring {
    private let outside: Outside
    private var simulation: Simulation { outside.simulation }
    var storage: CredentialStorage { .memory }

    init(_ outside: Outside) { self.outside = outside }

    func items(having attributes: ItemAttributes) throws(KeyringError) -> [Item] {
        outside.step("memory items")
        return simulation.items(having: attributes, in: .memory)
    }

    func unlock(_ items: [Item]) throws(KeyringError) -> [Item] { items }

    func checkWritable(mayPrompt: Bool) throws(KeyringError) {
        outside.step("memory checkWritable")
        outside.faultsWhenWritable = simulation.keyringFaults
    }

    func replace(_ item: Item, with secret: Secret) throws(KeyringError) -> Bool {
        outside.step("memory replace")
        guard outside.isAlive else { throw .interrupted }
        return simulation.replace(item, with: secret, in: .memory, outside)
    }

    func save(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError) {
        outside.step("memory save")
        guard outside.isAlive else { throw .interrupted }
        simulation.put(secret, under: attributes, in: .memory, outside)
        outside.step("memory saved")
    }

    func remove(_ item: Item) throws(KeyringError) {
        outside.step("memory remove")
        guard outside.isAlive else { throw .interrupted }
        simulation.remove(item, in: .memory, outside)
    }
}
