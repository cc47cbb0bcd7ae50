internal import CredentialCore
internal import Helper

extension Outside: Keyring {
    var storage: CredentialStorage { .keyring }

    func items(having attributes: ItemAttributes) throws(KeyringError) -> [Item] {
        step("keyring items")
        try fail(.unresponsive(seconds: 5))
        let wanted = attributes.named
        let found = simulation.keyring.filter { entry in
            wanted.allSatisfy { wanted in
                entry.named.contains { $0.name == wanted.name && $0.value == wanted.value }
            }
        }.map(\.item)
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
        try fail(.noCollection)
        if simulation.outage == .locked { throw .locked }
        faultsWhenWritable = simulation.keyringFaults
    }

    func replace(_ item: Item, with secret: Secret) throws(KeyringError) -> Bool {
        step("keyring replace")
        try fail(.disconnected)
        if simulation.outage == .locked { throw .locked }
        guard let index = simulation.keyring.firstIndex(where: { $0.item.attributes == item.attributes }),
            simulation.keyring[index].item.secret == item.secret
        else { return false }
        faultsWhenWritable = simulation.keyringFaults
        if secret != item.secret { put(secret, under: item.attributes) }
        step("keyring replaced")
        return true
    }

    func save(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError) {
        step("keyring save")
        do throws(KeyringError) {
            try fail(.denied)
            if simulation.outage == .locked { throw .locked }
        } catch {
            if isAlive { simulation.rules.couldNotSave(self) }
            throw error
        }
        put(secret, under: attributes)
        step("keyring saved")
        // It may still look as if it had failed.
        try fail(.unresponsive(seconds: 10))
    }

    func remove(_ item: Item) throws(KeyringError) {
        step("keyring remove")
        try fail(.denied)
        if simulation.outage == .locked { throw .locked }
        if let index = simulation.keyring.firstIndex(where: { $0.item.path == item.path }) {
            let old = simulation.keyring[index]
            simulation.keyring.remove(at: index)
            simulation.rules.wrote(nil, over: old, self)
        }
        step("keyring removed")
    }

    private func put(_ secret: Secret, under attributes: ItemAttributes) {
        let index = simulation.keyring.firstIndex { $0.item.attributes == attributes }
        let old = index.map { simulation.keyring[$0] }
        guard let new = simulation.entry(secret, under: attributes, created: old?.item.created) else {
            return simulation.fail("the keyring holds what can be read", "a secret without its form")
        }
        if let index { simulation.keyring[index] = new } else { simulation.keyring.append(new) }
        simulation.rules.wrote(new, over: old, self)
    }

    private func fail(_ error: KeyringError) throws(KeyringError) {
        if isInterrupted { throw .interrupted }
        guard simulation.keyringFails() else { return }
        simulation.log { "\(self.client.number) \(self.action.name): keyring fails: \(error)" }
        throw error
    }
}
