internal import CredentialCore
internal import Helper
internal import TestSupport

extension Outside: Keyring {
    var storage: CredentialStorage { .keyring }

    func items(having attributes: ItemAttributes) throws(KeyringError) -> [Item] {
        step("keyring items")
        try fail(.unresponsive(seconds: 5))
        return try simulation.keyring.items(having: attributes)
    }

    func unlock(_ items: [Item]) throws(KeyringError) -> [Item] {
        step("keyring unlock")
        try fail(.dismissed)
        return try simulation.keyring.unlock(items)
    }

    func checkWritable(mayPrompt: Bool) throws(KeyringError) {
        step("keyring checkWritable")
        try fail(.denied)
        try simulation.keyring.checkWritable(mayPrompt: mayPrompt)
        faultsWhenWritable = simulation.keyringFaults
    }

    func replace(_ item: Item, with secret: Secret) throws(KeyringError) -> Bool {
        step("keyring replace")
        try fail(.disconnected)
        return try replace(item, with: secret, in: simulation.keyring)
    }

    fileprivate func replace(
        _ item: Item, with secret: Secret, in keyring: InMemoryKeyring
    ) throws(KeyringError) -> Bool {
        let isReplaced = try simulation.watching(item.attributes, in: keyring, by: self) { () throws(KeyringError) in
            try keyring.replace(item, with: secret)
        }
        if isReplaced {
            faultsWhenWritable = simulation.keyringFaults
            step("replaced")
        }
        return isReplaced
    }

    func save(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError) {
        let keyring = simulation.keyring
        step("keyring save")
        do throws(KeyringError) {
            try fail(.denied)
            try simulation.watching(attributes, in: keyring, by: self) { () throws(KeyringError) in
                try keyring.save(secret, under: attributes)
            }
        } catch {
            // A credential that is in git's cache is stored there, not in the keyring.
            let isElsewhere = simulation.memory.items.contains { $0.attributes == attributes }
            if isAlive, error != .noCollection, !isElsewhere { simulation.rules.couldNotSave(self) }
            throw error
        }
        step("keyring saved")
        // The item is saved, but the keyring may still report a failure.
        try fail(.unresponsive(seconds: 10))
    }

    func remove(_ item: Item) throws(KeyringError) {
        step("keyring remove")
        try fail(.denied)
        if simulation.outage == .locked { throw .locked }
        try simulation.watching(item.attributes, in: simulation.keyring, by: self) { () throws(KeyringError) in
            try simulation.keyring.remove(item)
        }
        step("keyring removed")
    }

    private func fail(_ error: KeyringError) throws(KeyringError) {
        if isInterrupted { throw .interrupted }
        guard simulation.keyringFails() else { return }
        simulation.log { "\(self.client.number) \(self.action.name): keyring fails: \(error)" }
        throw error
    }
}

/// git's credential cache, for a keyring without a collection.
final class PlayedMemory: Keyring {
    private let outside: Outside
    private var simulation: Simulation { outside.simulation }
    var storage: CredentialStorage { .memory }

    init(_ outside: Outside) { self.outside = outside }

    func items(having attributes: ItemAttributes) throws(KeyringError) -> [Item] {
        outside.step("memory items")
        return try simulation.memory.items(having: attributes)
    }

    func unlock(_ items: [Item]) throws(KeyringError) -> [Item] { items }

    func checkWritable(mayPrompt: Bool) throws(KeyringError) {
        outside.step("memory checkWritable")
        outside.faultsWhenWritable = simulation.keyringFaults
    }

    func replace(_ item: Item, with secret: Secret) throws(KeyringError) -> Bool {
        outside.step("memory replace")
        guard outside.isAlive else { throw .interrupted }
        return try outside.replace(item, with: secret, in: simulation.memory)
    }

    func save(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError) {
        outside.step("memory save")
        guard outside.isAlive else { throw .interrupted }
        try simulation.watching(attributes, in: simulation.memory, by: outside) { () throws(KeyringError) in
            try simulation.memory.save(secret, under: attributes)
        }
        outside.step("memory saved")
    }

    func remove(_ item: Item) throws(KeyringError) {
        outside.step("memory remove")
        guard outside.isAlive else { throw .interrupted }
        try simulation.watching(item.attributes, in: simulation.memory, by: outside) { () throws(KeyringError) in
            try simulation.memory.remove(item)
        }
    }
}
